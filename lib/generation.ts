import binding from './binding.js';
import { callable } from './arguments.js';
import type { CoreError } from './codes.js';
import type { RuntimeCore } from './core.js';
import { cross } from './crossing.js';
import type { Acting } from './effects.js';
import { MAKER, closedError, failureOf, invalidThis, made } from './errors.js';
import { Deferred, accepted, attempted, quiet, refusal, value } from './native.js';
import type { CoreTypes, Outcome } from './values.js';

/**
 * `active` ⇄ `stopping` (stop, reconcile); `active`, `stopping` → `disposing` (dispose); `disposing` →
 * `terminated` (disposed, and nothing holds it) or `failed` (for good). A generation is held while a
 * run is registered on it or a retained stop operation refers to it.
 */
export type GenerationPhase = 'active' | 'stopping' | 'disposing' | 'failed' | 'terminated';

const PHASES: readonly GenerationPhase[] = [
  'active',
  'stopping',
  'disposing',
  'failed',
  'terminated',
];
const CURRENT = 1 << 3;
const CLOSED = 1 << 2;
const IDLE = 0;
const IN_FLIGHT = 1;
const OK: Outcome = Object.freeze({ ok: true });

/**
 * One backend instance of a session, with the runs registered on it. Made by
 * {@link RuntimeCore.createGeneration}; belongs to the core and thread that made it. Seed 3.
 */
export class BackendGeneration<T extends CoreTypes = CoreTypes> implements Acting {
  /** The session it was made for. */
  readonly sessionId: string;
  /** Ascends from 1 within a scope. */
  readonly id: number;
  /** `undefined`: the session's own backend; a string: that of the child turn with that id. */
  readonly route: string | undefined;
  /** As given to `createGeneration`. */
  readonly backend: T['backend'];
  /** The caller's to read and set. */
  cachedHeader: T['header'];
  /** @internal */
  readonly _core: RuntimeCore<T>;
  /** @internal The slot; or, terminated, -1 - the word of its stop. */
  _generation: number;
  private _stopping: Promise<void> | undefined = undefined;
  private _disposal: Promise<Outcome> | undefined = undefined;
  private _failure: CoreError | undefined = undefined;

  private constructor(
    maker: symbol,
    core: RuntimeCore<T>,
    sessionId: string,
    id: number,
    route: string | undefined,
    backend: T['backend'],
    header: T['header'],
    slot: number,
  ) {
    made(maker, 'BackendGeneration');
    this.sessionId = sessionId;
    this.id = id;
    this.route = route;
    this.backend = backend;
    this.cachedHeader = header;
    this._core = core;
    this._generation = slot;
  }

  /** @internal */
  static _make<T extends CoreTypes>(
    core: RuntimeCore<T>,
    sessionId: string,
    id: number,
    route: string | undefined,
    backend: T['backend'],
    header: T['header'],
    slot: number,
  ) {
    return new BackendGeneration<T>(MAKER, core, sessionId, id, route, backend, header, slot);
  }

  /** Where it stands. */
  get phase(): GenerationPhase {
    const slot = reference(this);
    if (slot < 0) return 'terminated';
    return PHASES[accepted(binding.generationWord(slot), this) & 7] as GenerationPhase;
  }

  /** Whether it is its route's current one. */
  get isCurrent(): boolean {
    const slot = reference(this);
    return slot >= 0 && (accepted(binding.generationWord(slot), this) & CURRENT) !== 0;
  }

  /** How many runs are registered on it, now. */
  get activeRuns(): { readonly size: number } {
    reference(this);
    return new ActiveRuns(this);
  }

  /** `ERR_GENERATION_FAILED`, once `failed`; the same object each time. */
  get failure(): CoreError | undefined {
    reference(this);
    return this._failure;
  }

  /** The disposal begun, if any; never rejects. */
  get disposal(): Promise<Outcome> | undefined {
    reference(this);
    return this._disposal;
  }

