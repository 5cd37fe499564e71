import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { OperationJournal } from '../index.js';
import {
  collectTurns,
  gathered,
  operationItems,
  timeline,
  timelineArguments,
  timelineHelp,
  timelineSaid,
  type Item,
  type TimelineOptions,
} from '../cli/timeline/index.js';
import { at } from '../scripts/support/paths.mjs';
import { DIGEST, handClock, inMemory, temporary } from './operations-kit.js';

const openRows = (file: string): Promise<OperationJournal> => OperationJournal.open(file);

/** A journal file with one operation in each of two scopes. */
async function journalFile(): Promise<string> {
  const file = path.join(temporary(), 'jobs.journal');
  const journal = await OperationJournal.open(file);
  await journal.reserve('op-1', DIGEST, { secret: 'of the input' }, 'render');
  await journal.reserve('op-2', DIGEST, {}, 'training');
  await journal.close();
  return file;
}

function options(file: string, rest: Partial<TimelineOptions> = {}): TimelineOptions {
  return { file, journals: [], turns: [], openRows, ...rest };
}

const turn = (fields: object): string =>
  JSON.stringify({ type: 'turn', sessionId: 's', turnId: 't', ...fields });

// -- operations -------------------------------------------------------------------

test('an operation has the times of its row: waited, ran, ended', () => {
  const clock = handClock(1_000);
  const journal = inMemory(undefined, clock.read);
  journal.reserveSync('op', DIGEST, {}, 'render');
  clock.now = 3_000;
  journal.updateSync('op', { state: 'running', submission: 'uncertain' }, 'render');
  clock.now = 5_000;
  journal.updateSync(
    'op',
    { submission: 'accepted', backendReference: 'secret', progress: 0.4, stage: 'tiles' },
    'render',
  );
  clock.now = 9_000;
  journal.updateSync('op', { state: 'failed', error: 'no room' }, 'render');
  const [item] = operationItems(journal, 3);
  expect(JSON.stringify(item)).not.toContain('secret');
  expect(item).toMatchObject({
    kind: 'operation',
    id: 'op',
    scope: 'render',
    source: 3,
    state: 'failed',
    label: 'tiles',
    queuedAt: 1_000,
    startedAt: 3_000,
    endedAt: 9_000,
  });
  expect(new Map(item?.facts)).toEqual(
    new Map([
      ['Error', 'no room'],
      ['Stage', 'tiles'],
      ['Progress', '40 %'],
      ['Submission', 'accepted'],
      ['Input digest', `${DIGEST.slice(0, 12)}…`],
    ]),
  );
});

test('an operation that waits has a place in the queue, and neither a start nor an end', () => {
  const journal = inMemory();
  journal.reserveSync('first', DIGEST, {});
  journal.reserveSync('second', DIGEST, {});
  const [second] = operationItems(journal, 0);
  expect(second).toMatchObject({ id: 'second', state: 'queued' });
  expect(second).not.toHaveProperty('startedAt');
  expect(second).not.toHaveProperty('endedAt');
  expect(new Map(second?.facts).get('Place in the queue')).toBe('2');
});

test('every page of every scope is read, once', () => {
  const journal = inMemory({ pageSize: 3 });
  const ids = Array.from({ length: 10 }, (_, index) => `op-${index}`);
  for (const scope of ['', 'render', 'training'])
    for (const id of ids) journal.reserveSync(id, DIGEST, {}, scope);
  const items = [...operationItems(journal, 0)];
  expect(items.map(({ scope, id }) => `${scope}/${id}`).sort()).toEqual(
    ['', 'render', 'training'].flatMap((scope) => ids.map((id) => `${scope}/${id}`)).sort(),
  );
  const only = [...operationItems(journal, 0, ['render', 'unknown'])];
  expect(only.map(({ scope }) => scope)).toEqual(ids.map(() => 'render'));
});

// -- turns ------------------------------------------------------------------------

test('the lines of a turn are put together: a later field counts, one left out stays', async () => {
  const { items, skipped } = await collectTurns(
    [
      turn({ runId: 'r', state: 'queued', queuedAt: 1, label: 'make' }),
      turn({ runId: 'r', state: 'running', startedAt: 5 }),
      turn({ runId: 'r', state: 'failed', endedAt: 9, seenAt: 9, error: 'code 2' }),
    ],
    7,
  );
  expect(skipped).toBe(0);
  expect(items).toEqual<Item[]>([
    {
      kind: 'turn',
      id: 't',
      scope: 's',
      source: 7,
      state: 'failed',
      label: 'make',
      queuedAt: 1,
      startedAt: 5,
      endedAt: 9,
      seenAt: 9,
      facts: [
        ['Error', 'code 2'],
        ['Label', 'make'],
        ['Run', 'r'],
      ],
    },
  ]);
});

test('runs of one turn, and turns of one name in two sessions, are kept apart', async () => {
  const { items } = await collectTurns(
    [
      turn({ runId: 'a', state: 'failed' }),
      turn({ runId: 'b', state: 'running' }),
      turn({ sessionId: 'other', runId: 'a', state: 'queued' }),
      turn({ state: 'cancelled' }),
    ],
    0,
  );
  expect(items.map(({ state }) => state)).toEqual(['failed', 'running', 'queued', 'cancelled']);
});

