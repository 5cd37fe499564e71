// Logs: bounded text files, one for each operation, that no id can lead out of their directory.
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOf } from './fixtures/operations/canonical.js';
import { openLogs, refusal, rejection, temporary } from './operations-kit.js';

const TEXT = 'a é € 😀 z\u0301 \u0000\u001b end';

describe('a log', () => {
  it('has the lines in the order of the calls, awaited or not, twins included', async () => {
    const logs = await openLogs();
    await logs.append('a', 'one');
    logs.appendSync('a', 'two');
    const appending = ['three', 'four', 'five'].map((line) => logs.append('a', line));
    logs.appendSync('a', 'six');
    await Promise.all(appending);
    const text = 'one\ntwo\nthree\nfour\nfive\nsix\n';
    expect(logs.read('a', 0)).toEqual({
      operationId: 'a',
      offset: 0,
      nextOffset: text.length,
      truncated: false,
      text,
    });
    expect(logs.read('a', 8).text).toBe(text.slice(8));
  });

  it('has each line as one record, whatever it holds', async () => {
    const logs = await openLogs();
    const lines = ['a\nb', 'c\r\nd', '\n', '', 'e\r', '\\n', 'a\u2028b', '\u0000', 'last'];
    for (const line of lines) logs.appendSync('a', line);
    const { text } = logs.read('a', 0);
    expect(text).toBe('a\\nb\nc\\r\\nd\n\\n\n\ne\\r\n\\n\na\u2028b\n\u0000\nlast\n');
    expect(text.split('\n')).toHaveLength(lines.length + 1);
  });

  it('has U+FFFD for each lone surrogate', async () => {
    const logs = await openLogs();
    logs.appendSync('a', 'a\ud800b\udc00\ud83d\ude00');
    expect(logs.read('a', 0).text).toBe('a\ufffdb\ufffd😀\n');
  });

  it('that nobody wrote is empty, whatever the offset', async () => {
    const logs = await openLogs();
    const empty = { operationId: 'none', offset: 0, nextOffset: 0, truncated: false, text: '' };
    expect([logs.read('none', 0), logs.read('none', 7)]).toEqual([empty, empty]);
  });

  it('takes thousands of lines at once, and keeps their order', async () => {
    const logs = await openLogs();
    const lines = Array.from({ length: 5_000 }, (_, line) => `line ${line}`);
    await Promise.all(lines.map((line) => logs.append('a', line)));
    let whole = '';
    for (let offset = 0; ;) {
      const { text, nextOffset } = logs.read('a', offset);
      if (text === '') break;
      whole += text;
      offset = nextOffset;
    }
    expect(whole).toBe(lines.map((line) => `${line}\n`).join(''));
  });
});

describe('a slice', () => {
  it.each([4, 5, 7, 11, 65_536])(
    'of at most %i bytes never splits a character, wherever it is asked for',
    async (logSliceBytes) => {
      const logs = await openLogs({ logSliceBytes });
      logs.appendSync('a', TEXT, 's');
      const bytes = Buffer.from(`${TEXT}\n`);
      const starts = new Set<number>();
      let at = 0;
      for (const character of `${TEXT}\n`) {
        starts.add(at);
        at += bytesOf(character);
      }
      starts.add(at);
      for (let offset = 0; offset <= bytes.length + 3; offset += 1) {
        const slice = logs.read('a', offset, 's');
        let from = Math.min(offset, bytes.length);
        while (!starts.has(from)) from += 1;
        expect(slice.offset).toBe(from);
        expect(starts.has(slice.nextOffset)).toBe(true);
        expect(slice.text).toBe(bytes.toString('utf8', from, slice.nextOffset));
        expect(slice.nextOffset - from).toBeLessThanOrEqual(logSliceBytes);
        // As long as it may be, and so never empty before the end.
        if (from + logSliceBytes < bytes.length)
          expect(slice.nextOffset).toBeGreaterThan(from + logSliceBytes - 4);
        else expect(slice.nextOffset).toBe(bytes.length);
      }
    },
  );

  it('past the end is empty, at the end', async () => {
    const logs = await openLogs();
    logs.appendSync('a', 'abc');
    const end = { operationId: 'a', offset: 4, nextOffset: 4, truncated: false, text: '' };
    expect([logs.read('a', 4), logs.read('a', 100)]).toEqual([end, end]);
  });

  it('of five megabytes has equal bytes', async () => {
    const logs = await openLogs({ logBytes: 8_000_000, logSliceBytes: 8_000_000 });
    const line = 'é'.repeat(2_500_000);
    await logs.append('a', line);
    const { text, nextOffset } = logs.read('a', 0);
    expect([text === `${line}\n`, nextOffset]).toEqual([true, 5_000_001]);
  });
});

