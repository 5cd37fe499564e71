// How long it takes until a file that was being written to when its process was killed answers again.
// One process fills it and is killed while it goes on writing. Then, in alternation, fresh processes open
// it, read its last row, write a little and are killed as well: each finds what kill -9 has left.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('reopen-child.mjs', import.meta.url));

/** What a process says once it has done its part; it is killed in the midst of the next writes. */
async function killedAfter(args) {
  const stdio = ['pipe', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [CHILD, ...args.map(String)], { stdio });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const said = [];
  for await (const line of lines) {
    said.push(JSON.parse(line));
    if (said.length === 2) break;
  }
  child.kill('SIGKILL');
  await ended;
  if (said.length < 2) throw new Error(`${args.join(' ')} ended before it was killed`);
  return said[0];
}

const filesOf = (path) =>
  readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path)))
    .map((name) => join(dirname(path), name));

/** By candidate, the ns of each opening. */
export async function reopening(names, place, { rows, reopenings }) {
  const pathOf = (name) => place.path(`reopen-${rows}-${name}`);
  const samples = new Map(names.map((name) => [name, []]));
  for (const name of names) await killedAfter(['fill', name, pathOf(name), rows]);
  const bytes = filesOf(pathOf('tenure')).reduce((sum, path) => sum + statSync(path).size, 0);
  for (let round = 0; round < reopenings; round += 1) {
    for (const name of names) {
      const { ms, kept } = await killedAfter(['open', name, pathOf(name), rows]);
      if (!kept) throw new Error(`${name} has lost rows that it had answered for`);
      samples.get(name).push(ms * 1e6);
    }
  }
  for (const name of names) for (const path of filesOf(pathOf(name))) rmSync(path);
  return { samples, megabytes: Math.round(bytes / 1e6) };
}
