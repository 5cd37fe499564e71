// `tenure ops list` and `status`: what they show, and that they change nothing.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../cli/terminal/fit.js';
import { ESCAPES, everyState, journalOf, jsonOf, left, printed, tenure } from './cli-kit.js';
import { DIGEST, openJournal, rowIn, walk } from './operations-kit.js';

const rowsOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('tenure ops list', () => {
  it('shows every state there is, newest first', async () => {
    const at = await journalOf(everyState);
    const lines = printed(['ops', 'list', '-j', at]).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +STATE +DONE +ASKED +SEEN +REMARK$/);
    expect(lines.slice(1).map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['interrupted-accepted', 'interrupted'],
      ['interrupted-uncertain', 'interrupted'],
      ['cancelled-accepted', 'cancelled'],
      ['failed-pending', 'failed'],
      ['failed-refused', 'failed'],
      ['succeeded-accepted', 'succeeded'],
      ['running-accepted', 'running'],
      ['running-uncertain', 'running'],
      ['queued-accepted', 'queued'],
      ['queued-pending', 'queued'],
    ]);
    expect(lines[1]).toContain('waits for its runner');
    expect(lines[2]).toContain('waits for a decision');
    expect(lines.at(-1)).toContain('next');
  });

  it('shows what ran when its process died as running, and leaves every byte as it was', async () => {
    const at = await left([['a', { state: 'running', submission: 'uncertain', progress: 0.29 }]]);
    const before = readFileSync(at);
    expect(printed(['ops', 'list', '-j', at])).toMatch(/^a +running +29% .* nobody watches$/m);
    expect(printed(['ops', 'status', 'a', '-j', at])).toMatch(/^state +running$/m);
    printed(['journal', 'stats', '-j', at]);
    printed(['journal', 'verify', '-j', at]);
    printed(['journal', 'export', '-j', at]);
    expect(readFileSync(at).equals(before)).toBe(true);
  });

  it('lists all scopes, one of them, one state, or the newest few', async () => {
    const at = await journalOf((journal) => {
      for (const scope of ['', 'renders']) everyState(journal, scope);
    });
    const ids = (...args: string[]) =>
      rowsOf(printed(['ops', 'list', '-j', at, '--json', ...args])).map(
        ({ scope, operationId }) => `${scope as string}/${operationId as string}`,
      );
    expect(ids()).toHaveLength(20);
    expect(printed(['ops', 'list', '-j', at])).toMatch(/^ID +SCOPE +STATE/);
    expect(ids('--scope', '')).toHaveLength(10);
    expect(ids('--scope', 'renders', '--state', 'running')).toEqual([
      'renders/running-accepted',
      'renders/running-uncertain',
    ]);
    expect(ids('--limit', '1')).toHaveLength(1);
    const few = tenure(['ops', 'list', '-j', at, '--limit', '3']);
    expect(few).toMatchObject({ code: 0, err: '17 more\n' });
    expect(printed(['ops', 'list', '-j', at, '--scope', 'none'])).toBe('');
  });

  it('prints with --json one operation a line, with all that a page of it holds', async () => {
    const at = await journalOf(everyState);
    const rows = rowsOf(printed(['ops', 'list', '-j', at, '--json']));
    const journal = await openJournal(at, { readOnly: true });
    expect(rows).toEqual(journal.page().operations.map((row) => ({ scope: '', ...row })));
    expect(rows.map(({ operationId }) => operationId)).toEqual(walk(journal));
  });

  it('walks through more pages than one', async () => {
    const at = await journalOf(
      (journal) =>
        Promise.all(
          Array.from({ length: 2_500 }, (_, n) => journal.reserve(`op-${n}`, DIGEST, {}, 'many')),
        ),
      { bounds: { maxQueued: 3_000 } },
    );
    expect(rowsOf(printed(['ops', 'list', '-j', at, '--json']))).toHaveLength(2_500);
  });

  const WIDE = '日本語の長い識別子'.repeat(6);
  const wide = () =>
    journalOf((journal) => {
      rowIn(journal, WIDE, 'running/uncertain');
      journal.updateSync(WIDE, { stage: '👩‍👩‍👧‍👦 é 🇯🇵 '.repeat(3), progress: 1 });
      rowIn(journal, 'a', 'failed/pending', 'a scope with a name that is long, too');
      rowIn(journal, 'plain', 'running/pending');
      journal.updateSync('plain', { state: 'failed', error: 'words '.repeat(40) });
    });

  it.each([20, 30, 40, 61, 80, 120])('is never wider than %i columns', async (columns) => {
    const at = await wide();
    const out = printed(['ops', 'list', '-j', at], { env: { COLUMNS: String(columns) } });
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
    expect(out).toContain('…');
    expect(lines[0]).toMatch(/^ID +STATE|^ID +SCOPE +STATE/);
  });

  it('cuts nothing where nobody told how wide the terminal is', async () => {
    const out = printed(['ops', 'list', '-j', await wide()]);
    expect(out).toContain(WIDE);
    expect(out).toContain('words '.repeat(40).trim());
  });

  it('is coloured where colours are wanted, and nowhere else', async () => {
    const at = await journalOf(everyState, { clock: () => 0 });
    const list = (env: Record<string, string>) => printed(['ops', 'list', '-j', at], { env });
    expect(list({})).not.toMatch(ESCAPES);
    expect(list({ NO_COLOR: '1' })).toBe(list({}));
    expect(list({ FORCE_COLOR: '0' })).toBe(list({}));
    expect(list({ FORCE_COLOR: '1' })).toContain('\u001b[31mfailed');
    expect(list({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(list({ FORCE_COLOR: '1' }));
    const painted = list({ FORCE_COLOR: '1', COLUMNS: '40' });
    for (const line of painted.split('\n'))
      // oxlint-disable-next-line no-control-regex
      expect(widthOf(line.replaceAll(/\u001b\[\d+m/g, ''))).toBeLessThanOrEqual(40);
  });
});

describe('text of others', () => {
  const HOSTILE = '\u001b]0;title\u0007\u001b[2J\r\n\u0085\u009b31m\u202eoff\u2066\u200b';

  const hostile = () =>
    journalOf((journal) => {
      // No identifier holds a control character; others it may.
      journal.reserveSync('id\u202e', DIGEST, { [HOSTILE]: HOSTILE }, 'scope\u2066');
      const reference = HOSTILE;
      journal.updateSync(
        'id\u202e',
        { state: 'running', submission: 'accepted', backendReference: reference, stage: HOSTILE },
        'scope\u2066',
      );
      journal.updateSync(
        'id\u202e',
        { state: 'failed', error: HOSTILE, result: { [HOSTILE]: HOSTILE } },
        'scope\u2066',
      );
    });

  it.each([
    ['ops', 'list'],
    ['ops', 'list', '--json'],
    ['ops', 'status', 'id\u202e'],
    ['ops', 'status', 'id\u202e', '--json'],
    ['journal', 'stats'],
    ['journal', 'stats', '--json'],
  ])('reaches no terminal raw: %s %s %s', async (...args) => {
    const out = printed([...args, '-j', await hostile()]);
    expect(out).not.toMatch(ESCAPES);
    expect(out).toMatch(/\\u2066/);
  });

  it('is the same text for a program', async () => {
    const status = jsonOf(['ops', 'status', 'id\u202e', '-j', await hostile()]);
    expect(status).toMatchObject({ error: HOSTILE, stage: HOSTILE, scope: 'scope\u2066' });
    expect(status).toMatchObject({ result: { [HOSTILE]: HOSTILE } });
  });

  it('reaches none with an error either', async () => {
    const at = await hostile();
    for (const args of [
      ['ops', 'status', HOSTILE],
      ['ops', HOSTILE],
      [HOSTILE],
      ['ops', 'list', HOSTILE],
    ])
      for (const json of [[], ['--json']])
        expect(tenure([...args, '-j', at, ...json]).err).not.toMatch(ESCAPES);
  });
});

describe('tenure ops status', () => {
  it('tells everything that is recorded', async () => {
    const at = await journalOf((journal) => {
      rowIn(journal, 'a', 'running/accepted', 's');
      journal.updateSync('a', { progress: 0.5, stage: 'halfway' }, 's');
      journal.requestCancelSync('a', 's');
    });
    const journal = await openJournal(at, { readOnly: true });
    expect(jsonOf(['ops', 'status', 'a', '-j', at])).toEqual({
      scope: 's',
      ...journal.status('a', 's'),
      startedAt: journal.startedAt('a', 's'),
      cancelRequested: true,
    });
    const out = printed(['ops', 'status', 'a', '-j', at]);
    for (const line of [/^scope +s$/m, /^cancel +requested$/m, /^reference +ref-a$/m, /"of": "a"/])
      expect(out).toMatch(line);
  });

  it('shows an input and a result of any size', async () => {
    const text = 'x'.repeat(200_000);
    const at = await journalOf((journal) => {
      journal.reserveSync('a', DIGEST, { text });
      journal.updateSync('a', { state: 'running' });
      journal.updateSync('a', { state: 'succeeded', result: { text } });
    });
    expect(jsonOf(['ops', 'status', 'a', '-j', at])).toMatchObject({
      input: { text },
      result: { text },
    });
  });

  it('finds an id in the one scope that has it, and asks where several have', async () => {
    const at = await journalOf((journal) => {
      rowIn(journal, 'one', 'queued/pending', 'left');
      for (const scope of ['left', 'right']) rowIn(journal, 'two', 'queued/pending', scope);
    });
    expect(jsonOf(['ops', 'status', 'one', '-j', at])).toMatchObject({ scope: 'left' });
    const asked = tenure(['ops', 'status', 'two', '-j', at]);
    expect(asked).toMatchObject({ code: 2, out: '' });
    expect(asked.err).toContain("'left', 'right'. Give --scope.");
    expect(jsonOf(['ops', 'status', 'two', '-j', at, '--scope', 'right'])).toMatchObject({
      scope: 'right',
    });
  });

  it('says that there is no such operation, with an exit code of its own', async () => {
    const at = await journalOf(everyState);
    const { code, out, err } = tenure(['ops', 'status', 'nobody', '-j', at]);
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err).toBe(
      "tenure: There is no operation 'nobody' in the history of any scope. (ERR_OPERATION_UNKNOWN)\n",
    );
    const { err: asJson } = tenure(['ops', 'status', 'nobody', '--scope', 's', '-j', at, '--json']);
    expect(JSON.parse(asJson)).toEqual({
      error: {
        code: 'ERR_OPERATION_UNKNOWN',
        message: "There is no operation 'nobody' in the history of scope 's'.",
        operationId: 'nobody',
        scope: 's',
        exitCode: 5,
      },
    });
  });
});
