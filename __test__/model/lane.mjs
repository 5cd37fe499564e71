// A serial lane: each task begins, never synchronously, after every earlier one has ended.
import { closedError } from './errors.mjs';
import { begin, deferred, later } from './handles.mjs';

export class Lane {
  #entries = [];
  #onEmpty;

  constructor(onEmpty = () => {}) {
    this.#onEmpty = onEmpty;
  }

  add(task) {
    const entry = { task, begun: false, result: deferred() };
    this.#entries.push(entry);
    if (this.#entries.length === 1) this.#beginFirst();
    return entry.result.promise;
  }

  /** What has not begun never will; what has goes on. */
  close() {
    for (const entry of this.#entries.splice(0)) {
      if (!entry.begun) entry.result.reject(closedError());
    }
  }

  #beginFirst() {
    const [entry] = this.#entries;
    later(() => {
      if (this.#entries[0] !== entry) return;
      entry.begun = true;
      begin(entry.task).then(
        (value) => this.#end(entry, () => entry.result.resolve(value)),
        (error) => this.#end(entry, () => entry.result.reject(error)),
      );
    });
  }

  /** The lane goes on first, the promise settles second. */
  #end(entry, settle) {
    if (this.#entries[0] === entry) {
      this.#entries.shift();
      if (this.#entries.length > 0) this.#beginFirst();
      else this.#onEmpty();
    }
    settle();
  }
}
