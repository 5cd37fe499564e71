import binding from './binding.js';
import { object } from './arguments.js';
import { ExecutionClaim } from './claim.js';
import type { RuntimeCore } from './core.js';
import { cross, uncross } from './crossing.js';
import type { Acting } from './effects.js';
import { MAKER, closedError, invalidArgument, invalidThis, made } from './errors.js';
import {
  Deferred,
  NONE,
  accepted,
  acceptedList,
  attempted,
  drain,
  handles,
  list,
  quiet,
  reason,
  reasoned,
  refusal,
  target,
  value,
} from './native.js';
import { StopOperation } from './operation.js';
import type { CoreTypes, Outcome } from './values.js';

const OPENS = 1;
const NOTE = 2;
const TURN = 4;
/** An attempt that is over: whether an operation was opened in it. */
const OVER = -1;
const OVER_OPENED = -2;
const CLAIM_FOREIGN = reason('ClaimForeign');
const NO_GENERATION = reason('NoGeneration');
const GENERATION_FOREIGN = reason('GenerationForeign');

/**
 * One stop of one session in progress: the whole to its starter, its own part to every other member of
 * the scope. Given to `attempt`, `onStop` and `onForeignStop`. Seed 3.
 */
export class StopAttempt<T extends CoreTypes = CoreTypes> implements Acting {
  /** The session that is stopped. */
  readonly sessionId: string;
  /** The starter's: the object itself to the starter, a copy carried as JSON to other members. */
  readonly input: T['stopInput'];
  private readonly _core: RuntimeCore<T>;
  /** @internal The slot; or how it was when it was over. */
  _attempt: number;
  private _operation: StopOperation<T> | undefined = undefined;
  /** Claims of this member, by their place among the captured. */
  private readonly _captured: ExecutionClaim<T>[] = [];
  /** Those whose `onStop` is still to be called. */
  private readonly _untold: ExecutionClaim<T>[] = [];
  private readonly _whole: Deferred<void> | undefined;
  private _outcome: Outcome | undefined = undefined;
  private _failures: readonly unknown[] | undefined = undefined;
  private _draining: Deferred<unknown[]>[] = [];

  private constructor(
    maker: symbol,
    core: RuntimeCore<T>,
    sessionId: string,
    slot: number,
    input: T['stopInput'],
    whole: boolean,
  ) {
    made(maker, 'StopAttempt');
    this._core = core;
    this.sessionId = sessionId;
    this._attempt = slot;
    this.input = input;
    this._whole = whole ? new Deferred<void>() : undefined;
    const coded = binding.captured(slot, target());
    const count = coded >> 1;
    if (count < 0) throw refusal(count, this);
    const captured = list(count);
    for (let index = 0; index < captured.length; index += 3) {
      const claim = handles[captured[index + 1] as number] as ExecutionClaim<T>;
      this._captured[captured[index] as number] = claim;
      if (captured[index + 2] === 1) this._untold.push(claim);
    }
    // Those that had ended were known until now.
    if ((coded & 1) !== 0) drain();
  }

  /** @internal The starter's. */
  static _start<T extends CoreTypes>(
    core: RuntimeCore<T>,
    sessionId: string,
    slot: number,
    input: T['stopInput'],
  ) {
    const stop = new StopAttempt<T>(MAKER, core, sessionId, slot, input, true);
    handles[slot] = stop;
    quiet((stop._whole as Deferred<void>).promise);
    return stop;
  }

  /** @internal Another member's part. */
  static _part<T extends CoreTypes>(core: RuntimeCore<T>, slot: number) {
    const text = binding.attemptInput(slot);
    const input = (text ? JSON.parse(text) : undefined) as T['stopInput'];
    const stop = new StopAttempt<T>(MAKER, core, binding.sessionId(slot), slot, input, false);
    handles[slot] = stop;
    return stop;
  }

  /** The session's retained operation, else the last one this attempt retained a run in. */
  get operation(): StopOperation<T> | undefined {
    reference(this);
    if (this._core._number === NONE) return this._operation;
    const entry = this._core._entry(this.sessionId);
    const retained = accepted(binding.retainedOperation(entry), this);
    return retained === 0 ? this._operation : (handles[retained - 1] as StopOperation<T>);
  }

