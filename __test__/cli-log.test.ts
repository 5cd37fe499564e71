// `tenure ops log`: what a log holds, and what comes.
import { rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OperationLogs } from '../index.js';
import { ESCAPES, journalOf, logsOf, owner, printed, running, tenure } from './cli-kit.js';
import { openJournal, rowIn, temporary, until } from './operations-kit.js';

async function openLogs(at: string): Promise<OperationLogs> {
  const logs = await OperationLogs.open(at);
  onTestFinished(() => logs.close());
  return logs;
}

describe('tenure ops log', () => {
  it('prints all of a log, of any length', async () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `line ${n}: ${'é'.repeat(40)}`);
    const at = await logsOf((logs) => lines.forEach((line) => logs.appendSync('a', line)));
    expect(printed(['ops', 'log', 'a', '-l', at])).toBe(`${lines.join('\n')}\n`);
    const slices = printed(['ops', 'log', 'a', '-l', at, '--json']).trimEnd().split('\n');
    const read = slices.map((slice) => JSON.parse(slice) as Record<string, unknown>);
    expect(read.length).toBeGreaterThan(1);
    expect(read.map(({ text }) => text).join('')).toBe(`${lines.join('\n')}\n`);
    expect(read[0]).toMatchObject({ operationId: 'a', offset: 0, truncated: false });
  });

  it('begins at an offset', async () => {
    const at = await logsOf((logs) => ['one', 'two'].forEach((line) => logs.appendSync('a', line)));
    expect(printed(['ops', 'log', 'a', '-l', at, '--offset', '4'])).toBe('two\n');
    expect(printed(['ops', 'log', 'a', '-l', at, '--offset', '99'])).toBe('');
    expect(tenure(['ops', 'log', 'a', '-l', at, '--offset', '-1']).code).toBe(2);
  });

  it('lets nothing through that steers a terminal, unless it is to be raw', async () => {
    const hostile = '\u001b[31mred\u001b]0;title\u0007\u009b2J \u202e\ttab';
    const at = await logsOf((logs) => logs.appendSync('a', hostile));
    const out = printed(['ops', 'log', 'a', '-l', at]);
    expect(out).not.toMatch(ESCAPES);
    expect(out).toContain('\\u001b[31mred');
    expect(out).toContain('\ttab\n');
    expect(printed(['ops', 'log', 'a', '-l', at, '--raw'])).toBe(`${hostile}\n`);
    expect(printed(['ops', 'log', 'a', '-l', at, '--json'])).not.toMatch(ESCAPES);
  });

  it('knows the scope from the journal, as far as that can be read', async () => {
    const logs = await logsOf((each) => {
      each.appendSync('a', 'of s', 's');
      each.appendSync('a', 'of none');
    });
    const journal = await journalOf((each) => rowIn(each, 'a', 'queued/pending', 's'));
    expect(printed(['ops', 'log', 'a', '-l', logs])).toBe('of none\n');
    expect(printed(['ops', 'log', 'a', '-l', logs, '-j', journal])).toBe('of s\n');
    expect(printed(['ops', 'log', 'a', '-l', logs, '--scope', 's'])).toBe('of s\n');
    await owner(journal);
    expect(printed(['ops', 'log', 'a', '-l', logs, '-j', journal])).toBe('of none\n');
  });

  it('outlives its row, and is missed with an exit code where neither is there', async () => {
    const logs = await logsOf((each) => each.appendSync('pruned', 'still here'));
    const journal = await journalOf((each) => rowIn(each, 'a', 'queued/pending'));
    expect(printed(['ops', 'log', 'pruned', '-l', logs, '-j', journal])).toBe('still here\n');
    expect(printed(['ops', 'log', 'a', '-l', logs, '-j', journal])).toBe('');
    expect(tenure(['ops', 'log', 'nobody', '-l', logs, '-j', journal]).code).toBe(5);
  });

  it('makes no directory, and asks where the logs are', async () => {
    const none = `${temporary()}/none`;
    expect(tenure(['ops', 'log', 'a', '-l', none]).code).toBe(5);
    expect(tenure(['ops', 'log', 'a']).code).toBe(2);
  });
});

describe('tenure ops log --follow', () => {
  it('goes on as lines come, and ends with the log', async () => {
    const at = await logsOf((logs) => logs.appendSync('a', 'first'));
    const logs = await openLogs(at);
    const { seen, ended } = running(['ops', 'log', 'a', '-l', at, '-f']);
    await until(() => seen.out === 'first\n');
    logs.appendSync('a', 'second');
    await until(() => seen.out === 'first\nsecond\n');
    logs.retireSync('a');
    expect(await ended).toEqual({ code: 0, out: 'first\nsecond\n', err: '' });
  });

  it('waits for a log that is not there yet', async () => {
    const at = await logsOf(() => undefined);
    const logs = await openLogs(at);
    const { seen, ended } = running(['ops', 'log', 'a', '-l', at, '-f', '--json']);
    logs.appendSync('a', 'late');
    await until(() => seen.out !== '');
    expect(JSON.parse(seen.out)).toMatchObject({ text: 'late\n' });
    rmSync(at, { recursive: true });
    expect((await ended).code).toBe(0);
  });

  it('ends with a log of which it had nothing to print', async () => {
    const at = await logsOf((logs) => logs.appendSync('a', 'line'));
    const logs = await openLogs(at);
    const follow = (offset: number) =>
      running(['ops', 'log', 'a', '-l', at, '-f', '--offset', String(offset)]);
    const [atEnd, beyond] = [follow(5), follow(9)];
    logs.appendSync('a', 'more');
    await until(() => atEnd.seen.out === 'more\n' && beyond.seen.out === '\n');
    logs.retireSync('a');
    expect((await Promise.all([atEnd.ended, beyond.ended])).map(({ code }) => code)).toEqual([
      0, 0,
    ]);
  });

  it('ends when the journal says that the operation has ended, with all that was written', async () => {
    const at = await logsOf((logs) => logs.appendSync('a', 'line'));
    const path = await journalOf((journal) => rowIn(journal, 'a', 'queued/pending'));
    const { seen, ended } = running(['ops', 'log', 'a', '-l', at, '-j', path, '-f']);
    await until(() => seen.out === 'line\n');
    // It looks at the journal now and then, and keeps others from opening it then.
    let journal = undefined as Awaited<ReturnType<typeof openJournal>> | undefined;
    await until(
      async () => (journal ??= await openJournal(path).catch(() => undefined)) !== undefined,
    );
    (await openLogs(at)).appendSync('a', 'last');
    journal?.updateSync('a', { state: 'cancelled' });
    await journal?.close();
    expect(await ended).toEqual({ code: 0, out: 'line\nlast\n', err: '' });
  });

  it('goes on while another process owns the journal, and ends with Ctrl-C', async () => {
    const at = await logsOf((logs) => logs.appendSync('a', 'line'));
    const path = `${temporary()}/jobs.journal`;
    await owner(path, [['a', { state: 'failed' }]]);
    const { child, seen, ended } = running(['ops', 'log', 'a', '-l', at, '-j', path, '-f']);
    await until(() => seen.out === 'line\n');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, out: 'line\n', err: '' });
  });
});
