import binding from './binding.js';
import { callable, identity, nonEmpty, outcome } from './arguments.js';
import type { CoreError } from './codes.js';
import type { RuntimeCore } from './core.js';
import { cross, uncross } from './crossing.js';
import type { Acting } from './effects.js';
import {
  MAKER,
  RuntimeExecutionCancellation,
  closedError,
  failureOf,
  invalidArgument,
  invalidThis,
  made,
} from './errors.js';
import { BackendGeneration } from './generation.js';
import {
  Deferred,
  NONE,
  accepted,
  attempted,
  controller,
  drain,
  handles,
  reason,
  reasoned,
  refusal,
  report,
  value,
} from './native.js';
import type { StopOperation } from './operation.js';
import { InteractionRequest } from './request.js';
import type { StopAttempt } from './stop.js';
import type { CoreTypes, Outcome } from './values.js';

/**
 * `pending` → `attached` (attach) → `reserved` (reserve) → `released` or `failed` (settle). A pending
 * or attached claim may be given up (`release`); under a stop an attached one ends by `finalize`. A
 * claim is live until `released` or `failed`. It ends admission, not the run.
 */
export type ClaimPhase = 'pending' | 'attached' | 'reserved' | 'released' | 'failed';

const PHASES: readonly ClaimPhase[] = ['pending', 'attached', 'reserved', 'released', 'failed'];
const CAPTURED = 1 << 3;
const ABORTED = 1 << 4;
const CLOSED = 1 << 8;
const ABANDONED = 1 << 9;
const ATTACH = 0;
const RESERVE = 1;
const SETTLE = 2;
const COMMIT = 0;
const DONE = 1;
const TAKE = 3;
const REASON = {
  claimForeign: reason('ClaimForeign'),
  closed: reason('Closed'),
  enter: reason('EnterPhase'),
  foreignFailed: reason('ForeignGenerationFailed'),
  generationFailed: reason('GenerationFailed'),
  generationForeign: reason('GenerationForeign'),
  interaction: reason('InteractionIdentity'),
  noGeneration: reason('NoGeneration'),
  noRun: reason('NoRun'),
  reserve: reason('ReservePhase'),
};

/** What rides on a claim once it has a run, or is asked for more than its phase. */
class Riders<T extends CoreTypes> {
  run: T['run'] | undefined = undefined;
  runId: string | undefined = undefined;
  turnId: string | undefined = undefined;
  onStop: ((stop: StopAttempt<T>) => void) | undefined = undefined;
  generation: BackendGeneration<T> | undefined = undefined;
  controller: AbortController | undefined = undefined;
  cancellation: CoreError | undefined = undefined;
  rare: Rare<T> | undefined = undefined;
}

/** What rides on few claims. */
class Rare<T extends CoreTypes> {
  interaction: T['interaction'] | undefined = undefined;
  error: unknown = undefined;
  failed = false;
  start: T['start'] | undefined = undefined;
  entering: Deferred<void>[] | undefined = undefined;
}

/**
 * The right to run once in a session, and the ownership record of that run. Made by
 * {@link RuntimeCore.claimExecution}; belongs to the core and thread that made it.
 *
 * Every member throws `ERR_INVALID_THIS` on another receiver. After `close` of the core, `release`,
 * `settle`, `finalize` and `leaveGeneration` do nothing and the others say `ERR_CLOSED`. Seed 3.
 */
export class ExecutionClaim<T extends CoreTypes = CoreTypes> implements Disposable, Acting {
  /** The session it was made for. */
  readonly sessionId: string;
  /** @internal */
  readonly _core: RuntimeCore<T>;
  /** @internal The slot; or, sealed, -1 - the word of its last facts. */
  _claim: number;
  /** @internal */
  _riders: Riders<T> | undefined;

  private constructor(maker: symbol, core: RuntimeCore<T>, sessionId: string, slot: number) {
    made(maker, 'ExecutionClaim');
    this.sessionId = sessionId;
    this._core = core;
    this._claim = slot;
    this._riders = undefined;
  }

  /** @internal */
  static _make<T extends CoreTypes>(core: RuntimeCore<T>, sessionId: string, slot: number) {
    return new ExecutionClaim<T>(MAKER, core, sessionId, slot);
  }