  /** This member's claims, live or not, whose run is registered on a generation; by generation, then age. */
  activeClaims(): ExecutionClaim<T>[] {
    reference(this);
    const entry = this._core._entry(this.sessionId);
    const slots = acceptedList(binding.activeClaims(entry, target()), this);
    return slots.map((slot) => handles[slot] as ExecutionClaim<T>);
  }

  /**
   * Adds the claim's run to the session's operation, opening one (`now`, then `newId` for its note) if
   * none is retained. `lineage` asks for a turn projection (`newId`), `terminal` for the run's terminal
   * fact. Idempotent per run: what was asked first stands. If `newId` or `now` throws, nothing is
   * retained. Of the members of a scope, the one that opens first in an attempt owes status and note.
   *
   * `ERR_CLAIM_PHASE` for a claim without a generation; `ERR_CLAIM_FOREIGN` for one of another core or
   * session.
   */
  retain(
    claim: ExecutionClaim<T>,
    owed?: { readonly lineage?: T['lineage']; readonly terminal?: boolean },
  ): StopOperation<T> {
    reference(this);
    if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
    const { lineage, terminal = false } = owed === undefined ? {} : object(owed, 'owed');
    if (typeof terminal !== 'boolean') throw invalidArgument('owed.terminal', 'a boolean');
    if (claim._core !== this._core || claim.sessionId !== this.sessionId)
      throw reasoned(CLAIM_FOREIGN, this);
    for (;;) {
      this._check(claim);
      const asked = lineage !== undefined;
      const plan = accepted(binding.retainPlan(this._attempt, claim._claim, asked), this);
      const ts = (plan & OPENS) !== 0 ? this._core._now() : 0;
      const noteId = (plan & NOTE) !== 0 ? this._core._newId() : '';
      const turnId = (plan & TURN) !== 0 ? this._core._newId() : '';
      this._check(claim);
      const answer = binding.retain(this._attempt, claim._claim, plan, terminal, target());
      const retained = acceptedList(answer, this);
      // Empty: the clock or the ids have called back and changed what is needed.
      if (retained.length === 0) continue;
      const [slot, member, opened, id] = retained as [number, number, number, number];
      const operation =
        opened !== 0
          ? StopOperation._open<T>(this._core, this.sessionId, slot, id, this.input, ts, noteId)
          : (handles[slot] as StopOperation<T>);
      if (member !== 0) operation._add(member - 1, claim, lineage, turnId);
      if (this._attempt === OVER && (plan & NOTE) !== 0) this._attempt = OVER_OPENED;
      this._operation = operation;
      return operation;
    }
  }

  /**
   * Resolves, to the errors of the failed ones, when every captured claim has ended: in claim order. Of
   * the starter in a scope, the claims of all members, then the parts' rejections in order of joining;
   * of a part, its own claims. Never rejects.
   */
  drained(): Promise<unknown[]> {
    try {
      const attempt = reference(this);
      if (this._failures !== undefined) return Promise.resolve([...this._failures]);
      const drained = accepted(binding.drained(attempt), this);
      if (drained !== 0) return Promise.resolve(drained === 1 ? [] : this._collect());
    } catch (error) {
      return Promise.reject(error);
    }
    const draining = new Deferred<unknown[]>();
    this._draining.push(draining);
    return draining.promise;
  }

  /** What must hold before and after the caller's clock and ids were asked. */
  private _check(claim: ExecutionClaim<T>): void {
    if (this._core._number === NONE) throw closedError();
    if (claim._claim < 0) throw reasoned(NO_GENERATION, this, claim._word() & 7);
  }

  /** @internal The promise of the whole. */
  get _promise(): Promise<void> {
    return (this._whole as Deferred<void>).promise;
  }

  /**
   * @internal Tells the captured claims, then aborts them, in claim order; of a starter, drops what is
   * queued in the last step. False: the core has ended.
   */
  _capture(clear: boolean): boolean {
    for (const claim of this._untold.splice(0)) {
      if (this._core._number === NONE) return false;
      claim._call(this);
    }
    const captured = this._captured;
    let from = 0;
    captured.forEach((claim, place) => {
      // A listener sees the claims before its own aborted, and those after it not: Rust is told
      // before any listener may run, and once for all that nobody listens to.
      if (this._core._number === NONE || !(claim._signalled || claim._claim < 0)) return;
      value(binding.attemptAbort(this._attempt, from, place, false));
      from = place + 1;
      claim._abort();
    });
    if (this._core._number === NONE) return false;
    if (clear || from < captured.length)
      value(binding.attemptAbort(this._attempt, from, captured.length, clear));
    // Whoever listens to the queue may have ended the core.
    return this._core._number !== (NONE as number);
  }

