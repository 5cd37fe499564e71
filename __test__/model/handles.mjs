// Handles and promises of the reference model.
import { closedError, coded } from './errors.mjs';

const states = new WeakMap();

/** A handle is an object of its class that only `make` can bring about. */
export class Handle {
  constructor() {
    throw coded(new TypeError('Illegal constructor'), 'ERR_INVALID_THIS');
  }
}

export function make(Class, state) {
  const handle = Object.create(Class.prototype);
  states.set(handle, { Class, state });
  return handle;
}

/** The state behind a handle, or undefined when it is not a handle of that class. */
export function peek(handle, Class) {
  const found = typeof handle === 'object' && handle !== null ? states.get(handle) : undefined;
  return found?.Class === Class ? found.state : undefined;
}

export function own(handle, Class) {
  const state = peek(handle, Class);
  if (!state) throw coded(new TypeError(`Not a ${Class.name}`), 'ERR_INVALID_THIS');
  return state;
}

/** The same for a call that a closed member refuses. */
export function ownOpen(handle, Class) {
  const state = own(handle, Class);
  state.member.needOpen();
  return state;
}

export const adopt = (object, Class, state) => states.set(object, { Class, state });

export function deferred({ quiet = false } = {}) {
  let resolve;
  let reject;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  if (quiet) promise.catch(() => {});
  return { promise, resolve, reject };
}

export function quiet(promise) {
  promise.catch(() => {});
  return promise;
}

/** Runs `task` now; a synchronous throw counts as a rejection. */
export function begin(task, ...args) {
  try {
    return Promise.resolve(task(...args));
  } catch (error) {
    return Promise.reject(error);
  }
}

export const later = (task) => Promise.resolve().then(task);

/** A method that returns a Promise rejects and never throws. */
export function rejecting(body) {
  try {
    return body();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** What a callback of the caller throws is an uncaught exception and breaks no step. */
export function tell(callback, ...args) {
  try {
    callback(...args);
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}

export const OK = Object.freeze({ ok: true });

/** What never rejects says so in its outcome. */
export const closedOutcome = () => ({ ok: false, error: closedError() });
