import process from 'node:process';
import binding from './binding.js';
import { ApplicationOperationService } from './admission.js';
import { callable, nonEmpty, object, optionalString, string, strings } from './arguments.js';
import { ExecutionClaim } from './claim.js';
import { delivering, type Acting } from './effects.js';
import { closedError, invalidArgument, invalidThis } from './errors.js';
import { BackendGeneration } from './generation.js';
import { BackendInvalidation } from './invalidation.js';
import {
  Deferred,
  NONE,
  accepted,
  acceptedList,
  acceptedTexts,
  attempted,
  busy,
  drain,
  handles,
  quiet,
  reason,
  reasoned,
  refusal,
  target,
  value,
} from './native.js';
import type { InteractionRequest } from './request.js';
import { SteeringTurn, takeQueue, type Memo } from './steering.js';
import { JoinedStop, StopAttempt } from './stop.js';
import { Task } from './task.js';
import type { CoreTypes, QueueSnapshot } from './values.js';

const CLAIM_FOREIGN = reason('ClaimForeign');
/** No id that anybody could ask for. */
const NOTHING = {};

/** What a core asks its caller for. */
export interface RuntimeCoreOptions {
  /**
   * Called once per steered message and per stop note and stop turn projection, when needed and only
   * then. What it throws is thrown on, and nothing was done.
   */
  readonly newId: () => string;
  /** Called once per stop operation: milliseconds, by whatever clock the caller keeps. */
  readonly now: () => number;
  /** Name of the process-wide state to join: a non-empty string. Omitted: state of its own. */
  readonly scope?: string;
}

/** What a member of a scope may bring besides. */
export interface ScopedCoreOptions<T extends CoreTypes = CoreTypes> extends RuntimeCoreOptions {
  /** Name of the process-wide state to join: a non-empty string. */
  readonly scope: string;
  /**
   * This member's part in a stop that another member started: what `attempt` would do here. Called as a
   * macrotask, after the `onStop` of this member's captured claims and the abort of their signals. Left
   * out: this member's running turns are reported to the starter as an error, and not stopped. A part
   * that awaits a stop of its own session waits for ever.
   */
  readonly onForeignStop?: (stop: StopAttempt<T>) => Promise<void>;
}

/** Cores that were forgotten unclosed: a weak backstop. Whatever they hold keeps them reachable. */
const forgotten = new FinalizationRegistry<number>((core) => end(core));

let awaiting = false;

/** What another thread has posted keeps this one from ending unheard; an idle member does not. */
function awaitDeliveries(): void {
  if (awaiting) return;
  awaiting = true;
  process.on('beforeExit', () => void value(binding.keepWaiting()));
}

function end(core: number): void {
  value(binding.closeBegin(core));
  const coded = binding.closeEnd(core, target());
  for (const slot of acceptedList(coded, {})) {
    const handle = handles[slot] as Acting | undefined;
    handles[slot] = undefined;
    handle?._end?.();
  }
}

/**
 * The in-memory facts of an agent runtime's kernel: who may run, who is stopping, who holds which
 * message. One record per session, in Rust; nothing of it is durable.
 *
 * Private by default. Cores of one `scope` are its members and share claims, registered runs, mutations,
 * stop attempts, the stop quarantine, steering queues, generation ids and phases, and admission; handles,
 * values, promises, interaction requests, invalidations, checkpoint slots, activations in flight and
 * serial lanes stay with their member. Members may live in any worker thread of the process.
 *
 * A method is synchronous unless it returns a Promise; a call throws and changes nothing, or is applied
 * as a whole. One that returns a Promise rejects and never throws. Wrong arguments are a `TypeError`
 * `ERR_INVALID_ARG_TYPE` that names the argument; a detached method is `ERR_INVALID_THIS`; after `close`
 * every call is `ERR_CLOSED`; a fault of tenure itself is `ERR_INTERNAL`, for the session it happened in.
 * Seed 3.
 */
export class RuntimeCore<T extends CoreTypes = CoreTypes> implements Disposable {
  /** The runtime's active operations, one registry for all members of the scope. */
  readonly operations: ApplicationOperationService;
  /** @internal */
  _number: number;
  /** @internal Members of a scope pass words, since another may have to read them. */
  readonly _shared: boolean;
  private readonly _options: RuntimeCoreOptions;
  private readonly _ids: () => string;
  private readonly _clock: () => number;
  private readonly _part: ((stop: StopAttempt<T>) => Promise<void>) | undefined;
  /** The session looked up last: Rust keeps its entry until another one is looked up. */
  private _lastId: unknown = NOTHING;
  private _lastEntry = 0;

