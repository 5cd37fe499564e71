// `tenure journal …`: the file of a journal, looked after; out as text, and in again.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ESCAPES, everyState, journalOf, jsonOf, left, owner, printed, tenure } from './cli-kit.js';
import { DIGEST, OTHER_DIGEST, openJournal, refusal, rowIn, temporary } from './operations-kit.js';

const place = (name = 'new.journal') => path.join(temporary(), name);

/** Rows of every state, and some that left the history. */
const full = () =>
  journalOf(
    (journal) => {
      for (const scope of ['', 'é']) {
        for (const id of ['left-1', 'left-2', 'left-3'])
          rowIn(journal, id, 'failed/pending', scope);
        everyState(journal, scope);
      }
      journal.requestCancelSync('running-accepted');
    },
    { bounds: { retain: 4 } },
  );

describe('tenure journal stats', () => {
  it('counts by scope and state', async () => {
    const at = await full();
    const journal = await openJournal(at, { readOnly: true });
    const { scopes, fileBytes } = journal.stats();
    await journal.close();
    expect(jsonOf(['journal', 'stats', '-j', at])).toEqual({
      path: at,
      fileBytes,
      fence: { used: 26 },
      scopes: scopes.sort((a, b) => (a.scope < b.scope ? -1 : 1)),
    });
    expect(jsonOf(['journal', 'stats', '--scope', 'é', '-j', at])).toMatchObject({
      scopes: [{ scope: 'é', succeeded: 1 }],
    });
    const [head, , titles, ...rows] = printed(['journal', 'stats', '-j', at]).trimEnd().split('\n');
    expect(head).toContain('20 in the history, 26 ids on the fence');
    expect(titles).toMatch(/^SCOPE +QUEUED +RUNNING +INTERRUPTED +SUCCEEDED +FAILED +CANCELLED$/);
    expect(rows.map((row) => row.split(/ +/)[0])).toEqual(["''", 'é']);
  });

  it('has nothing to count in an empty journal', async () => {
    const at = await journalOf(() => undefined);
    expect(printed(['journal', 'stats', '-j', at])).toMatch(
      / 0 in the history, 0 ids on the fence\n$/,
    );
  });
});

describe('tenure journal verify', () => {
  it('says that a journal is sound', async () => {
    const at = await full();
    expect(printed(['journal', 'verify', '-j', at])).toBe(`${at} is sound\n`);
    expect(jsonOf(['journal', 'verify', '-j', at])).toEqual({ path: at, ok: true, problems: [] });
  });

  it('names what is damaged, with an exit code of its own', async () => {
    const at = await journalOf((journal) => {
      for (const id of ['good', 'bad']) rowIn(journal, id, 'queued/pending', 's');
    });
    spoil(at, 's', 'bad');
    const found = tenure(['journal', 'verify', '-j', at]);
    expect(found).toEqual({ code: 4, err: '', out: 'bad of scope s: its row cannot be decoded\n' });
    const asJson = tenure(['journal', 'verify', '-j', at, '--json']);
    expect(JSON.parse(asJson.out)).toEqual({
      path: at,
      ok: false,
      problems: [{ scope: 's', operationId: 'bad', message: 'its row cannot be decoded' }],
    });
    expect(printed(['ops', 'list', '-j', at])).toContain('good');
  });

  it.each([
    ['a file of something else', 'hello, I am a text\n'.repeat(300)],
    ['an empty file', ''],
  ])('says that %s is no journal, and leaves it', (_, text) => {
    const at = place();
    writeFileSync(at, text);
    for (const args of [
      ['journal', 'verify'],
      ['ops', 'list'],
      ['journal', 'export'],
    ]) {
      const { code, out, err } = tenure([...args, '-j', at]);
      expect({ code, out }).toEqual({ code: 4, out: '' });
      expect(err).toContain('(ERR_JOURNAL_CORRUPT)');
    }
    expect(readFileSync(at, 'utf8')).toBe(text);
  });

  it('says of a file that was cut off that it is damaged, and leaves it', async () => {
    const at = await full();
    const cut = readFileSync(at).subarray(0, 9_000);
    writeFileSync(at, cut);
    expect(tenure(['journal', 'verify', '-j', at]).code).toBe(4);
    expect(tenure(['journal', 'compact', '-j', at]).code).toBe(4);
    expect(readFileSync(at).equals(cut)).toBe(true);
  });
});

