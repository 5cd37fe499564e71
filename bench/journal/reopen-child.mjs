// A process of reopen.mjs: node reopen-child.mjs fill|open CANDIDATE PATH ROWS. It says how that went, in
// a line, and after its first write of those that follow another one; it ends by itself only if there is
// nobody any more to kill it.

import { createHash, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openJournal } from './candidates.mjs';
import { newStarts } from './starts.mjs';

const BATCH = 1000;
const [, , verb, name, path, count] = process.argv;
const rows = Number(count);

/** The id of the nth row, for whoever asks. */
const idOf = (n) => createHash('sha256').update(`row ${n}`).digest('hex').slice(0, 36);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

async function fill() {
  const journal = await openJournal(name === 'each' ? 'tick' : name, path);
  for (let from = 0; from < rows; from += BATCH) {
    const starts = newStarts(Math.min(BATCH, rows - from));
    const calls = starts.map(({ digest, payload }, i) =>
      journal.reserve(idOf(from + i), digest, payload),
    );
    await Promise.all(calls);
  }
  say({});
  return journal;
}

async function open() {
  // Whoever starts has loaded its modules.
  if (name !== 'tenure') await (await openJournal(name, ':memory:')).close();
  const from = performance.now();
  const journal = await openJournal(name, path);
  const first = journal.status(idOf(0));
  const ms = performance.now() - from;
  const last = journal.status(idOf(rows - 1));
  const used = name === 'tenure' ? journal.stats().fence.used : (await journal.facts()).used;
  const kept = first?.queuePosition === 0 && last?.queuePosition === rows - 1 && used >= rows;
  say({ ms, kept });
  return journal;
}

process.stdin.on('end', () => process.exit(1)).resume();
const journal = verb === 'fill' ? await fill() : await open();
for (let written = 0; ; written += 1) {
  const [{ digest, payload }] = newStarts(1);
  await journal.reserve(randomUUID(), digest, payload);
  await nextTurn();
  if (written === 0) say('goes on');
}
