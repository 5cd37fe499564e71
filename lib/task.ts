import binding from './binding.js';
import type { Acting } from './effects.js';
import { closedError } from './errors.js';
import { Deferred, attempted, handles, value } from './native.js';

/** A task that waits for its turn: of a serial lane, or a session mutation. */
export class Task<R> implements Acting {
  readonly #task: () => R | PromiseLike<R>;
  readonly #ended: (slot: number) => number;
  readonly #deferred = new Deferred<R>();
  #slot: number;
  #running = false;

  private constructor(
    task: () => R | PromiseLike<R>,
    ended: (slot: number) => number,
    slot: number,
  ) {
    this.#task = task;
    this.#ended = ended;
    this.#slot = slot;
  }

  /** Registers the task under its slot; started in a microtask if it is its turn already. */
  static #queue<R>(
    task: () => R | PromiseLike<R>,
    ended: (slot: number) => number,
    slot: number,
    start: boolean,
  ): Promise<R> {
    const made = new Task(task, ended, slot);
    handles[slot] = made;
    if (start) void Promise.resolve().then(() => made._run());
    return made.#deferred.promise;
  }

  static lane<R>(task: () => Promise<R>, slot: number, start: boolean): Promise<R> {
    return Task.#queue(task, binding.taskEnded, slot, start);
  }

  static mutation<R>(task: () => R | PromiseLike<R>, slot: number, start: boolean): Promise<R> {
    return Task.#queue(task, binding.mutationSettled, slot, start);
  }

  /** The transition first, the promise second. */
  #settle(): void {
    const slot = this.#slot;
    if (slot < 0) return;
    this.#slot = -1;
    handles[slot] = undefined;
    value(this.#ended(slot));
  }

  _run(): void {
    if (this.#slot < 0 || this.#running) return;
    this.#running = true;
    attempted(this.#task).then(
      (result) => {
        this.#settle();
        this.#deferred.resolve(result);
      },
      (error: unknown) => {
        this.#settle();
        this.#deferred.reject(error);
      },
    );
  }

  /** The core has ended: a task that runs goes on, one that waits never starts. */
  _end(): void {
    if (this.#slot < 0) return;
    this.#slot = -1;
    if (!this.#running) this.#deferred.reject(closedError());
  }
}