describe('tenure journal compact and backup', () => {
  it('gives space back', async () => {
    const at = await journalOf(async (journal) => {
      const payload = { text: 'x'.repeat(10_000) };
      for (let n = 0; n < 100; n += 1) journal.reserveSync(`op-${n}`, DIGEST, payload);
      for (let n = 0; n < 100; n += 1) journal.updateSync(`op-${n}`, { state: 'cancelled' });
      journal.forgetSync({ finishedBefore: Number.MAX_SAFE_INTEGER });
    });
    const { before, after } = jsonOf<Record<string, number>>(['journal', 'compact', '-j', at]);
    expect(after).toBeLessThan(before ?? 0);
    expect(statSync(at).size).toBeLessThan(before ?? 0);
    expect(printed(['journal', 'compact', '-j', at])).toMatch(/ before, .* after\n$/);
  });

  it('writes a copy that is the same journal, and writes over nothing', async () => {
    const [at, copy] = [await full(), place()];
    expect(jsonOf(['journal', 'backup', copy, '-j', at])).toEqual({
      path: copy,
      from: at,
      bytes: statSync(copy).size,
    });
    expect(printed(['journal', 'export', '-j', copy])).toBe(
      printed(['journal', 'export', '-j', at]),
    );
    const again = tenure(['journal', 'backup', copy, '-j', at]);
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain(`Something is at ${copy}, and nothing is written over.`);
  });
});