  /**
   * active → stopping, and single flight: joins the stop in flight or calls `task` in a microtask. A
   * failure is for good: every later call rejects with that same error without calling `task`. A
   * rejection that nobody awaits is no unhandled one.
   */
  stop(task: () => Promise<void>): Promise<void> {
    let slot: number;
    try {
      slot = reference(this);
      callable(task, 'task');
      if (slot < 0 && ((-slot - 1) & CLOSED) !== 0) throw closedError();
    } catch (error) {
      return quiet(Promise.reject(error));
    }
    const before = slot >= 0 ? value(binding.generationStop(slot)) : this._flight(0) & 3;
    if (before < 0) return quiet(Promise.reject(refusal(before, this)));
    if (before !== IDLE && this._stopping !== undefined) return this._stopping;
    const stopping = new Deferred<void>();
    const promise = quiet(stopping.promise);
    this._stopping = promise;
    const stopped = (ok: boolean): void => {
      if (this._generation >= 0) value(binding.generationStopped(this._generation, ok));
      else this._flight(ok ? 1 : 2);
      if (ok && this._stopping === promise) this._stopping = undefined;
    };
    Promise.resolve()
      .then(() => task())
      .then(
        () => {
          stopped(true);
          stopping.resolve();
        },
        (error: unknown) => {
          stopped(false);
          stopping.reject(error);
        },
      );
    return promise;
  }

  /**
   * → disposing, and single flight: joins the disposal begun or calls `task` before returning. Never
   * rejects but for a wrong argument; resolves, after the phase has changed, to how `task` ended.
   * `{ ok: true }` if terminated.
   */
  dispose(task: () => Promise<void>): Promise<Outcome> {
    try {
      const slot = reference(this);
      callable(task, 'task');
      if (slot < 0) {
        const gone = ((-slot - 1) & CLOSED) !== 0;
        return this._disposal ?? Promise.resolve(gone ? { ok: false, error: closedError() } : OK);
      }
      const begun = accepted(binding.generationDispose(slot), this) !== 0;
      if (!begun && this._disposal !== undefined) return this._disposal;
    } catch (error) {
      return quiet(Promise.reject(error));
    }
    const disposal = new Deferred<Outcome>();
    this._disposal = disposal.promise;
    attempted(task).then(
      () => disposal.resolve(this._disposed(OK)),
      (error: unknown) => disposal.resolve(this._disposed({ ok: false, error })),
    );
    return disposal.promise;
  }

  /**
   * To be called when a run has left or a stop has completed. If nothing holds the generation:
   * stopping → active; disposing and disposed → terminated. Returns a disposal to wait for.
   */
  reconcile(): Promise<Outcome> | undefined {
    const slot = reference(this);
    if (slot < 0) return undefined;
    return accepted(binding.generationReconcile(slot), this) !== 0 ? this._disposal : undefined;
  }

  /** @internal */
  _seal(word: number): void {
    this._generation = -word - 1;
  }

  /** @internal */
  _end(): void {
    if (this._generation >= 0) this._generation = -CLOSED - 1;
  }

  private _disposed(outcome: Outcome): Outcome {
    const slot = this._generation;
    if (slot < 0) return outcome;
    if (outcome.ok) {
      value(binding.generationDisposed(slot, true, undefined));
    } else {
      this._failure = failureOf(this.id, outcome.error);
      const crossed = this._core._shared ? cross(outcome.error) : undefined;
      value(binding.generationDisposed(slot, false, crossed));
    }
    return outcome;
  }

  /** The stop of a terminated generation: its state before, and the word moved on. */
  private _flight(event: number): number {
    const moved = value(binding.sealedFlight(-this._generation - 1, event));
    this._generation = -(moved >> 2) - 1;
    return (moved & 3) === IDLE && event === 0 ? IDLE : Math.max(moved & 3, IN_FLIGHT);
  }
}

class ActiveRuns {
  readonly #generation: { readonly _generation: number; readonly sessionId: string };

  constructor(generation: { readonly _generation: number; readonly sessionId: string }) {
    this.#generation = generation;
  }

  get size(): number {
    const slot = this.#generation._generation;
    return slot < 0 ? 0 : accepted(binding.generationRuns(slot), this.#generation);
  }
}

function reference(self: object | undefined): number {
  const slot = (self as { _generation?: unknown } | undefined)?._generation;
  if (typeof slot !== 'number') throw invalidThis('BackendGeneration');
  return slot;
}
