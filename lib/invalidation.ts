import binding from './binding.js';
import { callable } from './arguments.js';
import type { CoreError } from './codes.js';
import type { Acting } from './effects.js';
import { MAKER, closedError, coreError, invalidThis, made } from './errors.js';
import type { BackendGeneration } from './generation.js';
import {
  Deferred,
  attempted,
  drain,
  handles,
  list,
  quiet,
  refusal,
  target,
  value,
} from './native.js';
import type { CoreTypes, Outcome } from './values.js';

/**
 * The session's backends are to be disposed before the next activation. A failed disposal keeps the
 * invalidation, and with it the quarantine, for good. Made by {@link RuntimeCore.invalidate}; belongs
 * to the core and thread that made it. Seed 3.
 */
export class BackendInvalidation<T extends CoreTypes = CoreTypes> implements Acting {
  /** The session whose backends are meant. */
  readonly sessionId: string;
  /** @internal The slot, -1 once lifted. */
  _invalidation: number;
  private _failure: CoreError | undefined = undefined;
  private readonly _deferred = new Deferred<Outcome>();

  private constructor(maker: symbol, sessionId: string, slot: number) {
    made(maker, 'BackendInvalidation');
    this.sessionId = sessionId;
    this._invalidation = slot;
  }

  /** @internal */
  static _make<T extends CoreTypes>(sessionId: string, slot: number) {
    const invalidation = new BackendInvalidation<T>(MAKER, sessionId, slot);
    handles[slot] = invalidation;
    return invalidation;
  }

  /** How the disposal ended; never rejects. */
  get outcome(): Promise<Outcome> {
    reference(this);
    return this._deferred.promise;
  }

  /** `ERR_INVALIDATION_FAILED`, once failed; the same object each time. */
  get failure(): CoreError | undefined {
    reference(this);
    return this._failure;
  }

  /**
   * Single flight, also while runs are active: drops the session's steering queue and checkpoint slot
   * and calls `task` with its generations, before returning. Returns `outcome`; on success the
   * invalidation is lifted first.
   */
  dispose(task: (generations: BackendGeneration<T>[]) => Promise<Outcome>): Promise<Outcome> {
    let slots: number[];
    try {
      const slot = reference(this);
      callable(task, 'task');
      if (slot < 0) return this._deferred.promise;
      const coded = binding.invalidationDispose(slot, target());
      const begun = coded >> 1;
      if (begun < 0) throw refusal(begun, this);
      slots = begun > 0 ? list(begun - 1) : [];
      if ((coded & 1) !== 0) drain();
      if (begun === 0) return this._deferred.promise;
    } catch (error) {
      return quiet(Promise.reject(error));
    }
    const generations = slots.map((each) => handles[each] as BackendGeneration<T>);
    attempted(() => task(generations)).then(
      (outcome) => this._done(outcome),
      (error: unknown) => this._done({ ok: false, error }),
    );
    return this._deferred.promise;
  }

  private _done(outcome: Outcome): void {
    const slot = this._invalidation;
    if (slot < 0) return;
    const ok = outcome?.ok === true;
    if (!ok) {
      const cause = (outcome as { error?: unknown } | undefined)?.error;
      const text = `Backend invalidation is permanently quarantined for session ${this.sessionId}`;
      this._failure = coreError('ERR_INVALIDATION_FAILED', text, { cause });
    }
    value(binding.invalidationDone(slot, ok));
    this._deferred.resolve(outcome);
  }

  /** @internal */
  _seal(ended: number): void {
    this._invalidation = -1;
    if (ended === 1) this._deferred.resolve({ ok: false, error: closedError() });
  }

  /** @internal */
  _end(): void {
    this._seal(1);
  }
}

function reference(self: object | undefined): number {
  const slot = (self as { _invalidation?: unknown } | undefined)?._invalidation;
  if (typeof slot !== 'number') throw invalidThis('BackendInvalidation');
  return slot;
}