/** Damages a row on purpose, in a process that may. */
function spoil(at: string, scope: string, id: string): void {
  const script = 'require(process.argv[1]).spoilRow(...process.argv.slice(2))';
  const addon = fileURLToPath(new URL('../binding.js', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, ['-e', script, addon, at, scope, id], {
    env: { ...process.env, TENURE_TEST_FAULTS: '1' },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

describe('tenure journal export and import', () => {
  it('give the same text again, byte for byte, and a sound journal', async () => {
    const [at, file, copy, again] = [await full(), place('1.jsonl'), place(), place('2.jsonl')];
    expect(printed(['journal', 'export', '-j', at, '-o', file])).toBe('');
    expect(jsonOf(['journal', 'import', file, '-j', copy])).toEqual({
      path: copy,
      operations: 20,
      left: 6,
      retired: 6,
    });
    expect(jsonOf(['journal', 'verify', '-j', copy])).toMatchObject({ ok: true });
    printed(['journal', 'export', '-j', copy, '-o', again]);
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'));
    expect(printed(['journal', 'export', '-j', copy])).toBe(readFileSync(file, 'utf8'));
    expect(printed(['ops', 'list', '--json', '-j', copy])).toBe(
      printed(['ops', 'list', '--json', '-j', at]),
    );
  });

  it('revive no id', async () => {
    const [at, copy] = [await full(), place()];
    const input = printed(['journal', 'export', '-j', at]);
    expect(printed(['journal', 'import', '-', '-j', copy], { input })).toBe(
      `${copy}: 20 in the history, 6 more on the fence, 6 retired\n`,
    );
    const journal = await openJournal(copy, { bounds: { retain: 4 } });
    refusal('ERR_OPERATION_RETIRED', () => journal.reserveSync('left-1', DIGEST, {}));
    refusal('ERR_OPERATION_CONFLICT', () => journal.reserveSync('left-1', OTHER_DIGEST, {}));
    expect(journal.reserveSync('queued-pending', DIGEST, {}).outcome).toBe('existing');
  });

  it('carry one scope', async () => {
    const [at, copy] = [await full(), place()];
    const input = printed(['journal', 'export', '--scope', 'é', '-j', at]);
    expect(jsonOf(['journal', 'import', '-', '-j', copy], { input })).toMatchObject({
      operations: 10,
      left: 3,
    });
  });

  it('keep what ran as running', async () => {
    const at = await left([['a', { state: 'running', submission: 'uncertain' }]]);
    const copy = place();
    const input = printed(['journal', 'export', '-j', at]);
    printed(['journal', 'import', '-', '-j', copy], { input });
    expect(printed(['ops', 'list', '-j', copy])).toMatch(/^a +running/m);
  });

  it('pass over what is damaged, keep its id reserved, and say so', async () => {
    const at = await journalOf((journal) => {
      for (const id of ['good', 'bad']) rowIn(journal, id, 'queued/pending', 's');
    });
    spoil(at, 's', 'bad');
    const { code, out, err } = tenure(['journal', 'export', '-j', at]);
    expect({ code, err }).toEqual({
      code: 4,
      err: "tenure: damaged records: 1; 'tenure journal verify' names them.\n",
    });
    const copy = place();
    const input = out;
    expect(jsonOf(['journal', 'import', '-', '-j', copy], { input })).toMatchObject({
      operations: 1,
      left: 1,
    });
    expect(jsonOf(['journal', 'verify', '-j', copy])).toMatchObject({ ok: true });
    expect(tenure(['journal', 'export', '-j', copy]).out).toBe(out);
    const journal = await openJournal(copy);
    refusal('ERR_OPERATION_RETIRED', () => journal.reserveSync('bad', DIGEST, {}, 's'));
    expect(journal.forgetSync({ finishedBefore: 1, scope: 's' })).toBe(1);
    expect(journal.reserveSync('bad', DIGEST, {}, 's').outcome).toBe('created');
  });

  it('write over nothing', async () => {
    const at = await full();
    const file = place('there');
    writeFileSync(file, 'mine');
    expect(tenure(['journal', 'export', '-j', at, '-o', file]).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const input = printed(['journal', 'export', '-j', at]);
    for (const taken of [file, at]) {
      const before = readFileSync(taken);
      const { code, err } = tenure(['journal', 'import', '-', '-j', taken], { input });
      expect(code).toBe(1);
      expect(err).toContain('(ERR_BACKUP_EXISTS)');
      expect(readFileSync(taken).equals(before)).toBe(true);
    }
  });

  /** Takes lines out, and puts others there. */
  const changed = (lines: string[], at: number, out: number, ...put: string[]): string[] => {
    lines.splice(at, out, ...put);
    return lines;
  };
  const FAULTS: [what: string, line: number, fault: (lines: string[]) => string[]][] = [
    ['a line that is lost', 24, (lines) => changed(lines, 3, 1)],
    ['the end that is lost', 25, (lines) => changed(lines, 24, 1)],
    ['a line cut off', 5, (lines) => changed(lines, 4, 1, lines[4]?.slice(0, 60) ?? '')],
    ['a line twice', 6, (lines) => changed(lines, 5, 0, lines[4] ?? '')],
    ['a state', 2, (lines) => changed(lines, 1, 1, lines[1]?.replace('failed', 'x') ?? '')],
    ['a line in place of another', 3, (lines) => changed(lines, 1, 1, lines[2] ?? '')],
    ['what is no JSON', 8, (lines) => changed(lines, 7, 1, 'hello \u001b[31m')],
  ];

  it.each(FAULTS)('name the line of %s, and leave nothing', async (_, line, fault) => {
    const at = await journalOf((journal) => {
      for (let n = 0; n < 20; n += 1) rowIn(journal, `f-${n}`, 'failed/pending');
      for (const id of ['q-1', 'q-2', 'q-3']) rowIn(journal, id, 'queued/pending');
    });
    const lines = printed(['journal', 'export', '-j', at]).trimEnd().split('\n');
    const copy = place();
    const input = `${fault([...lines]).join('\n')}\n`;
    const { code, out, err } = tenure(['journal', 'import', '-', '-j', copy], { input });
    expect({ code, out }).toEqual({ code: 4, out: '' });
    expect(err).toContain(`${copy}: Line ${line} of the export: `);
    expect(err).not.toMatch(ESCAPES);
    expect(readdirSync(path.dirname(copy))).toEqual([]);
  });

  it('refuse bytes that are no text, and a file that is not there', () => {
    const copy = place();
    const input = Buffer.from([0x7b, 0xff, 0xfe, 0x0a]);
    const { code, err } = tenure(['journal', 'import', '-', '-j', copy], { input });
    expect(code).toBe(4);
    expect(err).toContain('The export is not UTF-8');
    expect(tenure(['journal', 'import', '/no/such/file', '-j', copy]).code).toBe(5);
    expect(existsSync(copy)).toBe(false);
  });
});

describe('a journal that is open in another process', () => {
  it.each([
    ['ops', 'list'],
    ['ops', 'status', 'a'],
    ['journal', 'stats'],
    ['journal', 'verify'],
    ['journal', 'export'],
    ['journal', 'backup', '/nowhere/copy'],
  ])('is said to be, with the process id: tenure %s %s', async (...args) => {
    const at = place();
    const { pid } = await owner(at, [['a']]);
    const { code, out, err } = tenure([...args, '-j', at]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    const linux = process.platform === 'linux';
    expect(err).toContain(`${at} is open in ${linux ? `process ${pid}` : 'another process'}.`);
    const { error } = JSON.parse(tenure([...args, '-j', at, '--json']).err) as {
      error: Record<string, unknown>;
    };
    expect(error).toMatchObject({ code: 'ERR_JOURNAL_LOCKED', path: at, exitCode: 3 });
    expect(error['pid']).toBe(linux ? pid : undefined);
  });
});
