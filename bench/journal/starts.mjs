// What is reserved: a fresh id, an input whose JSON text has 1 024 bytes, and its digest.

import { randomUUID } from 'node:crypto';
import { underTest } from '../candidates.mjs';

const BYTES = 1024;
let made = 0;

/** No two alike; one in eight is not ASCII. */
function input() {
  made += 1;
  const value = {
    model: 'general-2',
    task: `${made} ${made % 8 === 0 ? '✅ ' : ''}`,
    files: Array.from({ length: 6 }, (_, i) => `src/parser/part-${made % 97}/file-${i}.ts`),
    limits: { tokens: 4096, seconds: 90.5, retries: 2 },
    tags: ['nightly', 'parser'],
    dryRun: false,
  };
  const room = BYTES - Buffer.byteLength(JSON.stringify(value));
  const text = value.task + 'look at the failing case first; '.repeat(40).slice(0, room);
  // One flat string, as it would come from a socket.
  value.task = Buffer.from(text).toString();
  return value;
}

export function newStarts(count) {
  return Array.from({ length: count }, () => {
    const payload = input();
    return { id: randomUUID(), digest: underTest.inputDigest('', payload), payload };
  });
}