describe('a record that would pass logBytes', () => {
  it('is dropped, and so is every later one, also after a reopen: what is kept is a true beginning', async () => {
    const directory = temporary();
    const bounds = { logBytes: 20 };
    let logs = await openLogs(bounds, directory);
    const seen = (id: string) => {
      const { nextOffset, truncated } = logs.read(id, 0);
      return [nextOffset, truncated];
    };
    logs.appendSync('exact', 'é'.repeat(9));
    logs.appendSync('exact', '');
    expect(seen('exact')).toEqual([20, false]);
    logs.appendSync('exact', '');
    expect(seen('exact')).toEqual([20, true]);
    for (const line of ['0123456789', 'x'.repeat(9), 'fits']) await logs.append('cut', line);
    expect(logs.read('cut', 0)).toMatchObject({ text: '0123456789\n', truncated: true });
    expect(logs.read('cut', 11)).toMatchObject({ text: '', truncated: true });
    logs.appendSync('first', 'x'.repeat(20));
    expect(seen('first')).toEqual([0, true]);
    await logs.close();
    logs = await openLogs(bounds, directory);
    for (const id of ['cut', 'exact', 'first']) logs.appendSync(id, '');
    expect(['cut', 'exact', 'first'].map(seen)).toEqual([
      [11, true],
      [20, true],
      [0, true],
    ]);
    logs.retireSync('cut');
    expect(seen('cut')).toEqual([0, false]);
    logs.appendSync('cut', 'again');
    expect(logs.read('cut', 0)).toMatchObject({ text: 'again\n', truncated: false });
  });

  it('is one by its bytes as they are written', async () => {
    const logs = await openLogs({ logBytes: 5 });
    logs.appendSync('a', '\n\n');
    expect(logs.read('a', 0)).toMatchObject({ text: '\\n\\n\n', truncated: false });
    logs.appendSync('b', '\n\n\n');
    expect(logs.read('b', 0)).toMatchObject({ text: '', truncated: true });
  });
});

describe('the file of a log', () => {
  const NAMES = [
    ...['../x', '..', '.', 'a/b', '/etc/passwd', 'C:x', 'C:\\x', 'CON', 'NUL.txt', 'a:b', 'A', 'a'],
    ...['é', 'e\u0301', 'x'.repeat(128), 'trailing.', 'trailing ', '%2e%2e', '\u2028', '~', '*'],
    ...['😀'.repeat(128), '-rf', '$(id)', '.hidden', 'log', 'b', 'ab'],
  ];

  it('lies in the directory under a harmless name of its own, whatever id and scope', async () => {
    const root = temporary();
    const directory = path.join(root, 'deep', 'logs');
    const logs = await openLogs({}, directory);
    const pairs = ['', 'a', '../x', 'x'.repeat(128)].flatMap((scope) =>
      NAMES.map((id) => [scope, id] as const),
    );
    for (const [scope, id] of pairs) logs.appendSync(id, JSON.stringify([scope, id]), scope);
    for (const [scope, id] of pairs)
      expect(logs.read(id, 0, scope).text).toBe(`${JSON.stringify([scope, id])}\n`);
    expect(readdirSync(root)).toEqual(['deep']);
    expect(readdirSync(path.join(root, 'deep'))).toEqual(['logs']);
    const files = readdirSync(directory, { withFileTypes: true });
    expect(new Set(files.map(({ name }) => name.toLowerCase())).size).toBe(pairs.length);
    for (const file of files)
      expect([file.isFile(), file.name]).toEqual([
        true,
        expect.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/),
      ]);
    for (const [scope, id] of pairs) await logs.retire(id, scope);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is the text and nothing else, and is extended after a reopen', async () => {
    const directory = temporary();
    let logs = await openLogs({}, directory);
    logs.appendSync('a', 'one');
    await logs.close();
    logs = await openLogs({}, directory);
    logs.appendSync('a', 'two');
    const [file] = readdirSync(directory);
    expect(readFileSync(path.join(directory, file!), 'utf8')).toBe('one\ntwo\n');
  });

  it('that was cut off in the middle of a line is cut back to whole lines', async () => {
    const directory = temporary();
    let logs = await openLogs({}, directory);
    logs.appendSync('a', 'whole');
    await logs.close();
    const file = path.join(directory, readdirSync(directory)[0]!);
    writeFileSync(file, 'whole\nhal');
    logs = await openLogs({}, directory);
    logs.appendSync('a', 'next');
    expect(logs.read('a', 0).text).toBe('whole\nnext\n');
  });

  it('that somebody deleted is begun anew', async () => {
    const directory = temporary();
    const logs = await openLogs({}, directory);
    logs.appendSync('a', 'lost');
    rmSync(path.join(directory, readdirSync(directory)[0]!));
    expect(logs.read('a', 0).text).toBe('');
    await logs.append('a', 'anew');
    expect(logs.read('a', 0).text).toBe('anew\n');
  });

  it('is one of thousands, more than may be open at once', async () => {
    const logs = await openLogs();
    const ids = Array.from({ length: 3_000 }, (_, index) => `${index}`);
    for (let round = 0; round < 2; round += 1)
      await Promise.all(ids.map((id) => logs.append(id, `${round} of ${id}`)));
    for (const id of ids) expect(logs.read(id, 0).text).toBe(`0 of ${id}\n1 of ${id}\n`);
  });
});

