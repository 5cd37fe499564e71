// Times rival candidates against each other: warmed up alike, run in alternation, judged by medians
// of ratios, so that a machine that slows down slows all of them.

import { performance } from 'node:perf_hooks';

export const BUDGETS = {
  full: { warmMs: 120, roundMs: 40, rounds: 9 },
  quick: { warmMs: 1, roundMs: 1, rounds: 1 },
};

const LARGEST_ROUND = 2_000_000;

let kept = 0;

/** Uses what a timed body returned, so that no compiler may drop the work behind it. */
export function keep(value) {
  if (!Number.isFinite(value)) throw new Error(`A timed body returned ${value}, not a number`);
  kept = (kept + value) % 1_000_003;
}

export const keptSum = () => kept;

/**
 * A timed run of `body(n)`, which works `n` times and returns a number. Between slices the
 * microtasks that the work has queued are run: who makes promises pays for them here.
 */
export function timedLoop(body, slice = 64) {
  return async (n) => {
    let sum = 0;
    const start = performance.now();
    for (let left = n; left > 0; left -= slice) {
      sum += body(Math.min(slice, left));
      await undefined;
    }
    const elapsed = performance.now() - start;
    keep(sum);
    return elapsed * 1e6;
  };
}

/** Runs the candidates in alternation; the ns per unit of each in every round, by name. */
export async function contest(candidates, budget) {
  const sizes = await warmUp(candidates, budget);
  const samples = new Map(candidates.map(({ name }) => [name, []]));
  for (let round = 0; round < budget.rounds; round += 1) {
    globalThis.gc?.();
    for (let turn = 0; turn < candidates.length; turn += 1) {
      const { name, run } = candidates[(round + turn) % candidates.length];
      const size = sizes.get(name);
      samples.get(name).push((await run(size)) / size);
    }
  }
  return samples;
}

async function warmUp(candidates, budget) {
  const state = new Map(candidates.map(({ name }) => [name, { size: 1, spent: 0, pace: 0 }]));
  const cold = () => candidates.filter(({ name }) => state.get(name).spent < budget.warmMs * 1e6);
  for (let pending = cold(); pending.length > 0; pending = cold()) {
    for (const { name, run } of pending) {
      const own = state.get(name);
      const ns = await run(own.size);
      own.spent += ns;
      own.pace = ns / own.size;
      if (ns < budget.roundMs * 2.5e5) own.size = Math.min(own.size * 4, LARGEST_ROUND);
    }
  }
  return new Map(
    candidates.map(({ name }) => {
      const size = Math.round((budget.roundMs * 1e6) / Math.max(state.get(name).pace, 1));
      return [name, Math.max(1, Math.min(size, LARGEST_ROUND))];
    }),
  );
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Both medians, and the median and the extremes of the ratios round by round. */
export function compare(own, rival) {
  const ratios = own.map((value, round) => value / rival[round]);
  return {
    own: median(own),
    rival: median(rival),
    ratio: median(ratios),
    low: Math.min(...ratios),
    high: Math.max(...ratios),
  };
}
