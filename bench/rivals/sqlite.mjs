// The journal's facts in SQLite, the way one would keep them with better-sqlite3: a write-ahead log that
// is synced at every commit, prepared statements, an index for each question, and counts in memory. It
// knows neither pruning nor watchers nor bounds on sizes, and takes what it is given for plain JSON.

import Database from 'better-sqlite3';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS fence (
  scope TEXT NOT NULL,
  id TEXT NOT NULL,
  number INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (scope, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS operations (
  number INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  submission TEXT NOT NULL,
  progress REAL,
  stage TEXT,
  submitted_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  cancel INTEGER NOT NULL,
  stale INTEGER NOT NULL,
  digest TEXT NOT NULL,
  reference TEXT,
  error TEXT,
  input TEXT NOT NULL,
  result TEXT
);
CREATE INDEX IF NOT EXISTS operations_of_scope ON operations (scope);
CREATE INDEX IF NOT EXISTS operations_waiting ON operations (scope)
  WHERE state = 'queued' AND submission = 'pending';
CREATE INDEX IF NOT EXISTS operations_sent ON operations (scope)
  WHERE finished_at IS NULL AND NOT (state = 'queued' AND submission = 'pending');
`;

// What may be long comes last: reading the rest does not pass over it.
const LISTED = `operations.number, operations.id, state, submission, progress, stage, submitted_at,
  updated_at, finished_at, stale, operations.digest, error, started_at`;
const WAITING = `state = 'queued' AND submission = 'pending'`;
const STATEMENTS = {
  held: 'SELECT number, digest FROM fence WHERE scope = ? AND id = ?',
  fence: 'INSERT INTO fence VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  create: `INSERT INTO operations VALUES
    (?, ?, ?, 'queued', 'pending', NULL, NULL, ?, ?, NULL, NULL, 0, 0, ?, NULL, NULL, ?, NULL)`,
  find: `SELECT ${LISTED}, reference, input, result
    FROM fence JOIN operations USING (number) WHERE fence.scope = ? AND fence.id = ?`,
  update: `UPDATE operations SET state = ?, submission = ?, progress = ?, stage = ?, updated_at = ?,
      started_at = ?, finished_at = ?, stale = 0, reference = ?, error = ?, result = ?
    WHERE number = ?`,
  page: `SELECT ${LISTED} FROM operations
    WHERE scope = ? AND number < ? ORDER BY number DESC LIMIT ?`,
  ahead: `SELECT count(*) FROM operations WHERE scope = ? AND ${WAITING} AND number < ?`,
  counts: `SELECT scope, state, ${WAITING} AS waiting, count(*) AS count FROM operations
    GROUP BY scope, state, waiting`,
  reserved: 'SELECT count(*) AS fence, coalesce(max(number), 0) + 1 AS next FROM fence',
  interrupt: `UPDATE operations SET stale = 1, state = 'interrupted'
    WHERE finished_at IS NULL AND NOT (${WAITING}) AND NOT (state = 'interrupted' AND stale)`,
};

const PATCHED = ['state', 'submission', 'progress', 'stage', 'backendReference', 'result', 'error'];
const ENDS = ['succeeded', 'failed', 'cancelled'];

function movesOf({ state }, next) {
  const accepted = next.submission === 'accepted';
  const back = accepted ? ['queued'] : [];
  if (state === 'queued' && accepted) return ['queued', 'running', 'interrupted', ...ENDS];
  if (state === 'queued') return ['running', 'failed', 'cancelled', 'interrupted'];
  if (state === 'running') return ['running', 'interrupted', ...ENDS, ...back];
  return ['running', ...ENDS, ...back];
}

const refused = (code) => Object.assign(new Error(code), { code });
const isWaiting = ({ state, submission }) => state === 'queued' && submission === 'pending';

/** The members of a status; input and result still text. */
const rowOf = (cells, queuePosition = null) => ({
  operationId: cells[1],
  state: cells[2],
  submission: cells[3],
  progress: cells[4],
  stage: cells[5],
  queuePosition,
  submittedAt: cells[6],
  updatedAt: cells[7],
  finishedAt: cells[8],
  stale: cells[9] !== 0,
  inputDigest: cells[10],
  backendReference: cells[13] ?? null,
  input: cells[14] ?? null,
  result: cells[15] ?? null,
  error: cells[11],
});

/** A row as it begins. */
export const createdRow = ({ id, digest, text, now }, queuePosition) => ({
  operationId: id,
  state: 'queued',
  submission: 'pending',
  progress: null,
  stage: null,
  queuePosition,
  submittedAt: now,
  updatedAt: now,
  finishedAt: null,
  stale: false,
  inputDigest: digest,
  backendReference: null,
  input: text,
  result: null,
  error: null,
});

/** A row as callers see it: a status of their own. */
export function statusOf(row) {
  if (row.input !== null) row.input = JSON.parse(row.input);
  if (row.result !== null) row.result = JSON.parse(row.result);
  return row;
}

/** One connection. Its calls answer rows, with input and result as text. */
export class SqliteFile {
  #db;
  #sql;
  #bounds;
  #counted;

  constructor(path, bounds = {}) {
    this.#bounds = { maxQueued: 1000, maxReservations: 100_000, pageSize: 50, ...bounds };
    this.#db = new Database(path);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.pragma('cache_size = -32768');
    this.#db.exec(SCHEMA);
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, this.#db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
    this.#sql.ahead.pluck();
    this.#sql.find.raw();
    this.#sql.page.raw();
    this.#sql.interrupt.run();
    this.together = this.#db.transaction((work) => work());
  }

  /** What keeps a commit safe, as it is in force. */
  get safety() {
    const [mode, level] = ['journal_mode', 'synchronous'];
    return [this.#db.pragma(mode, { simple: true }), this.#db.pragma(level, { simple: true })];
  }

  /** Work in a transaction. What fails is undone, and what was counted is counted anew. */
  transact(work) {
    try {
      return this.together(work);
    } catch (error) {
      this.#counted = undefined;
      throw error;
    }
  }

  // Nobody else writes, so that counting once is enough.
  #counts() {
    if (this.#counted === undefined) {
      const scopes = new Map();
      this.#counted = { scopes, ...this.#sql.reserved.get() };
      for (const { scope, state, waiting, count } of this.#sql.counts.all()) {
        const counts = this.#countsOf(scope);
        counts[state] += count;
        if (waiting) counts.waiting += count;
      }
    }
    return this.#counted;
  }

  #countsOf(scope) {
    const { scopes } = this.#counts();
    let counts = scopes.get(scope);
    if (counts === undefined) {
      counts = { waiting: 0, queued: 0, running: 0, interrupted: 0 };
      for (const state of ENDS) counts[state] = 0;
      scopes.set(scope, counts);
    }
    return counts;
  }

  /** Entries of the fence. */
  get used() {
    return this.#counts().fence;
  }

  /** Inside a transaction, as `update`. A refusal has written nothing. */
  reserve({ scope, id, digest, text, now }) {
    const counts = this.#countsOf(scope);
    const all = this.#counts();
    const full = counts.waiting >= this.#bounds.maxQueued && 'ERR_QUEUE_FULL';
    const noRoom = full || (all.fence >= this.#bounds.maxReservations && 'ERR_FENCE_FULL');
    if (noRoom || this.#sql.fence.run(scope, id, all.next, digest).changes === 0) {
      const held = this.#sql.held.get(scope, id);
      if (held === undefined) throw refused(noRoom);
      if (held.digest !== digest) throw refused('ERR_OPERATION_CONFLICT');
      return { outcome: 'existing', status: this.find(id, scope) };
    }
    const number = all.next;
    this.#sql.create.run(number, scope, id, now, now, digest, text);
    all.next += 1;
    all.fence += 1;
    counts.queued += 1;
    counts.waiting += 1;
    return {
      outcome: 'created',
      status: createdRow({ id, digest, text, now }, counts.waiting - 1),
    };
  }

  update({ scope, id, patch, now }) {
    const cells = this.#sql.find.get(scope, id);
    if (cells === undefined) throw refused('ERR_OPERATION_UNKNOWN');
    const row = rowOf(cells);
    if (row.finishedAt !== null) throw refused('ERR_OPERATION_TERMINAL');
    const next = { ...row, updatedAt: Math.max(row.updatedAt, now), stale: false };
    for (const name of PATCHED) if (patch[name] !== undefined) next[name] = patch[name];
    if (patch.result) next.result = JSON.stringify(patch.result);
    if (!movesOf(row, next).includes(next.state)) throw refused('ERR_OPERATION_TRANSITION');
    if (ENDS.includes(next.state)) next.finishedAt = next.updatedAt;
    const [number] = cells;
    this.#sql.update.run(
      next.state,
      next.submission,
      next.progress,
      next.stage,
      next.updatedAt,
      cells[12] ?? (next.state === 'running' ? next.updatedAt : null),
      next.finishedAt,
      next.backendReference,
      next.error,
      next.result,
      number,
    );
    const counts = this.#countsOf(scope);
    counts[row.state] -= 1;
    counts[next.state] += 1;
    counts.waiting += Number(isWaiting(next)) - Number(isWaiting(row));
    return next;
  }

  find(id, scope) {
    const cells = this.#sql.find.get(scope, id);
    if (cells === undefined) return null;
    const row = rowOf(cells);
    if (isWaiting(row)) row.queuePosition = this.#sql.ahead.get(scope, cells[0]);
    return row;
  }

  page(scope, offset) {
    const { pageSize } = this.#bounds;
    const rows = this.#sql.page.all(scope, offset || Number.MAX_SAFE_INTEGER, pageSize + 1);
    const nextOffset = rows.length > pageSize ? rows[pageSize - 1][0] : null;
    const { queued, running, interrupted, waiting } = this.#countsOf(scope);
    let behind = offset === 0 ? waiting : undefined;
    const operations = rows.slice(0, pageSize).map((cells) => {
      const row = rowOf(cells);
      if (!isWaiting(row)) return row;
      behind ??= this.#sql.ahead.get(scope, cells[0]) + 1;
      behind -= 1;
      row.queuePosition = behind;
      return row;
    });
    return { operations, nextOffset, active: queued + running, outstanding: interrupted };
  }

  close() {
    this.#db.close();
  }
}
