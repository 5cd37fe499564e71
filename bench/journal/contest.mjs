// Times candidates that write: in every round each of them the same number of rows, in alternation, on
// files that grow alike. Besides the time it takes, how long of it the event loop was busy: for others
// who want the thread, a wait for the disk inside a call is as long as any other work.

import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newStarts } from './starts.mjs';

/** By candidate, the ns per row in every round: `total`, and `busy` of them. */
export async function writingContest(candidates, { rounds, rows }) {
  for (const candidate of candidates) await timed(candidate, rows);
  const samples = new Map(candidates.map(({ name }) => [name, { total: [], busy: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < candidates.length; turn += 1) {
      const candidate = candidates[(round + turn) % candidates.length];
      const { total, busy } = await timed(candidate, rows);
      samples.get(candidate.name).total.push(total);
      samples.get(candidate.name).busy.push(busy);
    }
  }
  return samples;
}

async function timed({ name, work }, rows) {
  const starts = newStarts(rows);
  globalThis.gc?.();
  await nextTurn();
  const before = performance.eventLoopUtilization();
  const from = performance.now();
  const done = await work(starts);
  const total = performance.now() - from;
  const { active } = performance.eventLoopUtilization(before);
  if (done !== rows) throw new Error(`${name} wrote ${done} of ${rows} rows`);
  return { total: (total * 1e6) / rows, busy: (active * 1e6) / rows };
}