test('lines of others are passed over, lines that are wrong are counted', async () => {
  const wrong = [
    'no JSON',
    '{"type":"turn"',
    turn({ state: 'done' }),
    turn({ state: 'running', sessionId: 1 }),
    turn({ state: 'running', turnId: null }),
    turn({ state: 'running', startedAt: '2026-11-24' }),
    turn({ state: 'running', startedAt: -1 }),
    turn({ state: 'running', endedAt: 8.65e15 }),
    turn({ state: 'running', label: {} }),
  ];
  const others = ['', '  ', '{"type":"note"}', '[]', '1', 'null', '{"type":["turn"]}'];
  const right = turn({ state: 'running', startedAt: null, extra: { of: 'mine' } });
  const { items, skipped } = await collectTurns([...wrong, ...others, right], 0);
  expect(skipped).toBe(wrong.length);
  expect(items).toHaveLength(1);
  expect(items[0]).not.toHaveProperty('startedAt');
});

// -- the file ---------------------------------------------------------------------

test('a page is written with the operations of all journals and the turns of all files', async () => {
  const [one, two] = [await journalFile(), await journalFile()];
  const turns = path.join(temporary(), 'turns.jsonl');
  writeFileSync(turns, `${turn({ state: 'running' })}\n{"torn`);
  const file = path.join(temporary(), 'page.html');
  const written = await timeline(options(file, { journals: [one, two], turns: [turns] }));
  const text = readFileSync(file, 'utf8');
  expect(written).toEqual({
    file,
    operations: 4,
    turns: 1,
    bytes: Buffer.byteLength(text),
    notes: [`${turns}: 1 line could not be read`],
  });
  const size = Math.ceil(Buffer.byteLength(text) / 1024);
  expect(timelineSaid(written)).toBe(
    `Wrote ${file}: 4 operations, 1 turn, ${size} KB.\n${written.notes[0]}.\n`,
  );
  expect(text).not.toContain('of the input');
  // A journal that was read is let go.
  await (await OperationJournal.open(one)).close();
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(path.dirname(file))).toEqual(['page.html']);
});

test('scopes choose operations by their scope and turns by their session', async () => {
  const journal = await journalFile();
  const turns = path.join(temporary(), 'turns.jsonl');
  writeFileSync(
    turns,
    [turn({ state: 'running' }), turn({ sessionId: 'x', state: 'failed' })].join('\n'),
  );
  const data = await gathered({
    journals: [journal],
    turns: [turns],
    scopes: ['training', 'x'],
    openRows,
    now: () => 5,
  });
  expect(data.items.map(({ scope }) => scope)).toEqual(['training', 'x']);
  expect(data.writtenAt).toBe(5);
});

test('a page takes the place of an earlier one, and of nothing else unless forced', async () => {
  const journal = await journalFile();
  const file = path.join(temporary(), 'page.html');
  await timeline(options(file));
  await timeline(options(file, { journals: [journal] }));
  expect(readFileSync(file, 'utf8')).toContain('op-2');

  const mine = path.join(temporary(), 'mine.html');
  writeFileSync(mine, '<!doctype html>\n<p>mine');
  await expect(timeline(options(mine))).rejects.toMatchObject({ code: 'ERR_TIMELINE_EXISTS' });
  // Such a slip of the hand would be the end of a journal.
  await expect(timeline(options(journal))).rejects.toMatchObject({ code: 'ERR_TIMELINE_EXISTS' });
  expect(readFileSync(mine, 'utf8')).toBe('<!doctype html>\n<p>mine');
  await timeline(options(mine, { force: true }));
  expect(readFileSync(mine, 'utf8')).toContain('<!-- tenure timeline -->');
});

test('when a source cannot be read, no page is written and every journal is let go', async () => {
  const journal = await journalFile();
  const file = path.join(temporary(), 'page.html');
  const missing = path.join(temporary(), 'missing.jsonl');
  const asked = options(file, { journals: [journal], turns: [missing] });
  await expect(timeline(asked)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(file)).toBe(false);
  await (await OperationJournal.open(journal)).close();
});

// -- the call ---------------------------------------------------------------------

test('a call names a file, and as many journals, files of turns and scopes as wanted', () => {
  const argv = 'page.html -j one --journal two -t three --scope a -s b --force --json'.split(' ');
  expect(timelineArguments(argv, { TENURE_JOURNAL: 'four' })).toEqual({
    file: 'page.html',
    journals: ['one', 'two'],
    turns: ['three'],
    scopes: ['a', 'b'],
    force: true,
    json: true,
  });
  for (const option of ['journal', 'turns', 'scope', 'force', 'json', 'help'])
    expect(timelineHelp).toContain(`--${option}`);
});

test('TENURE_JOURNAL stands in for a call that names nothing to show', () => {
  const env = { TENURE_JOURNAL: 'mine' };
  expect(timelineArguments(['page.html'], env)).toMatchObject({ journals: ['mine'], turns: [] });
  expect(timelineArguments(['page.html', '-t', 'x'], env)).toMatchObject({ journals: [] });
  expect(timelineArguments(['page.html', '-h'], {})).toBe('help');
});

test.each([
  [[], 'FILE.html is missing'],
  [['a.html'], 'Of what?'],
  [['a.html', 'b.html', '-j', 'x'], "Unexpected argument 'b.html'"],
  [['a.html', '-j', ''], 'the name of a file'],
  [['a.html', '--colour', 'x'], "Unknown option '--colour'"],
  [['a.html', '--journal'], 'argument missing'],
])('the words %j are refused, and it is said why', (argv, why) => {
  expect(() => timelineArguments(argv, {})).toThrow(
    expect.objectContaining({ name: 'WrongArguments', message: expect.stringContaining(why) }),
  );
});

test('the lines of the documentation are lines of turns', async () => {
  const text = readFileSync(at('docs', 'timeline.md'), 'utf8');
  const [, lines = ''] = /```jsonl\n(.*?)```/s.exec(text) ?? [];
  const { items, skipped } = await collectTurns(lines.split('\n'), 0);
  expect(skipped).toBe(0);
  expect(items.map(({ state }) => state)).toEqual(['succeeded', 'interrupted']);
});