  /** Where it stands. */
  get phase(): ClaimPhase {
    reference(this);
    return PHASES[this._word() & 7] as ClaimPhase;
  }

  /** The run, as given to `attach`. `ERR_CLAIM_PHASE` before it. */
  get run(): T['run'] {
    reference(this);
    const run = this._riders?.run;
    if (run === undefined) throw reasoned(REASON.noRun, this, this._word() & 7);
    return run;
  }

  /** The generation it was reserved on. `ERR_CLAIM_PHASE` before `reserve`. */
  get generation(): BackendGeneration<T> {
    reference(this);
    const generation = this._riders?.generation;
    if (generation === undefined) throw reasoned(REASON.noGeneration, this, this._word() & 7);
    return generation;
  }

  /** Aborted, with `cancellation` as reason, when a stop captures the claim while it is live. */
  get stopSignal(): AbortSignal {
    reference(this);
    const aborted = (this._word() & ABORTED) !== 0;
    const riders = this._ride();
    if (riders.controller === undefined) {
      riders.controller = controller();
      if (aborted) riders.controller.abort(this.cancellation);
    }
    return riders.controller.signal;
  }

  /** `ERR_EXECUTION_CANCELLED`, for the caller to throw; the same object each time. */
  get cancellation(): CoreError {
    reference(this);
    return (this._ride().cancellation ??= new RuntimeExecutionCancellation(this.sessionId));
  }

  /** @internal Throws what a build that it joined has failed with; a stop of both is its own cancellation. */
  _joins(error: unknown): never {
    const cut = error instanceof RuntimeExecutionCancellation && this.isStopRequested();
    throw cut ? this.cancellation : error;
  }

  /** Whether a stop has captured this claim; never reverts. */
  isStopRequested(): boolean {
    reference(this);
    return (this._word() & CAPTURED) !== 0;
  }

  /** No other live claim and no active run in the session, in any member of the scope. */
  isExclusive(): boolean {
    const claim = reference(this);
    const core = this._core._number;
    return claim >= 0
      ? accepted(binding.claimIsExclusive(claim), this) !== 0
      : accepted(binding.sessionIsIdle(core, this.sessionId), this) !== 0;
  }