  /** `ERR_INVALID_ARG_TYPE`. */
  constructor(options: RuntimeCoreOptions | ScopedCoreOptions<T>) {
    const given = object(options, 'options') as ScopedCoreOptions<T>;
    this._options = given;
    this._ids = callable(given.newId, 'options.newId');
    this._clock = callable(given.now, 'options.now');
    const { scope, onForeignStop } = given as Partial<ScopedCoreOptions<T>>;
    if (scope !== undefined) nonEmpty(scope, 'options.scope');
    if (onForeignStop !== undefined) callable(onForeignStop, 'options.onForeignStop');
    this._part = onForeignStop;
    this._shared = scope !== undefined;
    const self = new WeakRef(this);
    this._number = accepted(
      binding.openCore(scope, () => self.deref()?._deliver()),
      {},
    );
    if (this._shared) awaitDeliveries();
    this.operations = ApplicationOperationService._of(this);
    forgotten.register(this, this._number, this);
  }

  /**
   * Ends this core's part as the end of its thread would: live claims fail, leases go back, registrations
   * and mutations end, waiters are told (`ERR_CLOSED`). Idempotent. Every later call but this one is
   * `ERR_CLOSED`; `release`, `settle`, `finalize` and `leaveGeneration` of its handles do nothing.
   */
  close(): void {
    const core = number(this);
    if (core === NONE) return;
    this._number = NONE;
    this._lastId = NOTHING;
    forgotten.unregister(this);
    end(core);
  }

  /** `close`. */
  [Symbol.dispose](): void {
    RuntimeCore.prototype.close.call(this);
  }

  // -- executions -----------------------------------------------------------

  /**
   * Without `pending`: a fresh claim, phase `pending`; `ERR_SESSION_STOPPING` while a stop attempt stands.
   * With `pending`: that same claim, provided it was issued by this core for this session and is still
   * `pending`, else `ERR_CLAIM_FOREIGN`; allowed during a stop.
   */
  claimExecution(sessionId: string, pending?: object): ExecutionClaim<T> {
    const entry = entryOf(this, sessionId);
    if (pending !== undefined) return this._own(entry, sessionId, object(pending, 'pending'));
    const slot = value(binding.claim(entry));
    if (slot < 0) throw refusal(slot, { sessionId });
    return (handles[slot] = ExecutionClaim._make<T>(this, sessionId, slot)) as ExecutionClaim<T>;
  }

  /** Any run registered on any generation of the session, current or not, of any member. */
  hasActiveRuns(sessionId: string): boolean {
    const core = number(this);
    if (sessionId === this._lastId)
      return accepted(binding.entryHasActiveRuns(this._lastEntry), {}) !== 0;
    return accepted(binding.hasActiveRuns(core, nonEmpty(sessionId, 'sessionId')), {}) !== 0;
  }

  /** That very run, and of that turn if given. */
  hasActiveRun(sessionId: string, runId: string, turnId?: string): boolean {
    const core = number(this);
    nonEmpty(sessionId, 'sessionId');
    string(runId, 'runId');
    optionalString(turnId, 'turnId');
    if (sessionId === this._lastId)
      return accepted(binding.entryHasActiveRun(this._lastEntry, runId, turnId), {}) !== 0;
    return accepted(binding.hasActiveRun(core, sessionId, runId, turnId), {}) !== 0;
  }

  /** The run owning `turnId` on the route's current generation, if that is this member's. O(1). */
  runForTurn(sessionId: string, route: string | undefined, turnId: string): T['run'] | undefined {
    const entry = entryOf(this, sessionId);
    optionalString(route, 'route');
    string(turnId, 'turnId');
    return this._run(binding.runForTurn(entry, route, turnId));
  }

  /** The run with that id on the route's current generation, if that is this member's. O(1). */
  activeRun(sessionId: string, route: string | undefined, runId: string): T['run'] | undefined {
    const entry = entryOf(this, sessionId);
    optionalString(route, 'route');
    string(runId, 'runId');
    return this._run(binding.activeRun(entry, route, runId));
  }

  /**
   * The distinct turns of the runs registered on any generation of the session, of any member, in
   * creation order of the generations, then by age.
   */
  activeTurnIds(sessionId: string): string[] {
    const core = number(this);
    return acceptedTexts(binding.activeTurnIds(core, nonEmpty(sessionId, 'sessionId')), {});
  }

