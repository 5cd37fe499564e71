// Bytes that a live claim costs. Each reading is a fresh process, the candidates in alternation: it
// makes the claims, keeps their handles in one array, and after forced collections compares with
// before. `rss` is what the process grew by, V8 and Rust alike; `heap` is what V8 counts in use.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// A young generation too small to shrink: its pages would hide what the claims added.
const NODE_FLAGS = ['--expose-gc', '--max-semi-space-size=1'];
const CHILD = fileURLToPath(new URL('./memory-child.mjs', import.meta.url));
const taken = new Map();

/** By candidate, the readings of `perSession` claims in each session; taken once in a run. */
export function liveClaimBytes(names, { perSession, quick }) {
  if (!taken.has(perSession)) taken.set(perSession, take(names, { perSession, quick }));
  return taken.get(perSession);
}

function take(names, { perSession, quick }) {
  const claims = quick ? 5000 : 100_000;
  const readings = new Map(names.map((name) => [name, { rss: [], heap: [] }]));
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    for (const name of names) {
      const { rss, heap } = read(name, claims, perSession);
      readings.get(name).rss.push(rss);
      readings.get(name).heap.push(heap);
    }
  }
  return readings;
}

function read(name, claims, perSession) {
  const child = spawnSync(
    process.execPath,
    [...NODE_FLAGS, CHILD, name, String(claims), String(perSession)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (child.status !== 0) throw new Error(`Measuring the memory of ${name} failed`);
  return JSON.parse(child.stdout);
}
