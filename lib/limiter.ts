import binding from './binding.js';
import { object } from './arguments.js';
import { MAKER, invalidThis, made, outOfRange } from './errors.js';
import { flushSoon } from './log.js';
import { Deferred, acceptedList, target, value } from './native.js';
import { onAbort, reasonOf, signalOf } from './signals.js';

const GRANTED = 0;
const REFUSED = -1;

/** Limiters whose handle is gone. */
const unused = new FinalizationRegistry<number>((limiter) => {
  value(binding.limiterDrop(limiter));
});

/** Someone who waits, by ticket: the promise and the signal, which only JavaScript can hold. */
class Waiter {
  readonly deferred = new Deferred<AdmissionPermit>();
  readonly signal: AbortSignal | undefined;
  readonly #forget: (() => void) | undefined;

  constructor(signal: AbortSignal | undefined, leave: () => void) {
    this.signal = signal;
    this.#forget = signal && onAbort(signal, leave);
  }

  /** The wait is over: no listener stays. */
  forget(): this {
    this.#forget?.();
    return this;
  }
}

/**
 * A limited number of permits, granted in the order asked for. Bound to the thread that made it, and to
 * no session. Seed 3.
 */
export class AdmissionLimiter {
  /** How many permits there are. */
  readonly capacity: number;
  private readonly _limiter: number;
  private readonly _waiters: { [ticket: number]: Waiter } = Object.create(null);
  private _closed: unknown = undefined;

  /** `ERR_OUT_OF_RANGE` unless a positive safe integer. */
  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1)
      throw outOfRange('capacity must be a positive safe integer');
    this.capacity = capacity;
    this._limiter = value(binding.limiterOpen(capacity));
    unused.register(this, this._limiter);
  }

  /** Permits that are taken, now. */
  get activeCount(): number {
    return binding.limiterActive(reference(this));
  }

  /** Read before `acquire` in the same tick, it tells whether that call would wait. */
  get waitingCount(): number {
    return binding.limiterWaiting(reference(this));
  }

  /**
   * Takes a permit, or a place in the queue, before returning. An abort gives the place up and rejects
   * with the signal's reason; it never takes back a permit that was granted. The promise is the
   * caller's: a rejection must be handled. After `close` it rejects with the error given there.
   */
  acquire(signal?: AbortSignal): Promise<AdmissionPermit> {
    try {
      const limiter = reference(this);
      signalOf(signal, 'signal');
      if (signal?.aborted)
        throw value(binding.limiterIsClosed(limiter)) === 1 ? this._closed : signal.reason;
      const ticket = binding.limiterAcquire(limiter);
      flushSoon();
      if (ticket === REFUSED) throw this._closed;
      if (ticket === GRANTED) return Promise.resolve(AdmissionPermit._make(this));
      return this._wait(ticket - 1, signal).deferred.promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Rejects those who wait and every later `acquire` with `error`. Permits stay valid. The first call counts. */
  close(error: Error): void {
    const limiter = reference(this);
    object(error, 'error');
    if (this._closed !== undefined) return;
    this._closed = error;
    for (const ticket of acceptedList(binding.limiterClose(limiter, target()), {}))
      this._take(ticket)?.deferred.reject(error);
  }

  /** @internal */
  _release(): void {
    value(binding.limiterRelease(this._limiter));
    this._grant();
  }

  private _wait(ticket: number, signal: AbortSignal | undefined): Waiter {
    const leave = (): boolean => value(binding.limiterLeave(this._limiter, ticket)) === 1;
    try {
      const waiter = new Waiter(signal, () => {
        if (!leave()) return;
        this._take(ticket)?.deferred.reject(reasonOf(signal));
        this._grant();
      });
      this._waiters[ticket] = waiter;
      return waiter;
    } catch (error) {
      // The signal is the caller's: one that cannot be listened to takes no place.
      leave();
      throw error;
    }
  }

  private _take(ticket: number): Waiter | undefined {
    const waiter = this._waiters[ticket];
    delete this._waiters[ticket];
    return waiter?.forget();
  }

  /** Hands free places on, passing over those whose signal is aborted and whose listener has yet to run. */
  private _grant(): void {
    for (;;) {
      const ticket = binding.limiterNext(this._limiter);
      if (ticket < 0) return;
      const waiter = this._waiters[ticket];
      const passed = waiter === undefined || waiter.signal?.aborted === true;
      if (passed) {
        value(binding.limiterLeave(this._limiter, ticket));
        this._take(ticket)?.deferred.reject(reasonOf(waiter?.signal));
      } else if (value(binding.limiterGrant(this._limiter, ticket)) === 1) {
        this._take(ticket)?.deferred.resolve(AdmissionPermit._make(this));
      }
    }
  }
}

/**
 * One of a limited number of places. Seed 3.
 */
export class AdmissionPermit implements Disposable {
  private readonly _of: AdmissionLimiter;
  private _held = true;

  private constructor(maker: symbol, limiter: AdmissionLimiter) {
    made(maker, 'AdmissionPermit');
    this._of = limiter;
  }

  /** @internal */
  static _make(limiter: AdmissionLimiter): AdmissionPermit {
    return new AdmissionPermit(MAKER, limiter);
  }

  /** Idempotent. Grants the permit to the longest waiting, in the same step. */
  release(): void {
    if (typeof this?._held !== 'boolean') throw invalidThis('AdmissionPermit');
    if (!this._held) return;
    this._held = false;
    this._of._release();
  }

  /** `release`, so that `using` works. */
  [Symbol.dispose](): void {
    AdmissionPermit.prototype.release.call(this);
  }
}

function reference(self: object | undefined): number {
  const limiter = (self as { _limiter?: unknown } | undefined)?._limiter;
  if (typeof limiter !== 'number') throw invalidThis('AdmissionLimiter');
  return limiter;
}