  // -- session mutations ------------------------------------------------------

  /**
   * Queues `task` on all the sessions in one step (a repeated id counts once) and runs it, never
   * synchronously, after every mutation queued before on any of them, failed or not. Sets that overlap in
   * any order never deadlock. Claims made from this call on wait for it in `enter`; earlier claims and
   * active runs do not, and it does not wait for them.
   *
   * `quiescent` rejects, queueing nothing, with `ERR_SESSION_BUSY` if a session has a live claim at the
   * call. An empty set or id rejects with `ERR_INVALID_ARG_TYPE`. The promise is the caller's: a rejection
   * must be handled. A task that mutates one of its own sessions, or waits for a claim made since or for a
   * stop that captured one, waits for ever.
   */
  mutateSessions<R>(
    sessionIds: readonly string[],
    task: () => R | PromiseLike<R>,
    options?: { readonly quiescent?: boolean },
  ): Promise<R> {
    try {
      number(this);
      const ids = strings(sessionIds, 'sessionIds', false);
      if (ids.length === 0) throw invalidArgument('sessionIds', 'a non-empty array');
      callable(task, 'task');
      const { quiescent = false } = options === undefined ? {} : object(options, 'options');
      if (typeof quiescent !== 'boolean') throw invalidArgument('options.quiescent', 'a boolean');
      const queued = binding.mutate(this._number, ids, quiescent);
      if (typeof queued !== 'number') throw busy(queued);
      const taken = accepted(queued, {});
      return Task.mutation(task, taken >> 1, (taken & 1) !== 0);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  // -- interaction requests ---------------------------------------------------

  /** The session's open request with that id. */
  request(sessionId: string, requestId: string): InteractionRequest<T> | undefined {
    const entry = entryOf(this, sessionId);
    const open = accepted(binding.request(entry, string(requestId, 'requestId')), {});
    return open === 0 ? undefined : (handles[open - 1] as InteractionRequest<T>);
  }

  /** The session's open requests, in the order opened. */
  requests(sessionId: string): InteractionRequest<T>[] {
    const slots = acceptedList(binding.requests(entryOf(this, sessionId), target()), {});
    return slots.map((slot) => handles[slot] as InteractionRequest<T>);
  }

  // -- stop ---------------------------------------------------------------------

  /**
   * Starts the session's stop attempt, or returns the promise of the one that stands (the same object).
   * Starting, in this order and before returning: refuses new claims, captures the live ones and flags
   * them; calls `onStop` of every captured claim that has a run, in claim order; aborts the `stopSignal`
   * of every captured claim; drops queued steering and followup texts (leases stay), delivering the
   * snapshot; calls `attempt(stop)`. The attempt is lifted when `attempt`'s promise has settled, and in a
   * scope every other member's part, before the returned promise does, which settles alike.
   *
   * In a scope `input` is carried to other members as JSON; what JSON refuses rejects and starts nothing.
   */
  stopSession(
    sessionId: string,
    input: T['stopInput'],
    attempt: (stop: StopAttempt<T>) => Promise<void>,
  ): Promise<void> {
    try {
      let entry = entryOf(this, sessionId);
      callable(attempt, 'attempt');
      let stopped = accepted(binding.stop(entry, undefined), { sessionId });
      if ((stopped & 3) === 2) {
        // Runs the caller's code: what stood before may have changed.
        const text = JSON.stringify(input) ?? '';
        entry = this._entry(sessionId);
        stopped = accepted(binding.stop(entry, text), { sessionId });
      }
      const slot = stopped >> 2;
      if ((stopped & 3) === 0) return (handles[slot] as StopAttempt<T>)._promise;
      if ((stopped & 3) === 1)
        return ((handles[slot] as JoinedStop | undefined) ?? new JoinedStop(slot)).promise;
      const stop = StopAttempt._start<T>(this, sessionId, slot, input);
      stop._begin(attempt);
      return stop._promise;
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  // -- steering -----------------------------------------------------------------

  /**
   * Makes the turn the owner of the session's queue; a later turn takes ownership over. `onUpdate` gets a
   * snapshot synchronously, inside the call that changed the queue and after the change, whichever turn
   * caused it, while this turn is the owner; as a macrotask when another member caused it. Opening
   * delivers none. Leave it out when nobody looks: no snapshot is built then.
   */
  openSteeringTurn(
    sessionId: string,
    turnId: string,
    onUpdate?: (snapshot: QueueSnapshot) => void,
  ): SteeringTurn {
    const entry = entryOf(this, sessionId);
    string(turnId, 'turnId');
    if (onUpdate !== undefined) callable(onUpdate, 'onUpdate');
    const slot = accepted(binding.openTurn(entry, turnId, onUpdate !== undefined), { sessionId });
    return SteeringTurn._make(this, sessionId, turnId, slot, onUpdate);
  }

  /**
   * Queues a text for the owning turn's next `pull`. False, changing nothing and drawing no id, without
   * an owner.
   */
  steer(sessionId: string, text: string): boolean {
    number(this);
    return this._queue(sessionId, text, false);
  }

  /** Queues a text for the next turn. False, changing nothing, without an owner. */
  queueMessage(sessionId: string, text: string): boolean {
    number(this);
    return this._queue(sessionId, text, true);
  }

  /** Takes the followup texts, oldest first. Works without an owner. */
  drainFollowup(sessionId: string): string[] {
    entryOf(this, sessionId);
    return takeQueue(this, sessionId, false);
  }

  /** Takes queued steering, then followup texts. Leased messages are committed and stay. */
  retractQueue(sessionId: string): string[] {
    entryOf(this, sessionId);
    return takeQueue(this, sessionId, true);
  }

  // -- backend generations ------------------------------------------------------

  /** The route's current generation, if it is this member's. */
  currentGeneration(sessionId: string, route?: string): BackendGeneration<T> | undefined {
    const entry = entryOf(this, sessionId);
    optionalString(route, 'route');
    const current = accepted(binding.currentGeneration(entry, route), {});
    return current === 0 ? undefined : (handles[current - 1] as BackendGeneration<T>);
  }

  /** Every generation of the session that this member made and that is not terminated, in creation order. */
  generations(sessionId: string): BackendGeneration<T>[] {
    const slots = acceptedList(binding.generations(entryOf(this, sessionId), target()), {});
    return slots.map((slot) => handles[slot] as BackendGeneration<T>);
  }

  /**
   * The route's current generation; else the result of the activation in flight for the route (the same
   * promise, and the same rejection); else of `build`, called before returning. The promise is the
   * caller's: a rejection must be handled. Rejects with `ERR_GENERATION_FOREIGN` when the route's backend
   * lives with another member.
   *
   * With the `claim` for which it is asked, whoever joins a build that a stop cut short is rejected with
   * the cancellation of that claim, if the stop has captured it too, and not with the builder's.
   * `ERR_CLAIM_FOREIGN` for a claim of another core or session.
   */
  activate(
    sessionId: string,
    route: string | undefined,
    build: () => Promise<BackendGeneration<T>>,
    claim?: ExecutionClaim<T>,
  ): Promise<BackendGeneration<T>> {
    try {
      const entry = entryOf(this, sessionId);
      optionalString(route, 'route');
      callable(build, 'build');
      if (claim !== undefined) {
        if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
        if (claim._core !== this || claim.sessionId !== sessionId)
          throw reasoned(CLAIM_FOREIGN, { sessionId });
      }
      const activated = accepted(binding.activate(entry, route), { sessionId });
      const slot = activated >> 2;
      if ((activated & 3) === 0) return Promise.resolve(handles[slot] as BackendGeneration<T>);
      if ((activated & 3) === 1) {
        const joined = handles[slot] as Promise<BackendGeneration<T>>;
        return claim === undefined ? joined : joined.catch((error: unknown) => claim._joins(error));
      }
      return this._build(slot, build);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Registers a built backend as a new generation in phase `active`. In the same step it becomes the
   * route's current one, unless a stop has captured `claim` or the route lives with another member: then
   * `isCurrent` is false and the caller must dispose it. Ids ascend from 1 within a scope.
   * `ERR_CLAIM_FOREIGN` for another core's claim.
   */
  createGeneration(
    claim: ExecutionClaim<T>,
    route: string | undefined,
    backend: T['backend'],
    header: T['header'],
  ): BackendGeneration<T> {
    if (number(this) === NONE) throw closedError();
    if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
    optionalString(route, 'route');
    const { sessionId } = claim;
    if (claim._core !== this) throw reasoned(CLAIM_FOREIGN, { sessionId });
    const entry = entryOf(this, sessionId);
    const answer = binding.createGeneration(entry, claim._claim, route, target());
    const [slot, id] = acceptedList(answer, { sessionId }) as [number, number];
    const made = BackendGeneration._make<T>(this, sessionId, id, route, backend, header, slot);
    handles[slot] = made;
    return made;
  }

  /** Ids of the sessions that hold a generation or an invalidation of this member. */
  cachedSessions(): string[] {
    return acceptedTexts(binding.cachedSessions(number(this)), {});
  }

  // -- invalidation -------------------------------------------------------------

  /** The session's invalidation, opened if there is none. */
  invalidate(sessionId: string): BackendInvalidation<T> {
    const opened = accepted(binding.invalidate(entryOf(this, sessionId)), {});
    const slot = opened >> 1;
    return (opened & 1) !== 0
      ? BackendInvalidation._make<T>(sessionId, slot)
      : (handles[slot] as BackendInvalidation<T>);
  }

  /** The session’s invalidation, if there is one of this member. */
  invalidation(sessionId: string): BackendInvalidation<T> | undefined {
    number(this);
    return this._invalidation(sessionId, false);
  }

  /** The invalidation if it may run now, that is if the session has no active run in any member. */
  dueInvalidation(sessionId: string): BackendInvalidation<T> | undefined {
    number(this);
    return this._invalidation(sessionId, true);
  }

  // -- checkpoint slot ------------------------------------------------------------

  /**
   * The stored checkpoint (which may be `undefined`); else the load in flight (the same promise); else
   * `load`, called before returning. Its value is stored unless a checkpoint was stored meanwhile, which
   * then is the result, or the slot was dropped by a disposal. The promise is the caller's: a rejection
   * must be handled.
   */
  loadCheckpoint(
    sessionId: string,
    load: () => Promise<T['checkpoint'] | undefined>,
  ): Promise<T['checkpoint'] | undefined> {
    try {
      const entry = entryOf(this, sessionId);
      callable(load, 'load');
      const answer = acceptedList(binding.checkpointLoad(entry, target()), { sessionId });
      const [kind, slot, flight] = answer as [number, number, number];
      if (kind === 0) return Promise.resolve((handles[slot] as Cell<T>).value);
      if (kind === 1) return (handles[slot] as Cell<T>).loading as Promise<T['checkpoint']>;
      return this._load(sessionId, slot, flight, load);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Keeps a checkpoint in the session’s slot, in memory, over whatever was or is being loaded
   * there.
   */
  storeCheckpoint(sessionId: string, checkpoint: T['checkpoint']): void {
    const slot = accepted(binding.checkpointStore(entryOf(this, sessionId)), { sessionId });
    const cell = handles[slot] as Cell<T> | undefined;
    handles[slot] = { value: checkpoint, loading: cell?.loading };
  }

  // -- serial lanes -----------------------------------------------------------------

  /**
   * Runs `task` (never synchronously) after every earlier task of the lane, failed or not. The promise is
   * the caller's: a rejection must be handled. `ERR_CLOSED` when the core ends before it has started.
   */
  serialize<R>(sessionId: string, lane: string, task: () => Promise<R>): Promise<R> {
    try {
      const entry = entryOf(this, sessionId);
      string(lane, 'lane');
      callable(task, 'task');
      const queued = accepted(binding.serialize(entry, lane), { sessionId });
      return Task.lane(task, queued >> 1, (queued & 1) !== 0);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  // -- figures ------------------------------------------------------------------------

  /** Live records of the scope, for leak tests: both 0 once everything is released and disposed. */
  stats(): { readonly sessions: number; readonly admissions: number } {
    const core = number(this);
    const sessions = accepted(binding.liveSessions(core), {});
    return { sessions, admissions: accepted(binding.admissions(core), {}) };
  }

  // -- inside ---------------------------------------------------------------------------

  /** @internal */
  _entry(sessionId: string): number {
    if (sessionId === this._lastId) return this._lastEntry;
    const core = number(this);
    nonEmpty(sessionId, 'sessionId');
    const entry = accepted(binding.open(core, sessionId), { sessionId });
    this._lastId = sessionId;
    this._lastEntry = entry;
    return entry;
  }

  /** @internal */
  _attempt(slot: number): StopAttempt<T> {
    return (handles[slot] as StopAttempt<T> | undefined) ?? StopAttempt._part<T>(this, slot);
  }

  /** @internal */
  _now(): number {
    const now: unknown = this._clock.call(this._options);
    if (typeof now !== 'number') throw invalidArgument('the result of now', 'a number');
    return now;
  }

  /** @internal */
  _newId(): string {
    return string(this._ids.call(this._options), 'the result of newId');
  }

  private _deliver(): void {
    const core = this._number;
    if (core === NONE) return;
    delivering(core, (slot) => this._attempt(slot)._take(this._part));
  }

  private _own(entry: number, sessionId: string, pending: object): ExecutionClaim<T> {
    const owns =
      pending instanceof ExecutionClaim &&
      (pending as ExecutionClaim<T>)._core === this &&
      value(binding.claimOwns(entry, pending._claim)) >= 0;
    if (!owns) throw reasoned(CLAIM_FOREIGN, { sessionId });
    return pending as ExecutionClaim<T>;
  }

  private _run(coded: number): T['run'] | undefined {
    const claim = accepted(coded, {});
    return claim === 0 ? undefined : (handles[claim - 1] as ExecutionClaim<T>)._riders?.run;
  }

  private _queue(sessionId: string, text: string, nextTurn: boolean): boolean {
    let entry = this._entry(sessionId);
    if (typeof text !== 'string') throw invalidArgument('text', 'a string');
    let id = '';
    if (!nextTurn) {
      const owned = value(binding.hasOwner(entry));
      if (owned < 0) throw refusal(owned, { sessionId });
      if (owned === 0) return false;
      id = this._newId();
      // `newId` is the caller's: it may have called the core, or closed it.
      entry = this._entry(sessionId);
    }
    if (this._shared)
      return accepted(binding.queueSaid(entry, nextTurn, id, text), { sessionId }) !== 0;
    const coded = binding.queue(entry, nextTurn);
    const slot = coded >> 1;
    if (slot < 0) throw refusal(slot, { sessionId });
    if (slot > 0) handles[slot - 1] = { id, text } satisfies Memo;
    if ((coded & 1) !== 0) drain();
    return slot > 0;
  }

  private _build(
    slot: number,
    build: () => Promise<BackendGeneration<T>>,
  ): Promise<BackendGeneration<T>> {
    const flight = new Deferred<BackendGeneration<T>>();
    handles[slot] = flight.promise;
    const end = (): void => {
      if (handles[slot] !== flight.promise) return;
      handles[slot] = undefined;
      value(binding.activated(slot));
    };
    attempted(build).then(
      (generation) => {
        end();
        flight.resolve(generation);
      },
      (error: unknown) => {
        end();
        flight.reject(error);
      },
    );
    return flight.promise;
  }

  private _load(
    sessionId: string,
    slot: number,
    flight: number,
    load: () => Promise<T['checkpoint'] | undefined>,
  ): Promise<T['checkpoint'] | undefined> {
    const loading = new Deferred<T['checkpoint'] | undefined>();
    handles[slot] = { value: undefined, loading: loading.promise } satisfies Cell<T>;
    const loaded = (ok: boolean, own: T['checkpoint'] | undefined): T['checkpoint'] | undefined => {
      if (this._number === NONE) return own;
      const answer = value(binding.checkpointLoaded(this._entry(sessionId), flight, ok));
      if ((answer & 3) === 1) handles[answer >> 2] = { value: own, loading: undefined };
      return (answer & 3) === 2 ? (handles[answer >> 2] as Cell<T>).value : own;
    };
    attempted(load).then(
      (own) => loading.resolve(loaded(true, own)),
      (error: unknown) => {
        loaded(false, undefined);
        loading.reject(error);
      },
    );
    return loading.promise;
  }

  private _invalidation(sessionId: string, due: boolean): BackendInvalidation<T> | undefined {
    const open = accepted(binding.invalidation(this._entry(sessionId), due), {});
    return open === 0 ? undefined : (handles[open - 1] as BackendInvalidation<T>);
  }
}

/** A checkpoint slot: its value, and the load in flight. */
interface Cell<T extends CoreTypes> {
  readonly value: T['checkpoint'] | undefined;
  readonly loading: Promise<T['checkpoint'] | undefined> | undefined;
}

/** The session's entry, for a method that may have been called on anything. */
function entryOf(self: object, sessionId: string): number {
  number(self);
  return (self as { _entry(id: string): number })._entry(sessionId);
}

function number(self: object | undefined): number {
  const core = (self as { _number?: unknown } | undefined)?._number;
  if (typeof core !== 'number') throw invalidThis('RuntimeCore');
  return core;
}
