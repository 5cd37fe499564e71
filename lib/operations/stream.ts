import { Deferred } from '../native.js';
import { onAbort } from '../signals.js';
import type { Woken } from './mail.js';

/** Where a stream takes from. */
export interface Source<V> {
  /** The next value, or undefined for now. */
  take(): V | undefined;
  /** Nothing will come any more. */
  isOver(): boolean;
  /** Nobody will take any more. */
  end(): void;
}

/** Streams in which somebody waits: nobody else need hold them. */
const awaited = new Set<object>();
/** What a stream that was forgotten leaves to be done: it closes over nothing of the stream. */
const forgotten = new FinalizationRegistry<{ end(): void; forget(): void }>((left) => {
  left.end();
  left.forget();
});

/** A signal may live longer than a stream that nobody reads any more. Gives what stops listening. */
function listening(signal: AbortSignal, stream: WeakRef<{ _finish(): void }>): () => void {
  return onAbort(signal, () => stream.deref()?._finish());
}

/** An async iterator over what a source gives as it comes. */
export class Stream<V> implements AsyncIterableIterator<V>, Woken {
  private readonly _source: Source<V>;
  private readonly _waiting: Deferred<IteratorResult<V>>[] = [];
  private _forget: () => void = () => {};
  private _over = false;

  /** @internal */
  constructor(source: Source<V>, signal: AbortSignal | undefined) {
    this._source = source;
    if (signal?.aborted) {
      this._finish();
      return;
    }
    if (signal !== undefined) this._forget = listening(signal, new WeakRef(this));
    const forget = this._forget;
    forgotten.register(this, { end: () => source.end(), forget }, this);
  }

  /** The next value. Calls are answered in the order made. */
  next(): Promise<IteratorResult<V>> {
    if (this._over) return Promise.resolve(over());
    if (this._waiting.length === 0) {
      try {
        const value = this._source.take();
        if (value !== undefined) return Promise.resolve({ value, done: false });
        if (this._source.isOver()) {
          this._finish();
          return Promise.resolve(over());
        }
      } catch (error) {
        return Promise.reject(error);
      }
    }
    const waiting = new Deferred<IteratorResult<V>>();
    this._waiting.push(waiting);
    awaited.add(this);
    return waiting.promise;
  }

  /** Ends it; whoever waits for a value is told that it is over. */
  return(): Promise<IteratorResult<V>> {
    this._finish();
    return Promise.resolve(over());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @internal */
  _wake(): void {
    while (this._waiting.length > 0 && !this._over) {
      const waiting = this._waiting[0] as Deferred<IteratorResult<V>>;
      try {
        const value = this._source.take();
        if (value === undefined) break;
        waiting.resolve({ value, done: false });
      } catch (error) {
        waiting.reject(error);
      }
      this._waiting.shift();
    }
    if (this._waiting.length === 0) awaited.delete(this);
    if (!this._over && this._source.isOver()) this._finish();
  }

  /** @internal */
  _finish(): void {
    if (this._over) return;
    this._over = true;
    awaited.delete(this);
    forgotten.unregister(this);
    this._forget();
    this._source.end();
    for (const waiting of this._waiting.splice(0)) waiting.resolve(over());
  }
}

const over = (): IteratorResult<never> => ({ value: undefined, done: true });
