// Three ways to write to SQLite from an event loop: a commit for each call, a transaction for what was
// called in one tick, and a thread that commits what waits. All of them answer alike.

import { once } from 'node:events';
import { nextTick } from 'node:process';
import { Worker } from 'node:worker_threads';
import { SqliteFile, createdRow, statusOf } from './sqlite.mjs';

const reservationOf = ({ outcome, status }) => ({ outcome, status: statusOf(status) });

class SqliteJournal {
  constructor(file, { clock = Date.now } = {}) {
    this.file = file;
    this.clock = clock;
  }

  static async open(path, options = {}) {
    return new this(new SqliteFile(path, options.bounds), options);
  }

  reserve(id, digest, payload, scope = '') {
    const text = JSON.stringify(payload);
    return this.write('reserve', { scope, id, digest, text, now: this.clock() }, reservationOf);
  }

  update(id, patch, scope = '') {
    return this.write('update', { scope, id, patch, now: this.clock() }, statusOf);
  }

  status(id, scope = '') {
    const row = this.file.find(id, scope);
    return row === null ? null : statusOf(row);
  }

  page(scope = '', { offset = 0 } = {}) {
    return this.file.page(scope, offset);
  }

  /** Entries of the fence, and what keeps a commit safe. */
  async facts() {
    return { used: this.file.used, safety: this.file.safety };
  }

  async close() {
    this.file.close();
  }
}

/** A commit for each call, before it returns. */
export class EachSqlite extends SqliteJournal {
  reserveSync(id, digest, payload, scope = '') {
    const call = { scope, id, digest, text: JSON.stringify(payload), now: this.clock() };
    return reservationOf(this.file.transact(() => this.file.reserve(call)));
  }

  async write(verb, call, read) {
    return read(this.file.transact(() => this.file[verb](call)));
  }
}

/** Decides calls in one transaction; for each what it answers, or the error it is refused with. */
export function decideTogether(file, calls) {
  return file.transact(() =>
    calls.map(({ verb, call }) => {
      try {
        return { answer: file[verb](call) };
      } catch (error) {
        // A refusal wrote nothing. Anything else undoes all of them.
        if (!error.code?.startsWith('ERR_')) throw error;
        return { code: error.code };
      }
    }),
  );
}

function settle({ resolve, reject, read }, { answer, code }) {
  if (code === undefined) resolve(read(answer));
  else reject(Object.assign(new Error(code), { code }));
}

/** What was called in one tick, handed to `commit` at its end. */
class Collected extends SqliteJournal {
  #waiting = [];

  write(verb, call, read) {
    if (this.#waiting.length === 0)
      void Promise.resolve().then(() => nextTick(() => this.#flush()));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ verb, call, read, resolve, reject });
    });
  }

  #flush() {
    const calls = this.#waiting;
    this.#waiting = [];
    this.commit(calls);
  }
}

/** A transaction for what was called in one tick. */
export class TickSqlite extends Collected {
  commit(calls) {
    try {
      const answers = decideTogether(this.file, calls);
      calls.forEach((call, i) => settle(call, answers[i]));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }
}

/** The file belongs to a thread, which commits together what has reached it meanwhile. */
export class WorkerSqlite extends Collected {
  #sent = [];

  static async open(path, { bounds, clock } = {}) {
    const workerData = { path, bounds };
    const worker = new Worker(new URL('./sqlite-worker.mjs', import.meta.url), { workerData });
    await once(worker, 'message');
    return new this(worker, { clock });
  }

  constructor(worker, options) {
    super(undefined, options);
    this.worker = worker;
    worker.on('message', (answers) => this.#answered(answers));
    worker.on('error', (error) => this.#failed(error));
  }

  commit(calls) {
    // In the order sent, so that answers need no numbers.
    for (const call of calls) this.#sent.push(call);
    this.worker.postMessage(calls.map(({ verb, call }) => ({ verb, call })));
  }

  #answered(answers) {
    const calls = this.#sent.splice(0, answers.length);
    calls.forEach((call, i) => {
      const { answer, code } = answers[i];
      // Of a new row there is one thing only that is not known here.
      const isNew = typeof answer === 'number';
      const whole = isNew ? { outcome: 'created', status: createdRow(call.call, answer) } : answer;
      settle(call, { answer: whole, code });
    });
  }

  #failed(error) {
    for (const { reject } of this.#sent.splice(0)) reject(error);
  }

  status(id, scope = '') {
    return this.write('find', { id, scope }, (row) => (row === null ? null : statusOf(row)));
  }

  page(scope = '', { offset = 0 } = {}) {
    return this.write('page', { scope, offset }, (page) => page);
  }

  facts() {
    return this.write('facts', {}, (facts) => facts);
  }

  async close() {
    await this.write('close', {}, () => undefined);
    await this.worker.terminate();
  }
}