  /**
   * Resolves when every mutation queued on the session before this claim was made has ended; at once
   * when there is none. Rejects with `ERR_CLAIM_PHASE` unless the claim is then still pending. A stop
   * does not cut the wait short.
   */
  enter(): Promise<void> {
    try {
      const claim = reference(this);
      if (claim < 0) {
        const word = -claim - 1;
        throw this._isClosed(word) ? closedError() : reasoned(REASON.enter, this, word & 7);
      }
      if (accepted(binding.enter(claim), this) === 0) return Promise.resolve();
      const entering = new Deferred<void>();
      (this._rare().entering ??= []).push(entering);
      return entering.promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * pending → attached. `onStop` is called when a stop captures the claim, or before this returns if
   * one already has; at most once. What it throws is an uncaught exception and breaks no step.
   *
   * `ERR_CLAIM_PHASE`, also while a mutation that the claim has to wait for has not ended.
   */
  attach(run: T['run'], onStop: (stop: StopAttempt<T>) => void): void {
    reference(this);
    const { sessionId, runId, turnId } = identity(run, 'run');
    callable(onStop, 'onStop');
    // Read again: a getter of the run may have ended the claim.
    const claim = this._claim;
    if (claim < 0) this._refuse(ATTACH, runId);
    const other = sessionId === this.sessionId ? undefined : sessionId;
    const told = value(binding.attach(claim, runId, turnId, other));
    if (told < 0) throw refusal(told, { sessionId: this.sessionId, runId });
    const riders = this._ride();
    riders.run = run;
    riders.runId = runId;
    riders.turnId = turnId;
    riders.onStop = onStop;
    if (told > 0) this._call(this._core._attempt(told - 1));
  }

  /**
   * Whether the session may activate a backend for this claim now: `undefined` when nothing is in the
   * way, or the disposal of the first generation being disposed, to await and ask again. Generations
   * are judged in creation order; disposed ones without a holder are terminated.
   *
   * `ERR_SESSION_QUARANTINED` under a retained stop operation, unless this claim is attached and
   * captured by the attempt that stands; `ERR_GENERATION_FAILED`; `ERR_GENERATION_STOPPING`;
   * `ERR_GENERATION_QUARANTINED` for a disposed generation that a run or an operation still holds, and
   * for an invalidated session with active runs; `ERR_GENERATION_FOREIGN`.
   */
  activationBlocker(): Promise<unknown> | undefined {
    const claim = reference(this);
    const coded =
      claim >= 0
        ? binding.activationBlocker(claim)
        : binding.sessionBlocker(this._core._entry(this.sessionId));
    const blocker = value(coded);
    if (blocker < 0) throw this._blocked(-blocker - 1, binding.detail());
    return blocker === 0 ? undefined : (handles[blocker - 1] as BackendGeneration<T>).disposal;
  }

  /**
   * attached → reserved, registering the run on `generation`, in one step. Returns the attempt that
   * captured this claim: the caller then must `retain` the run, or undo by `leaveGeneration` and a
   * failed `settle`.
   *
   * `ERR_CLAIM_PHASE`; `ERR_GENERATION_STALE` unless the generation is active and current;
   * `ERR_GENERATION_FOREIGN` for another core's; `ERR_RUN_RESERVED` if it has the run's id or turn.
   */
  reserve(generation: BackendGeneration<T>): StopAttempt<T> | undefined {
    const claim = reference(this);
    if (!(generation instanceof BackendGeneration))
      throw invalidArgument('generation', 'a BackendGeneration');
    const runId = this._riders?.runId;
    if (claim < 0) this._refuse(RESERVE, runId);
    if (generation._core !== this._core) {
      const phase = this._word() & 7;
      throw PHASES[phase] === 'attached'
        ? reasoned(REASON.generationForeign, this)
        : reasoned(REASON.reserve, subject(this, runId), phase);
    }
    const slot = generation._generation >= 0 ? generation._generation : NONE;
    const captor = value(binding.reserve(claim, slot));
    if (captor < 0) {
      const generationId = generation.id;
      throw refusal(captor, { ...subject(this, runId), generationId });
    }
    this._ride().generation = generation;
    return captor === 0 ? undefined : this._core._attempt(captor - 1);
  }

  /** The run may be sent to its backend: registered on a generation that is active and current. */
  canDispatch(): boolean {
    const claim = reference(this);
    return claim >= 0 && accepted(binding.canDispatch(claim), this) !== 0;
  }

  /**
   * reserved → released (ok) or failed. A failed outcome on an attached or failed claim is ignored:
   * that claim ends by `finalize` or `release`. Otherwise `ERR_CLAIM_PHASE`.
   */
  settle(outcome: Outcome): void {
    reference(this);
    const given = outcomeOf(outcome);
    const claim = this._claim;
    if (claim < 0) {
      this._refuse(given.ok ? SETTLE : SETTLE + 1, this._riders?.runId);
      return;
    }
    // A failed settlement that is ignored must not replace the error of a recorded finalization.
    if (!given.ok && PHASES[this._word() & 7] === 'reserved') this._fail(given.error);
    const crossed = given.ok ? undefined : this._crossed(given.error);
    const sealed = this._ended(binding.settle(claim, given.ok, crossed));
    if (sealed < 0) throw refusal(sealed, subject(this, this._riders?.runId));
  }

  /**
   * Records how the run's own finalization ended, on an attached claim (else ignored). If a stop has
   * captured it, it ends so: released or failed.
   */
  finalize(outcome: Outcome): void {
    reference(this);
    const given = outcomeOf(outcome);
    const claim = this._claim;
    if (claim < 0) return;
    if (PHASES[this._word() & 7] === 'attached') {
      if (given.ok) this._unfail();
      else this._fail(given.error);
    }
    const crossed = given.ok ? undefined : this._crossed(given.error);
    const sealed = this._ended(binding.finalize(claim, given.ok, crossed));
    if (sealed < 0) throw refusal(sealed, this);
  }

  /**
   * Gives up a pending or attached claim; ignored in any other phase. An attached claim captured by a
   * stop ends only with its finalization, recorded before or after.
   */
  release(): void {
    const claim = reference(this);
    if (claim < 0) return;
    const sealed = this._ended(binding.release(claim));
    if (sealed < 0) throw refusal(sealed, this);
  }

  /** `release`, so that `using claim = core.claimExecution(id)` works. */
  [Symbol.dispose](): void {
    ExecutionClaim.prototype.release.call(this);
  }

  /**
   * Takes the run off its generation, and closes the claim's open requests in the same step.
   * Idempotent; ignored before `reserve`.
   */
  leaveGeneration(): void {
    const claim = reference(this);
    if (claim < 0) return;
    const sealed = this._ended(binding.leave(claim));
    if (sealed < 0) throw refusal(sealed, this);
  }

  /** The session's retained stop operation, while it still holds this claim's run. */
  get stopOperation(): StopOperation<T> | undefined {
    const claim = reference(this);
    if (claim < 0) return undefined;
    const operation = accepted(binding.claimOperation(claim), this);
    return operation === 0 ? undefined : (handles[operation - 1] as StopOperation<T>);
  }

  /**
   * Commits the start of a continued run, at most once in a claim's life: calls `commit` before
   * returning and settles as it does. The promise is the caller's: a rejection must be handled.
   *
   * Rejects with `ERR_CLAIM_START` (judged first) if called before, even if that commit failed:
   * whether it took effect may be unknown; with `ERR_CLAIM_PHASE` unless attached.
   */
  commitStart(commit: () => Promise<T['start']>): Promise<T['start']> {
    try {
      const claim = reference(this);
      callable(commit, 'commit');
      this._start(claim, COMMIT);
    } catch (error) {
      return Promise.reject(error);
    }
    return attempted(commit).then(
      (start) => {
        this._rare().start = start;
        this._start(this._claim, DONE);
        return start;
      },
      (error) => {
        this._start(this._claim, DONE + 1);
        throw error;
      },
    );
  }

  /**
   * What `commit` resolved to, to the first caller: the proof that this run may be dispatched, once.
   * It outlives the admission. `ERR_CLAIM_START` before the commit has succeeded and after the first
   * call.
   */
  takeStart(): T['start'] {
    const claim = reference(this);
    this._start(claim, TAKE);
    const rare = this._rare();
    const start = rare.start as T['start'];
    rare.start = undefined;
    return start;
  }

  /**
   * Makes the claim's turn and generation the owner of a request that is open for an answer. Opened
   * again by the same turn on the same generation: the same request, with the new value. Ends with
   * its `close` or with `leaveGeneration`.
   *
   * `ERR_CLAIM_PHASE` unless the run is registered on a generation; `ERR_REQUEST_CONFLICT` if another
   * turn or generation owns the id.
   */
  openRequest(requestId: string, request: T['request']): InteractionRequest<T> {
    const claim = reference(this);
    nonEmpty(requestId, 'requestId');
    const about = { sessionId: this.sessionId, requestId };
    if (claim < 0) {
      const word = -claim - 1;
      throw this._isClosed(word)
        ? closedError()
        : refusal(value(binding.sealedRequest(word)), about);
    }
    const opened = accepted(binding.openRequest(claim, requestId), about);
    const slot = opened >> 1;
    if ((opened & 1) !== 0) {
      const open = handles[slot] as InteractionRequest<T>;
      open._value = request;
      return open;
    }
    const { generation, turnId } = this._riders as { generation: unknown; turnId: string };
    const from = generation as BackendGeneration<T>;
    const made = InteractionRequest._make<T>(
      this.sessionId,
      requestId,
      turnId,
      from,
      request,
      slot,
    );
    handles[slot] = made;
    return made;
  }

  /** The interaction owner bound to this run. */
  get interaction(): T['interaction'] | undefined {
    reference(this);
    return this._riders?.rare?.interaction;
  }

  /** Once, and of the attached run's exact identity, else `ERR_INTERACTION_IDENTITY`. */
  bindInteraction(binding_: T['interaction']): void {
    reference(this);
    const { sessionId, runId, turnId } = identity(binding_, 'binding');
    const claim = this._claim;
    if (claim < 0)
      throw this._isClosed(-claim - 1) ? closedError() : reasoned(REASON.interaction, this);
    accepted(binding.bind(claim, sessionId, runId, turnId), this);
    this._rare().interaction = binding_;
  }

  /** Ignored unless `binding` is the bound one. */
  unbindInteraction(binding_: T['interaction']): void {
    const claim = reference(this);
    const rare = this._riders?.rare;
    if (rare?.interaction === undefined || rare.interaction !== binding_) return;
    if (claim >= 0) accepted(binding.unbind(claim), this);
    rare.interaction = undefined;
  }

  /** @internal */
  _ride(): Riders<T> {
    return (this._riders ??= new Riders<T>());
  }

  private _rare(): Rare<T> {
    return (this._ride().rare ??= new Rare<T>());
  }

  /** @internal */
  _word(): number {
    const claim = reference(this);
    return claim >= 0 ? accepted(binding.claimWord(claim), this) : -claim - 1;
  }

  /** @internal Acts on the answer of a call that may have ended the claim. */
  _ended(coded: number): number {
    const sealed = coded >> 1;
    const slot = this._claim;
    if (sealed > 0) this._claim = -sealed;
    if ((coded & 1) !== 0) drain(sealed > 0 ? slot : undefined);
    else if (sealed > 0) handles[slot] = undefined;
    return sealed;
  }

  /** @internal */
  _seal(word: number): void {
    this._claim = -word - 1;
    // It ended with its core: whatever its run had recorded before is not how.
    if ((word & ABANDONED) !== 0) this._unfail();
  }

  /** @internal The core has ended, and this with it. */
  _end(): void {
    if (this._claim >= 0) this._claim = -(PHASES.indexOf('failed') | CLOSED) - 1;
    this._entered(1 + REASON.closed);
  }

  /** @internal */
  _entered(refused: number): void {
    const rare = this._riders?.rare;
    const entering = rare?.entering ?? [];
    if (rare) rare.entering = undefined;
    for (const each of entering) {
      if (refused === 0) each.resolve();
      else each.reject(reasoned((refused & 255) - 1, this, refused >> 8));
    }
  }

  /** @internal */
  _call(stop: StopAttempt<T>): void {
    try {
      this._riders?.onStop?.call(undefined, stop);
    } catch (error) {
      report(error);
    }
  }

  /** @internal Whether somebody holds its signal. */
  get _signalled(): boolean {
    return this._riders?.controller !== undefined;
  }

  /** @internal The abort of the stop has reached it. */
  _abort(): void {
    if (this._claim < 0) this._claim = -value(binding.sealAborted(-this._claim - 1)) - 1;
    this._riders?.controller?.abort(this.cancellation);
  }

  /** @internal Whether `drained` finds the error here, and not in Rust. */
  _failure(): unknown {
    const rare = this._riders?.rare;
    return rare?.failed ? rare.error : closedError();
  }

  private _fail(error: unknown): void {
    const rare = this._rare();
    rare.error = error;
    rare.failed = true;
  }

  private _unfail(): void {
    if (this._riders?.rare) this._riders.rare.failed = false;
  }

  private _crossed(error: unknown): string | undefined {
    return this._core._shared ? cross(error) : undefined;
  }

  private _isClosed(word: number): boolean {
    return (word & CLOSED) !== 0 || this._core._number === NONE;
  }

  /** What the claim's last facts say to an event: a refusal, or nothing. */
  private _refuse(event: number, runId: string | undefined): void {
    const word = -this._claim - 1;
    accepted(binding.sealedMove(this._core._number, word, event), subject(this, runId));
  }

  private _start(claim: number, event: number): void {
    const moved = accepted(binding.start(claim, event), this);
    if (moved > 0) this._claim = -moved;
  }

  private _blocked(refused: number, detail: number): unknown {
    if (refused === REASON.generationFailed)
      return (handles[detail] as BackendGeneration<T>).failure;
    if (refused !== REASON.foreignFailed) return reasoned(refused, this, detail);
    const text = binding.foreignFailure(this._core._entry(this.sessionId), detail);
    return failureOf(detail, typeof text === 'string' ? uncross(text) : undefined);
  }
}

const subject = (claim: { readonly sessionId: string }, runId: string | undefined) =>
  runId === undefined ? { sessionId: claim.sessionId } : { sessionId: claim.sessionId, runId };

const outcomeOf = (given: Outcome): Outcome => outcome(given, 'outcome');

function reference(self: object | undefined): number {
  const claim = (self as { _claim?: unknown } | undefined)?._claim;
  if (typeof claim !== 'number') throw invalidThis('ExecutionClaim');
  return claim;
}