  /** @internal Starter: makes the attempt. */
  _begin(attempt: (stop: StopAttempt<T>) => Promise<void>): void {
    if (this._capture(true)) this._make(attempt);
  }

  /** @internal Another member: its part, or what stands for one. */
  _take(part: ((stop: StopAttempt<T>) => Promise<void>) | undefined): void {
    if (!this._capture(false)) return;
    if (part !== undefined) {
      this._make(part);
      return;
    }
    const runs = value(binding.hasOwnRuns(this._attempt)) === 1;
    this._settle(runs ? { ok: false, error: reasoned(GENERATION_FOREIGN, this) } : { ok: true });
  }

  private _make(attempt: (stop: StopAttempt<T>) => Promise<void>): void {
    attempted(() => attempt(this)).then(
      () => this._settle({ ok: true }),
      (error: unknown) => this._settle({ ok: false, error }),
    );
  }

  private _settle(outcome: Outcome): void {
    if (this._attempt < 0) return;
    this._outcome = outcome;
    const crossed = !outcome.ok && this._core._shared ? cross(outcome.error) : undefined;
    const settled = value(binding.attemptSettled(this._attempt, outcome.ok, crossed));
    // The session has met a fault of ours and will tell nobody: those who wait here are.
    if (settled < 0) this._fail(refusal(settled, this));
  }

  private _fail(error: unknown): void {
    this._whole?.reject(error);
    for (const each of this._draining.splice(0)) each.reject(error);
  }

  private _collect(): unknown[] {
    const attempt = this._attempt;
    const count = value(binding.failures(attempt, target()));
    // What is told of a session that has met a fault of ours is that.
    if (count < 0) return [refusal(count, this)];
    const places = list(count);
    return places.map((place) => {
      const own = this._captured[place];
      return own ? own._failure() : uncross(textOf(binding.failureText(attempt, place)));
    });
  }

  /** @internal */
  _drained(failed: number): void {
    const draining = this._draining;
    this._draining = [];
    for (const each of draining) each.resolve(failed === 0 ? [] : this._collect());
  }

  /** @internal */
  _lifted(gone: boolean): void {
    const whole = this._whole;
    if (gone) whole?.reject(closedError());
    else if (this._outcome === undefined || this._outcome.ok) whole?.resolve();
    else whole?.reject(this._outcome.error);
  }

  /** @internal Nothing is asked of Rust any more: the handle keeps what it needs. */
  _over(word: number): void {
    const slot = this._attempt;
    if (slot < 0) return;
    if ((word & 1) === 0) {
      this._failures = [];
      this._attempt = (word & 2) !== 0 ? OVER_OPENED : OVER;
    } else {
      this._failures = this._collect();
      handles[slot] = undefined;
      this._attempt = value(binding.attemptForget(slot)) === 1 ? OVER_OPENED : OVER;
    }
    this._drain();
  }

  /** @internal */
  _end(): void {
    if (this._attempt < 0) return;
    this._failures ??= [];
    this._attempt = OVER;
    this._whole?.reject(closedError());
    this._drain();
  }

  private _drain(): void {
    for (const each of this._draining.splice(0)) each.resolve([...(this._failures ?? [])]);
  }
}

/** A stop of another member that this one has joined. */
export class JoinedStop implements Acting {
  readonly #deferred = new Deferred<void>();
  readonly #slot: number;

  constructor(slot: number) {
    this.#slot = slot;
    handles[slot] = this;
    quiet(this.#deferred.promise);
  }

  get promise(): Promise<void> {
    return this.#deferred.promise;
  }

  _joined(how: number): void {
    const text = textOf(binding.joinedForget(this.#slot));
    handles[this.#slot] = undefined;
    if (how === 0) this.#deferred.resolve();
    else this.#deferred.reject(how === 1 ? uncross(text) : closedError());
  }

  _end(): void {
    this.#deferred.reject(closedError());
  }
}

const textOf = (text: unknown): string | undefined => (typeof text === 'string' ? text : undefined);

function reference(self: object | undefined): number {
  const slot = (self as { _attempt?: unknown } | undefined)?._attempt;
  if (typeof slot !== 'number') throw invalidThis('StopAttempt');
  return slot;
}