describe('retire', () => {
  it('deletes one log only; an unknown one is no error', async () => {
    const logs = await openLogs();
    for (const scope of ['', 's']) for (const id of ['a', 'b']) logs.appendSync(id, 'x', scope);
    await logs.retire('a', 's');
    logs.retireSync('a', 's');
    await logs.retire('never');
    const rows = [
      ['a', ''],
      ['b', ''],
      ['a', 's'],
      ['b', 's'],
    ] as const;
    expect(rows.map(([id, scope]) => logs.read(id, 0, scope).text)).toEqual([
      'x\n',
      'x\n',
      '',
      'x\n',
    ]);
  });

  it('and append take effect in the order of the calls', async () => {
    const logs = await openLogs();
    const calls = [
      logs.append('a', 'one'),
      logs.retire('a'),
      logs.append('a', 'two'),
      logs.append('a', 'three'),
    ];
    await Promise.all(calls);
    expect(logs.read('a', 0).text).toBe('two\nthree\n');
  });
});

describe('handles of one directory', () => {
  it('share its logs; one that closes takes nothing from the others', async () => {
    const directory = temporary();
    const [one, other] = [await openLogs({}, directory), await openLogs({}, directory)];
    const appending: Promise<void>[] = [];
    for (let line = 0; line < 50; line += 1) {
      appending.push(one.append('a', `one ${line}`));
      other.appendSync('a', `other ${line}`);
    }
    await Promise.all(appending);
    const lines = other.read('a', 0).text.trimEnd().split('\n');
    expect(lines).toHaveLength(100);
    for (const whose of ['one', 'other'])
      expect(lines.filter((line) => line.startsWith(`${whose} `))).toEqual(
        Array.from({ length: 50 }, (_, line) => `${whose} ${line}`),
      );
    await one.close();
    for (const call of [
      () => one.read('a', 0),
      () => one.appendSync('a', 'x'),
      () => one.retireSync('a'),
      () => one.follow('a'),
    ])
      refusal('ERR_CLOSED', call);
    await rejection('ERR_CLOSED', () => one.append('a', 'x'));
    await rejection('ERR_CLOSED', () => one.retire('a'));
    await one.close();
    other.appendSync('a', 'last');
    expect(other.read('a', 0).text.endsWith('last\n')).toBe(true);
  });

  it('write what was called before they close', async () => {
    const directory = temporary();
    const logs = await openLogs({}, directory);
    const appending = Array.from({ length: 200 }, (_, line) => logs.append('a', `${line}`));
    await logs.close();
    await Promise.all(appending);
    const again = await openLogs({}, directory);
    expect(again.read('a', 0).text.split('\n')).toHaveLength(201);
  });

  it('may have bounds of their own', async () => {
    const directory = temporary();
    const small = await openLogs({ logBytes: 10, logSliceBytes: 4 }, directory);
    const large = await openLogs({}, directory);
    large.appendSync('a', '0123456789');
    expect(small.read('a', 0).text).toBe('0123');
    expect(large.read('a', 0)).toMatchObject({ text: '0123456789\n', truncated: false });
  });
});

describe('what cannot be read or written', () => {
  it('is ERR_LOG_IO with the cause, and other logs go on', async () => {
    const directory = temporary();
    const file = path.join(directory, 'file');
    writeFileSync(file, '');
    const error = await rejection('ERR_LOG_IO', () => openLogs({}, path.join(file, 'below')));
    expect(error.cause).toBeInstanceOf(Error);
    const where = path.join(directory, 'logs');
    const logs = await openLogs({}, where);
    logs.appendSync('a', 'x');
    rmSync(where, { recursive: true });
    writeFileSync(where, '');
    refusal('ERR_LOG_IO', () => logs.appendSync('b', 'x'));
    await rejection('ERR_LOG_IO', () => logs.append('b', 'x'));
    rmSync(where);
    expect(existsSync(where)).toBe(false);
  });
});
