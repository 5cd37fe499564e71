// One reading of memory.mjs: node --expose-gc memory-child.mjs CANDIDATE CLAIMS PER_SESSION

import { setImmediate as nextTick } from 'node:timers/promises';
import { newCore } from './candidates.mjs';

const [, , name, claimCount, perSession] = process.argv;
const claims = Number(claimCount);

async function settled() {
  for (let i = 0; i < 3; i += 1) {
    await nextTick();
    globalThis.gc();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}

/** Short-lived objects, so that the collector has what it needs before the first reading. */
function churn() {
  const ring = new Array(64);
  for (let i = 0; i < 2_000_000; i += 1) ring[i % ring.length] = { i, text: `${i}` };
  return ring.length;
}

function makeClaims(core, held, prefix) {
  let sessionId;
  for (let i = 0; i < held.length; i += 1) {
    if (i % Number(perSession) === 0) sessionId = `${prefix}-${String(i).padStart(30, '0')}`;
    held[i] = core.claimExecution(sessionId);
  }
}

const core = newCore(name);
const warm = new Array(500).fill(undefined);
const held = new Array(claims).fill(undefined);
makeClaims(core, warm, 'warm');
for (const claim of warm) claim.release();
warm.fill(undefined);
const churned = churn();
const before = await settled();
makeClaims(core, held, 'live');
const after = await settled();
process.stdout.write(
  JSON.stringify({
    rss: (after.rss - before.rss) / claims,
    heap: (after.heap - before.heap) / claims,
    held: held.length + churned,
  }),
);
