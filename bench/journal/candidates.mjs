// Who keeps journals: the package under test, better-sqlite3 in three ways, and the disk itself.

import { createRequire } from 'node:module';
import { underTest } from '../candidates.mjs';

/** As many rows as a run makes, and more. */
const BOUNDS = { maxQueued: 1_000_000, maxReservations: 10_000_000 };

export const LABELS = {
  each: 'better-sqlite3, a commit each',
  tick: 'better-sqlite3, a transaction a tick',
  worker: 'better-sqlite3 in a worker thread',
  floor: 'the disk: 4 KB and fdatasync',
};

const KINDS = {
  tenure: async () => underTest.OperationJournal,
  each: async () => (await import('../rivals/sqlite-ways.mjs')).EachSqlite,
  tick: async () => (await import('../rivals/sqlite-ways.mjs')).TickSqlite,
  worker: async () => (await import('../rivals/sqlite-ways.mjs')).WorkerSqlite,
  floor: async () => (await import('../rivals/floor.mjs')).Floor,
};

/** A journal of a candidate in a file, made if there is none. */
export async function openJournal(name, path, options = { bounds: BOUNDS }) {
  return (await KINDS[name]()).open(path, options);
}

/** Why better-sqlite3 cannot be used; undefined if it can. */
export function missingRival() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return undefined;
  } catch (error) {
    return `better-sqlite3 cannot be loaded (${error.message.split('\n')[0]})`;
  }
}
