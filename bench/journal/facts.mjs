// What a journal answers, as plain data: a rival that answers otherwise is no rival. And what it did: a
// row that was answered for but is not there, or was not synced, was not timed but lost.

import assert from 'node:assert/strict';
import { openJournal } from './candidates.mjs';

const INPUT = { task: 'look', files: ['a.ts', 'ü ✅.ts'], limits: { seconds: 0.5 } };
const WAL_AND_FULL = ['wal', 2];

async function answerOf(task) {
  try {
    return await task();
  } catch (error) {
    return error.code ?? error;
  }
}

async function pagesOf(journal, scope) {
  const first = await journal.page(scope);
  if (first.nextOffset === null) return [first];
  const second = await journal.page(scope, { offset: first.nextOffset });
  return [{ ...first, nextOffset: 'more' }, second];
}

async function journalFacts(name, path) {
  let time = 0;
  let steps = 0;
  const options = { bounds: { maxQueued: 3, pageSize: 2 }, clock: () => time };
  let journal = await openJournal(name, path, options);
  const facts = [];
  const ask = async (...tasks) => {
    steps += 1;
    time = 1000 * steps;
    facts.push(await Promise.all(tasks.map((task) => answerOf(() => task(journal)))));
  };
  const ids = ['op-1', 'op-2', 'op-3'];
  await ask(...ids.map((id) => (it) => it.reserve(id, `digest of ${id}`, { id, ...INPUT })));
  await ask(
    (it) => it.reserve('op-1', 'digest of op-1', INPUT),
    (it) => it.reserve('op-1', 'another digest', INPUT),
    (it) => it.reserve('op-4', 'digest of op-4', INPUT),
    (it) => it.reserve('op-1', 'digest', {}, 'another scope'),
  );
  await ask(
    (it) => it.update('op-1', { state: 'running', submission: 'uncertain' }),
    (it) =>
      it.update('op-1', { submission: 'accepted', backendReference: 'job 1', progress: 0.25 }),
    (it) => it.update('op-2', { state: 'failed', error: 'no' }),
    (it) => it.update('op-2', { stage: 'late' }),
    (it) => it.update('op-3', { state: 'succeeded' }),
    (it) => it.update('op-5', { state: 'running' }),
    (it) => it.reserve('op-4', 'digest of op-4', INPUT),
  );
  const look = () =>
    ask(
      ...[...ids, 'op-4', 'op-5'].map((id) => (it) => it.status(id)),
      (it) => it.status('op-1', 'another scope'),
      (it) => it.status('op-2', 'another scope'),
      (it) => pagesOf(it, ''),
      (it) => pagesOf(it, 'another scope'),
    );
  await look();
  await journal.close();
  // Whether opening asks the clock is everybody's own affair.
  time = 0;
  journal = await openJournal(name, path, options);
  await look();
  await ask(
    (it) => it.update('op-1', { state: 'succeeded', progress: null, result: { files: 2 } }),
    (it) => it.reserve('op-4', 'digest of op-4', INPUT),
  );
  await look();
  facts.push(await usedOf(name, journal));
  await journal.close();
  return facts;
}

async function usedOf(name, journal) {
  return name === 'tenure' ? journal.stats().fence.used : (await journal.facts()).used;
}

/** Every candidate answers as the first one. */
export async function assertAlike([first, ...rivals], pathOf) {
  const expected = await journalFacts(first, pathOf(first));
  for (const name of rivals.filter((name) => name !== 'floor')) {
    assert.deepEqual(await journalFacts(name, pathOf(name)), expected, `${name} answers otherwise`);
  }
}

/** All that was reserved is there, and was on the disk when it was answered for. */
export async function assertKept(name, journal, { rows, commits }) {
  if (name === 'floor') return;
  assert.equal(await usedOf(name, journal), rows, `${name} has not kept every row`);
  if (name !== 'tenure') {
    assert.deepEqual((await journal.facts()).safety, WAL_AND_FULL, `${name} does not sync`);
    return;
  }
  const { fsyncs } = journal.stats();
  assert.ok(fsyncs >= commits, `tenure synced ${fsyncs} times for ${commits} commits at least`);
}
