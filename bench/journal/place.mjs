// Where the files of a run lie: in a folder of its own, on a disk if there is one. In memory a sync costs
// nothing, and who syncs less would gain nothing by it.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const IN_MEMORY = ['tmpfs', 'ramfs'];

/** The type of the file system that holds a folder, and what it is mounted from. */
function fileSystemOf(folder) {
  const path = realpathSync(folder);
  let mounts;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  } catch {
    return { type: `of type 0x${statfsSync(path).type.toString(16)}`, source: process.platform };
  }
  let best = { point: '' };
  for (const line of mounts) {
    const [before, after] = line.split(' - ');
    const point = before.split(' ')[4];
    const [type, source] = after.split(' ');
    const holds = path === point || path.startsWith(point === '/' ? point : point + sep);
    if (holds && point.length >= best.point.length) best = { point, type, source };
  }
  return best;
}

/** A folder to work in, and what is to be said of it. */
export function workplace() {
  mkdirSync(DIST, { recursive: true });
  const places = [DIST, tmpdir()].map((base) => ({ base, ...fileSystemOf(base) }));
  const place = places.find(({ type }) => !IN_MEMORY.includes(type)) ?? places[0];
  const folder = mkdtempSync(join(place.base, 'bench-journal-'));
  const memory = IN_MEMORY.includes(place.type) ? ', in memory: a sync is free here' : '';
  return {
    path: (name) => join(folder, name),
    fileSystem: `${place.type} (${place.source})${memory}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
