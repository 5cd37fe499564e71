import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { gathered, readTurns, type Item } from '../cli/timeline/index.js';
import { OperationJournal } from '../index.js';
import { assertBuilt, start, stateFolder } from './fixtures/kernel/terminal.ts';

beforeAll(assertBuilt);

const told = ({ state, label, facts = [] }: Item): unknown[] => [
  state,
  label,
  new Map(facts).get('Kind'),
];

test('the example writes down its turns, so that a timeline shows them with their operations', async () => {
  const state = await stateFolder();
  const script = `
    echo one
    !wait
    echo two ;; sleep 30
    !until $ sleep 30
    /stop
    !wait
  `;
  expect(await (await start(script, [], state)).ended).toMatchObject({ code: 0 });
  const data = await gathered({
    journals: [join(state, 'journal')],
    turns: [join(state, 'turns.jsonl')],
    openRows: (path) => OperationJournal.open(path),
  });
  expect(data.notes).toEqual([]);
  const [operations, turns] = ['operation', 'turn'].map((wanted) =>
    data.items.filter(({ kind }) => kind === wanted),
  );
  expect(turns?.map(told)).toEqual([
    ['succeeded', 'echo one', 'turn'],
    ['cancelled', 'echo two ;; sleep 30', 'turn'],
  ]);
  expect(operations).toHaveLength(3);
  for (const { queuedAt = 0, startedAt = 0, endedAt = 0 } of turns ?? []) {
    expect(startedAt).toBeGreaterThanOrEqual(queuedAt);
    expect(endedAt).toBeGreaterThanOrEqual(startedAt);
    // Its steps ran while it did.
    const steps = operations?.filter((step) => (step.queuedAt ?? 0) >= queuedAt);
    expect(steps?.some((step) => (step.queuedAt ?? 0) <= endedAt)).toBe(true);
  }
});

test('a turn that died with its process is interrupted in the next life, a refused one has failed', async () => {
  const state = await stateFolder();
  const file = join(state, 'turns.jsonl');
  // Short: the step goes on, and the next life waits for its end.
  const first = await start('echo begun ;; sleep 2\n!until $ sleep 2\n!crash\n', [], state);
  await first.ended;
  expect((await readTurns(file, 0)).items.map(told)).toEqual([
    ['running', 'echo begun ;; sleep 2', 'turn'],
  ]);
  // As an append that the crash cut short.
  appendFileSync(file, '{"type":"turn","sess');
  const script = `
    /session other
    echo x ;; sleep 30
    !until $ sleep 30
    /fail stop
    /stop
    !until ERR_STOP_FAILED
    echo refused
    !until refused: ERR_SESSION_QUARANTINED
    /stop
    !wait
  `;
  const second = await start(script, [], state);
  expect(await second.ended).toMatchObject({ code: 0 });
  const { items, skipped } = await readTurns(file, 0);
  expect(skipped).toBe(1);
  expect(items.map(({ scope, state: how }) => [scope, how])).toContainEqual([
    'main',
    'interrupted',
  ]);
  expect(items.map(told)).toContainEqual(['failed', 'echo refused', 'turn']);
  const [interrupted] = items;
  expect(interrupted?.seenAt).toBeGreaterThanOrEqual(interrupted?.startedAt ?? Infinity);
  expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true);
});
