/// <reference lib="esnext.disposable" />
// Built from lib/ by `npm run build`. Change it there.
/** A run: the three strings by which the core knows it. */
interface RunIdentity {
  /** Non-empty; so are the others. */
  readonly sessionId: string;
  /** Unique on a backend generation. */
  readonly runId: string;
  /** Unique on a backend generation: the turn that is steered and looked up. */
  readonly turnId: string;
}
/**
 * The caller's own types, opaque to the core: stored by reference and handed back unchanged. Override
 * by `interface Mine extends CoreTypes` and name it once, as `RuntimeCore<Mine>`.
 */
interface CoreTypes {
  /** What `attach` takes: a run, with whatever else of yours it has. */
  run: RunIdentity;
  /** Hosted interaction owner of exactly one run. */
  interaction: RunIdentity;
  /** One instance of a backend, as `createGeneration` takes it. */
  backend: object;
  /** `cachedHeader` of a generation. */
  header: object;
  /** What a stop is asked with. In a scope it crosses to other members as JSON. */
  stopInput: object;
  /** What the projection of a stopped turn carries. */
  lineage: object;
  /** What you make of a projection, kept across retries. */
  message: object;
  /** What `loadCheckpoint` and `storeCheckpoint` keep. */
  checkpoint: object;
  /** What a turn asks a person. */
  request: object;
  /** What the commit of a continuation's start resolves to. */
  start: object;
}
/** How something ended. */
type Outcome =
  | {
      readonly ok: true;
    }
  | {
      readonly ok: false;
      readonly error: unknown;
    };
/** A message leased to a turn, which must `ack` or `nack` it by its `id`. */
interface SteeringMessage {
  /** Of the lease; what `ack` and `nack` take. The id that `newId` gave. */
  readonly id: string;
  /** The same, for whoever stores the message. */
  readonly messageId: string;
  /** The text as it was steered. */
  readonly content: {
    readonly text: string;
  };
}
/** What is not yet in the transcript. */
interface QueueSnapshot {
  /** The turn that owns the queue. */
  readonly turnId: string;
  /** Leased and unsettled texts first, then queued ones. */
  readonly steering: string[];
  /** Texts for the next turn. */
  readonly followup: string[];
}
/** An active application operation, and all that is known of it: existence means active. */
interface ApplicationOperationRegistration {
  /** Unique among the active operations of its registry. */
  readonly operationId: string;
  /** Opaque: who interprets and controls the operation. */
  readonly ownerId: string;
  /** `null`: application-wide work. */
  readonly sessionId: string | null;
}

/** What is to be admitted. */
interface ApplicationOperationRequest {
  /** Unique among the active operations of the registry. */
  readonly operationId: string;
  /** Opaque: never validated against anything. */
  readonly ownerId: string;
  /** Left out or `null`: application-wide work. */
  readonly sessionId?: string | null;
  /** Opaque, compared exactly; a repeated one counts once. All are taken or none. Empty: no exclusivity. */
  readonly exclusivityKeys: readonly string[];
}
/**
 * Active application operations: existence means active, absence means not active, and nothing else is
 * stored. In memory only. Services of one `scope`, in any core of the process, are one registry.
 * Seed 1.
 */
declare class ApplicationOperationService {
  /**
   * Needs no core. Without `scope` the registry is its own; a named one lasts as long as its thread.
   * `ERR_INVALID_ARG_TYPE`.
   */
  constructor(options?: { readonly scope?: string });
  /**
   * Registers the operation and takes all its keys, or does nothing.
   *
   * `ERR_OPERATION_BUSY` for a held key (judged first), with the holder's registration;
   * `ERR_OPERATION_DUPLICATE` for an operation id that is active; `ERR_ADMISSION_CLOSED` after `close`;
   * `ERR_CLOSED` after the core's; `ERR_INVALID_ARG_TYPE`.
   */
  reserve(request: ApplicationOperationRequest): OperationLease;
  /** The active operation's registration, frozen, or null: it is not active. `ERR_INVALID_ARG_TYPE`. */
  get(operationId: string): ApplicationOperationRegistration | null;
  /**
   * The active operations, in order of admission: a list of its own, yours to change. `sessionId: null`
   * selects application-wide work. `ERR_INVALID_ARG_TYPE`.
   */
  listActive(filter?: {
    readonly sessionId?: string | null;
    readonly ownerId?: string;
  }): ApplicationOperationRegistration[];
  /** Clears every registration, of the whole scope, and refuses every later reservation. */
  close(): void;
}
/**
 * The right to end one registration. Identity-safe: never ends a later one with the same id. Seed 1.
 */
declare class OperationLease implements Disposable {
  /** What was admitted, frozen. */
  readonly registration: ApplicationOperationRegistration;
  private constructor();
  /**
   * Removes the registration that this very lease made. Idempotent; a no-op after `close`. A lease that
   * is collected unreleased keeps its registration: losing a handle is not the end of the work.
   */
  release(): void;
  /** `release`, so that `using` works. */
  [Symbol.dispose](): void;
}
/**
 * `session:<sessionId>`: the key that work on one session takes. `ERR_INVALID_ARG_TYPE`. Seed 1.
 */
declare function sessionOperationExclusivityKey(sessionId: string): string;

/** What the core refuses with; see docs/errors.md for each. */
type CoreErrorCode =
  | 'ERR_ADMISSION_CLOSED'
  | 'ERR_CLAIM_FOREIGN'
  | 'ERR_CLAIM_PHASE'
  | 'ERR_CLAIM_START'
  | 'ERR_CLOSED'
  | 'ERR_EXECUTION_CANCELLED'
  | 'ERR_GENERATION_FAILED'
  | 'ERR_GENERATION_FOREIGN'
  | 'ERR_GENERATION_QUARANTINED'
  | 'ERR_GENERATION_STALE'
  | 'ERR_GENERATION_STOPPING'
  | 'ERR_INTERACTION_IDENTITY'
  | 'ERR_INTERNAL'
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_INVALID_THIS'
  | 'ERR_INVALIDATION_FAILED'
  | 'ERR_OPERATION_BUSY'
  | 'ERR_OPERATION_DUPLICATE'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_REQUEST_CONFLICT'
  | 'ERR_RUN_RESERVED'
  | 'ERR_SESSION_BUSY'
  | 'ERR_SESSION_QUARANTINED'
  | 'ERR_SESSION_STOPPING';
/** An error of the core: told by its `code`, whatever copy of the package made it. */
interface CoreError extends Error {
  /** What to test. */
  readonly code: CoreErrorCode;
}
/** What the durable rooms refuse with, besides ERR_INTERNAL and wrong arguments; see docs/errors.md. */
type OperationErrorCode =
  | 'ERR_AUTHORITY'
  | 'ERR_BACKUP_EXISTS'
  | 'ERR_CALL_SHAPE'
  | 'ERR_CLOSED'
  | 'ERR_FENCE_FULL'
  | 'ERR_INPUT_REFUSED'
  | 'ERR_JOURNAL_CORRUPT'
  | 'ERR_JOURNAL_IO'
  | 'ERR_JOURNAL_LOCKED'
  | 'ERR_JOURNAL_OPTIONS'
  | 'ERR_JOURNAL_VERSION'
  | 'ERR_LOG_IO'
  | 'ERR_OPERATION_CONFLICT'
  | 'ERR_OPERATION_RETIRED'
  | 'ERR_OPERATION_TERMINAL'
  | 'ERR_OPERATION_TRANSITION'
  | 'ERR_OPERATION_UNKNOWN'
  | 'ERR_PLAN_EXPIRED'
  | 'ERR_PLAN_FAILED'
  | 'ERR_PLAN_MISMATCH'
  | 'ERR_QUEUE_FULL'
  | 'ERR_RESULT_REFUSED'
  | 'ERR_SCHEMA_INVALID'
  | 'ERR_SCOPE_OWNED'
  | 'ERR_SUBMISSION_REFUSED';

/**
 * `active` ⇄ `stopping` (stop, reconcile); `active`, `stopping` → `disposing` (dispose); `disposing` →
 * `terminated` (disposed, and nothing holds it) or `failed` (for good). A generation is held while a
 * run is registered on it or a retained stop operation refers to it.
 */
type GenerationPhase = 'active' | 'stopping' | 'disposing' | 'failed' | 'terminated';
/**
 * One backend instance of a session, with the runs registered on it. Made by
 * {@link RuntimeCore.createGeneration}; belongs to the core and thread that made it. Seed 3.
 */
declare class BackendGeneration<T extends CoreTypes = CoreTypes> {
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
  private constructor();
  /** Where it stands. */
  get phase(): GenerationPhase;
  /** Whether it is its route's current one. */
  get isCurrent(): boolean;
  /** How many runs are registered on it, now. */
  get activeRuns(): {
    readonly size: number;
  };
  /** `ERR_GENERATION_FAILED`, once `failed`; the same object each time. */
  get failure(): CoreError | undefined;
  /** The disposal begun, if any; never rejects. */
  get disposal(): Promise<Outcome> | undefined;
  /**
   * active → stopping, and single flight: joins the stop in flight or calls `task` in a microtask. A
   * failure is for good: every later call rejects with that same error without calling `task`. A
   * rejection that nobody awaits is no unhandled one.
   */
  stop(task: () => Promise<void>): Promise<void>;
  /**
   * → disposing, and single flight: joins the disposal begun or calls `task` before returning. Never
   * rejects but for a wrong argument; resolves, after the phase has changed, to how `task` ended.
   * `{ ok: true }` if terminated.
   */
  dispose(task: () => Promise<void>): Promise<Outcome>;
  /**
   * To be called when a run has left or a stop has completed. If nothing holds the generation:
   * stopping → active; disposing and disposed → terminated. Returns a disposal to wait for.
   */
  reconcile(): Promise<Outcome> | undefined;
}

/**
 * Something that a stop still has to write: that the session is aborted (`status`), that a turn is
 * (`turn`), or who stopped it (`note`). Ids, turn and lineage are fixed once, `message` is kept. `done`
 * says that it is written, and is idempotent: a projection that is done is never given again.
 */
type StopProjection<T extends CoreTypes = CoreTypes> =
  | {
      readonly kind: 'status';
      done(): void;
    }
  | {
      readonly kind: 'note';
      readonly id: string;
      done(): void;
    }
  | {
      readonly kind: 'turn';
      readonly id: string;
      readonly turnId: string;
      readonly lineage: T['lineage'];
      /** The caller's to set; kept across retries, so that a message is built once. */
      message: T['message'] | undefined;
      done(): void;
    };
/**
 * What a stop still owes: one backend stop per generation (each delivered at most once), and
 * projections, each done at most once and in order: status, turns in the order retained, note; and the
 * terminal facts asked for, one per run, in any order, each tried until it lands. Retained from the
 * first `retain` to the `complete` that finds nothing owed. While retained it quarantines the session
 * and holds its generations. The handle stays usable after that. Seed 3.
 */
declare class StopOperation<T extends CoreTypes = CoreTypes> {
  /** The session that it quarantines. */
  readonly sessionId: string;
  /** Input of the attempt that opened the operation. */
  readonly input: T['stopInput'];
  /** What `now` said when it was opened. */
  readonly ts: number;
  private constructor();
  /**
   * Serial lane of the operation: `task` runs, never synchronously, after every earlier one, failed or
   * not. Settles as the task does; a rejection that nobody awaits is no unhandled one. Rejects with
   * `ERR_CLOSED` when the core ends before the task has started.
   */
  enqueue(task: () => Promise<void>): Promise<void>;
  /** The runs to stop, by generation, then in the order retained. */
  members(): StopMember<T>[];
  /** One handle for each generation whose backend stop was not yet delivered. */
  pendingDeliveries(): StopDelivery<T>[];
  /** The first projection not done. Ask again after `done`: runs retained meanwhile count. */
  nextProjection(): StopProjection<T> | undefined;
  /**
   * Marks the members stopped, but for those that still owe their terminal fact. If nothing is owed any
   * more, ends the retention: true the first time. `ERR_INVALID_ARG_TYPE` for members of another
   * operation.
   */
  complete(members: readonly StopMember<T>[]): boolean;
  /** The generations the operation still refers to. */
  generations(): BackendGeneration<T>[];
  /** Errors of failed deliveries, by generation; also after the retention has ended. */
  deliveryFailures(): unknown[];
  /**
   * Lets go of an exited run, and of every generation that has no run here any more and whose stop is not
   * pending.
   */
  releaseRun(claim: ExecutionClaim<T>): void;
}
/**
 * A run that a stop operation is to stop. Seed 3.
 */
declare class StopMember<T extends CoreTypes = CoreTypes> {
  /** Of the run. */
  readonly runId: string;
  private constructor();
  /** Undefined after `releaseRun`. */
  get claim(): ExecutionClaim<T> | undefined;
  /** Asked for by `retain` and not done: also after `releaseRun`. */
  get owesTerminal(): boolean;
  /** The terminal fact has landed. Idempotent. */
  terminalDone(): void;
}
/**
 * The stop of one generation's backend, owed by a stop operation. Seed 3.
 */
declare class StopDelivery<T extends CoreTypes = CoreTypes> {
  /** Whose backend is to be told. */
  readonly generation: BackendGeneration<T>;
  private constructor();
  /** pending → delivered or failed. The first settlement counts. */
  settle(given: Outcome): void;
}

/**
 * A question that a turn waits on. Only the generation that asked may be given the answer. Made by
 * {@link ExecutionClaim.openRequest}; belongs to the core and thread that made it. Seed 3.
 */
declare class InteractionRequest<T extends CoreTypes = CoreTypes> {
  /** The session that it is open in. */
  readonly sessionId: string;
  /** Unique among the open requests of the session. */
  readonly requestId: string;
  /** The turn that waits. */
  readonly turnId: string;
  /** The backend that asked: the only one to be given the answer. */
  readonly generation: BackendGeneration<T>;
  private constructor();
  /** The value it was last opened with. */
  get value(): T['request'];
  /** Answered, or not to be answered any more. Idempotent; a later request with the id is not touched. */
  close(): void;
}

/**
 * One stop of one session in progress: the whole to its starter, its own part to every other member of
 * the scope. Given to `attempt`, `onStop` and `onForeignStop`. Seed 3.
 */
declare class StopAttempt<T extends CoreTypes = CoreTypes> {
  /** The session that is stopped. */
  readonly sessionId: string;
  /** The starter's: the object itself to the starter, a copy carried as JSON to other members. */
  readonly input: T['stopInput'];
  private constructor();
  /** The session's retained operation, else the last one this attempt retained a run in. */
  get operation(): StopOperation<T> | undefined;
  /** This member's claims, live or not, whose run is registered on a generation; by generation, then age. */
  activeClaims(): ExecutionClaim<T>[];
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
    owed?: {
      readonly lineage?: T['lineage'];
      readonly terminal?: boolean;
    },
  ): StopOperation<T>;
  /**
   * Resolves, to the errors of the failed ones, when every captured claim has ended: in claim order. Of
   * the starter in a scope, the claims of all members, then the parts' rejections in order of joining;
   * of a part, its own claims. Never rejects.
   */
  drained(): Promise<unknown[]>;
}

/**
 * `pending` → `attached` (attach) → `reserved` (reserve) → `released` or `failed` (settle). A pending
 * or attached claim may be given up (`release`); under a stop an attached one ends by `finalize`. A
 * claim is live until `released` or `failed`. It ends admission, not the run.
 */
type ClaimPhase = 'pending' | 'attached' | 'reserved' | 'released' | 'failed';
/**
 * The right to run once in a session, and the ownership record of that run. Made by
 * {@link RuntimeCore.claimExecution}; belongs to the core and thread that made it.
 *
 * Every member throws `ERR_INVALID_THIS` on another receiver. After `close` of the core, `release`,
 * `settle`, `finalize` and `leaveGeneration` do nothing and the others say `ERR_CLOSED`. Seed 3.
 */
declare class ExecutionClaim<T extends CoreTypes = CoreTypes> implements Disposable {
  /** The session it was made for. */
  readonly sessionId: string;
  private constructor();
  /** Where it stands. */
  get phase(): ClaimPhase;
  /** The run, as given to `attach`. `ERR_CLAIM_PHASE` before it. */
  get run(): T['run'];
  /** The generation it was reserved on. `ERR_CLAIM_PHASE` before `reserve`. */
  get generation(): BackendGeneration<T>;
  /** Aborted, with `cancellation` as reason, when a stop captures the claim while it is live. */
  get stopSignal(): AbortSignal;
  /** `ERR_EXECUTION_CANCELLED`, for the caller to throw; the same object each time. */
  get cancellation(): CoreError;
  /** Whether a stop has captured this claim; never reverts. */
  isStopRequested(): boolean;
  /** No other live claim and no active run in the session, in any member of the scope. */
  isExclusive(): boolean;
  /**
   * Resolves when every mutation queued on the session before this claim was made has ended; at once
   * when there is none. Rejects with `ERR_CLAIM_PHASE` unless the claim is then still pending. A stop
   * does not cut the wait short.
   */
  enter(): Promise<void>;
  /**
   * pending → attached. `onStop` is called when a stop captures the claim, or before this returns if
   * one already has; at most once. What it throws is an uncaught exception and breaks no step.
   *
   * `ERR_CLAIM_PHASE`, also while a mutation that the claim has to wait for has not ended.
   */
  attach(run: T['run'], onStop: (stop: StopAttempt<T>) => void): void;
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
  activationBlocker(): Promise<unknown> | undefined;
  /**
   * attached → reserved, registering the run on `generation`, in one step. Returns the attempt that
   * captured this claim: the caller then must `retain` the run, or undo by `leaveGeneration` and a
   * failed `settle`.
   *
   * `ERR_CLAIM_PHASE`; `ERR_GENERATION_STALE` unless the generation is active and current;
   * `ERR_GENERATION_FOREIGN` for another core's; `ERR_RUN_RESERVED` if it has the run's id or turn.
   */
  reserve(generation: BackendGeneration<T>): StopAttempt<T> | undefined;
  /** The run may be sent to its backend: registered on a generation that is active and current. */
  canDispatch(): boolean;
  /**
   * reserved → released (ok) or failed. A failed outcome on an attached or failed claim is ignored:
   * that claim ends by `finalize` or `release`. Otherwise `ERR_CLAIM_PHASE`.
   */
  settle(outcome: Outcome): void;
  /**
   * Records how the run's own finalization ended, on an attached claim (else ignored). If a stop has
   * captured it, it ends so: released or failed.
   */
  finalize(outcome: Outcome): void;
  /**
   * Gives up a pending or attached claim; ignored in any other phase. An attached claim captured by a
   * stop ends only with its finalization, recorded before or after.
   */
  release(): void;
  /** `release`, so that `using claim = core.claimExecution(id)` works. */
  [Symbol.dispose](): void;
  /**
   * Takes the run off its generation, and closes the claim's open requests in the same step.
   * Idempotent; ignored before `reserve`.
   */
  leaveGeneration(): void;
  /** The session's retained stop operation, while it still holds this claim's run. */
  get stopOperation(): StopOperation<T> | undefined;
  /**
   * Commits the start of a continued run, at most once in a claim's life: calls `commit` before
   * returning and settles as it does. The promise is the caller's: a rejection must be handled.
   *
   * Rejects with `ERR_CLAIM_START` (judged first) if called before, even if that commit failed:
   * whether it took effect may be unknown; with `ERR_CLAIM_PHASE` unless attached.
   */
  commitStart(commit: () => Promise<T['start']>): Promise<T['start']>;
  /**
   * What `commit` resolved to, to the first caller: the proof that this run may be dispatched, once.
   * It outlives the admission. `ERR_CLAIM_START` before the commit has succeeded and after the first
   * call.
   */
  takeStart(): T['start'];
  /**
   * Makes the claim's turn and generation the owner of a request that is open for an answer. Opened
   * again by the same turn on the same generation: the same request, with the new value. Ends with
   * its `close` or with `leaveGeneration`.
   *
   * `ERR_CLAIM_PHASE` unless the run is registered on a generation; `ERR_REQUEST_CONFLICT` if another
   * turn or generation owns the id.
   */
  openRequest(requestId: string, request: T['request']): InteractionRequest<T>;
  /** The interaction owner bound to this run. */
  get interaction(): T['interaction'] | undefined;
  /** Once, and of the attached run's exact identity, else `ERR_INTERACTION_IDENTITY`. */
  bindInteraction(binding_: T['interaction']): void;
  /** Ignored unless `binding` is the bound one. */
  unbindInteraction(binding_: T['interaction']): void;
}

/**
 * The session's backends are to be disposed before the next activation. A failed disposal keeps the
 * invalidation, and with it the quarantine, for good. Made by {@link RuntimeCore.invalidate}; belongs
 * to the core and thread that made it. Seed 3.
 */
declare class BackendInvalidation<T extends CoreTypes = CoreTypes> {
  /** The session whose backends are meant. */
  readonly sessionId: string;
  private constructor();
  /** How the disposal ended; never rejects. */
  get outcome(): Promise<Outcome>;
  /** `ERR_INVALIDATION_FAILED`, once failed; the same object each time. */
  get failure(): CoreError | undefined;
  /**
   * Single flight, also while runs are active: drops the session's steering queue and checkpoint slot
   * and calls `task` with its generations, before returning. Returns `outcome`; on success the
   * invalidation is lifted first.
   */
  dispose(task: (generations: BackendGeneration<T>[]) => Promise<Outcome>): Promise<Outcome>;
}

/**
 * A turn's access to its session's queue. Made by {@link RuntimeCore.openSteeringTurn}; belongs to the
 * core and thread that made it. Leases are bound to the turn id, not to ownership. Seed 3.
 */
declare class SteeringTurn {
  /** Whose queue it is. */
  readonly sessionId: string;
  /** To which leases are bound. */
  readonly turnId: string;
  private constructor();
  /** Leases every queued message to this turn, oldest first; nothing unless it is the owner. */
  pull(): SteeringMessage[];
  /** Ends leases of this turn: delivered. Unknown ids are ignored. */
  ack(leaseIds: readonly string[]): void;
  /**
   * Returns leases of this turn, in the order pulled: to the front of the queue if it is the owner,
   * else to the front of the followup texts. Unknown ids are ignored.
   */
  nack(leaseIds: readonly string[]): void;
  /**
   * Moves this turn's leases, and if it is the owner the queued messages, to the front of the followup
   * texts (delivering the snapshot) and gives ownership up. Idempotent.
   */
  release(): void;
}

/** What a core asks its caller for. */
interface RuntimeCoreOptions {
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
interface ScopedCoreOptions<T extends CoreTypes = CoreTypes> extends RuntimeCoreOptions {
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
declare class RuntimeCore<T extends CoreTypes = CoreTypes> implements Disposable {
  /** The runtime's active operations, one registry for all members of the scope. */
  readonly operations: ApplicationOperationService;
  /** `ERR_INVALID_ARG_TYPE`. */
  constructor(options: RuntimeCoreOptions | ScopedCoreOptions<T>);
  /**
   * Ends this core's part as the end of its thread would: live claims fail, leases go back, registrations
   * and mutations end, waiters are told (`ERR_CLOSED`). Idempotent. Every later call but this one is
   * `ERR_CLOSED`; `release`, `settle`, `finalize` and `leaveGeneration` of its handles do nothing.
   */
  close(): void;
  /** `close`. */
  [Symbol.dispose](): void;
  /**
   * Without `pending`: a fresh claim, phase `pending`; `ERR_SESSION_STOPPING` while a stop attempt stands.
   * With `pending`: that same claim, provided it was issued by this core for this session and is still
   * `pending`, else `ERR_CLAIM_FOREIGN`; allowed during a stop.
   */
  claimExecution(sessionId: string, pending?: object): ExecutionClaim<T>;
  /** Any run registered on any generation of the session, current or not, of any member. */
  hasActiveRuns(sessionId: string): boolean;
  /** That very run, and of that turn if given. */
  hasActiveRun(sessionId: string, runId: string, turnId?: string): boolean;
  /** The run owning `turnId` on the route's current generation, if that is this member's. O(1). */
  runForTurn(sessionId: string, route: string | undefined, turnId: string): T['run'] | undefined;
  /** The run with that id on the route's current generation, if that is this member's. O(1). */
  activeRun(sessionId: string, route: string | undefined, runId: string): T['run'] | undefined;
  /**
   * The distinct turns of the runs registered on any generation of the session, of any member, in
   * creation order of the generations, then by age.
   */
  activeTurnIds(sessionId: string): string[];
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
    options?: {
      readonly quiescent?: boolean;
    },
  ): Promise<R>;
  /** The session's open request with that id. */
  request(sessionId: string, requestId: string): InteractionRequest<T> | undefined;
  /** The session's open requests, in the order opened. */
  requests(sessionId: string): InteractionRequest<T>[];
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
  ): Promise<void>;
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
  ): SteeringTurn;
  /**
   * Queues a text for the owning turn's next `pull`. False, changing nothing and drawing no id, without
   * an owner.
   */
  steer(sessionId: string, text: string): boolean;
  /** Queues a text for the next turn. False, changing nothing, without an owner. */
  queueMessage(sessionId: string, text: string): boolean;
  /** Takes the followup texts, oldest first. Works without an owner. */
  drainFollowup(sessionId: string): string[];
  /** Takes queued steering, then followup texts. Leased messages are committed and stay. */
  retractQueue(sessionId: string): string[];
  /** The route's current generation, if it is this member's. */
  currentGeneration(sessionId: string, route?: string): BackendGeneration<T> | undefined;
  /** Every generation of the session that this member made and that is not terminated, in creation order. */
  generations(sessionId: string): BackendGeneration<T>[];
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
  ): Promise<BackendGeneration<T>>;
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
  ): BackendGeneration<T>;
  /** Ids of the sessions that hold a generation or an invalidation of this member. */
  cachedSessions(): string[];
  /** The session's invalidation, opened if there is none. */
  invalidate(sessionId: string): BackendInvalidation<T>;
  /** The session’s invalidation, if there is one of this member. */
  invalidation(sessionId: string): BackendInvalidation<T> | undefined;
  /** The invalidation if it may run now, that is if the session has no active run in any member. */
  dueInvalidation(sessionId: string): BackendInvalidation<T> | undefined;
  /**
   * The stored checkpoint (which may be `undefined`); else the load in flight (the same promise); else
   * `load`, called before returning. Its value is stored unless a checkpoint was stored meanwhile, which
   * then is the result, or the slot was dropped by a disposal. The promise is the caller's: a rejection
   * must be handled.
   */
  loadCheckpoint(
    sessionId: string,
    load: () => Promise<T['checkpoint'] | undefined>,
  ): Promise<T['checkpoint'] | undefined>;
  /**
   * Keeps a checkpoint in the session’s slot, in memory, over whatever was or is being loaded
   * there.
   */
  storeCheckpoint(sessionId: string, checkpoint: T['checkpoint']): void;
  /**
   * Runs `task` (never synchronously) after every earlier task of the lane, failed or not. The promise is
   * the caller's: a rejection must be handled. `ERR_CLOSED` when the core ends before it has started.
   */
  serialize<R>(sessionId: string, lane: string, task: () => Promise<R>): Promise<R>;
  /** Live records of the scope, for leak tests: both 0 once everything is released and disposed. */
  stats(): {
    readonly sessions: number;
    readonly admissions: number;
  };
}

/**
 * Every error that tenure throws on purpose, wrong arguments aside: those are a `TypeError` or a
 * `RangeError` with a `code`. Codes never change, messages may; test by `code`, since another copy of
 * the package (a vm context, a worker) has classes of its own.
 */
declare class TenureError extends Error {
  /** What to test; see docs/errors.md for each. */
  readonly code: CoreErrorCode | OperationErrorCode;
  /** The operation it is about. */
  readonly operationId?: string;
  /** The scope it is about. */
  readonly scope?: string;
  /** JSON Pointer of the refused value, or the path of the file. */
  readonly path?: string;
  /** The bound that was passed. */
  readonly limit?: number;
  /** What passed it. */
  readonly actual?: number;
  /** `ERR_JOURNAL_LOCKED`: the process that has the file open, where known. */
  readonly pid?: number;
  /** For a plan function to throw: a TenureError of its own is passed on as it is. */
  constructor(
    code: CoreErrorCode | OperationErrorCode,
    message: string,
    options?: ErrorOptions & ErrorFields,
  );
}
/** What an error may tell besides its code. */
type ErrorFields = {
  operationId?: string | undefined;
  scope?: string | undefined;
  path?: string | undefined;
  limit?: number | undefined;
  actual?: number | undefined;
  pid?: number | undefined;
};
/**
 * `ERR_SUBMISSION_REFUSED`: for an adapter to throw from `submit` before anything was sent, a definite
 * failure. `reason` is published as the operation's `error`, so it must be safe to show; one that is
 * empty, too long for `error` or not well-formed is replaced by a fixed one.
 */
declare class SubmissionRefused extends TenureError {
  /** Always this one. */
  readonly code: 'ERR_SUBMISSION_REFUSED';
  /** `ERR_INVALID_ARG_TYPE` unless a string. */
  constructor(reason: string);
}
/** `ERR_RESULT_REFUSED`: a value that the journal will not keep. The message is safe to show. */
declare class ResultRefused extends TenureError {
  /** Always this one. */
  readonly code: 'ERR_RESULT_REFUSED';
}
/** `ERR_SESSION_BUSY`: a quiescent mutation met live claims. */
declare class SessionBusyError extends TenureError {
  /** Always this one. */
  readonly code: 'ERR_SESSION_BUSY';
  /** The sessions that have a live claim, sorted; the message names the first. */
  readonly sessionIds: readonly string[];
  /** Made by `mutateSessions`. */
  constructor(sessionIds: readonly string[]);
}
/** `ERR_OPERATION_BUSY`: another active operation holds a key. */
declare class ApplicationOperationBusyError extends TenureError {
  /** Always this one. */
  readonly code: 'ERR_OPERATION_BUSY';
  /** The holder's registration, and nothing else of it. */
  readonly registration: ApplicationOperationRegistration;
  /** The first of the caller's own keys, in the caller's order, that is held. */
  readonly key: string;
  /** Made by `reserve`. */
  constructor(registration: ApplicationOperationRegistration, key: string);
}

/**
 * A limited number of permits, granted in the order asked for. Bound to the thread that made it, and to
 * no session. Seed 3.
 */
declare class AdmissionLimiter {
  /** How many permits there are. */
  readonly capacity: number;
  /** `ERR_OUT_OF_RANGE` unless a positive safe integer. */
  constructor(capacity: number);
  /** Permits that are taken, now. */
  get activeCount(): number;
  /** Read before `acquire` in the same tick, it tells whether that call would wait. */
  get waitingCount(): number;
  /**
   * Takes a permit, or a place in the queue, before returning. An abort gives the place up and rejects
   * with the signal's reason; it never takes back a permit that was granted. The promise is the
   * caller's: a rejection must be handled. After `close` it rejects with the error given there.
   */
  acquire(signal?: AbortSignal): Promise<AdmissionPermit>;
  /** Rejects those who wait and every later `acquire` with `error`. Permits stay valid. The first call counts. */
  close(error: Error): void;
}
/**
 * One of a limited number of places. Seed 3.
 */
declare class AdmissionPermit implements Disposable {
  private constructor();
  /** Idempotent. Grants the permit to the longest waiting, in the same step. */
  release(): void;
  /** `release`, so that `using` works. */
  [Symbol.dispose](): void;
}

/** From least to most. */
type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';
/** One transition of the core. Ids are told; texts, keys and values of the caller never are. */
interface LogEvent {
  /** How much it matters. */
  readonly level: LogLevel;
  /** The part of the core, as `tenure::ownership`. */
  readonly target: string;
  /** What happened, in words that may change. */
  readonly message: string;
  /** Ids and phases, as text. */
  readonly fields: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch. */
  readonly tsMs: number;
}
/** What to be told, and how. */
interface LoggerOptions {
  /** Events of this level and those that matter more. */
  readonly level: LogLevel;
  /** Gets the events of this thread in batches, in order, as a macrotask. */
  readonly onEvent: (events: LogEvent[]) => void;
}
/**
 * Hands the core's `tracing` events of this thread to JavaScript; without options, stops doing so.
 * One logger a thread: a second call replaces the first. Off, which is the default, costs nothing.
 * At most 4 096 events wait; further ones are dropped and counted in a last event. What `onEvent`
 * throws is an uncaught exception. `TENURE_LOG=debug` prints to stderr instead, without any code.
 *
 * Throws `ERR_INVALID_ARG_TYPE`, and `ERR_INVALID_ARG_VALUE` for an unknown level.
 */
declare function setLogger(options?: LoggerOptions | null): void;

/** What JSON can hold. What a journal gives is a fresh copy, yours to change. */
type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
/** A JSON object. Members such as `__proto__` are members like any other. */
interface JsonObject {
  [member: string]: JsonValue;
}
/** A JSON Schema of draft 2020-12. Another draft, or no valid schema, is `ERR_SCHEMA_INVALID`. */
type JsonSchema = JsonObject | boolean;
/**
 * An object read as `JSON.stringify` reads it: `toJSON` honoured, own enumerable string-keyed members
 * only, undefined members dropped, boxed primitives unboxed. What `JSON.stringify` would change in
 * silence, or not finish, is refused, with the JSON Pointer of the value as the error's `path`: NaN and
 * infinities, bigints, functions, symbols, `undefined` or a hole inside an array, Maps, Sets, promises,
 * regular expressions, errors, buffers without `toJSON`, lone surrogates, an object inside itself, more
 * than 128 levels, and anything whose outermost form is no object. -0 is 0; every other number comes
 * back as the same number. Member names such as `__proto__` are members like any other.
 */
type PlainInput = object;
/** How far an operation has come. `succeeded`, `failed` and `cancelled` are terminal. */
type OperationState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
/**
 * What is known of the submission. `pending`: `submit` was not called. `uncertain`: it was, or may have
 * been, and no answer is known. `accepted`: the backend holds the job under `backendReference`; final.
 * `refused`: refused before anything was sent; final, and only with state `failed`.
 */
type Submission = 'pending' | 'uncertain' | 'accepted' | 'refused';
/** What is recorded of an operation. Times are milliseconds since the Unix epoch. */
interface OperationStatus {
  /** As it was reserved, in its scope. */
  readonly operationId: string;
  /** How far it has come. */
  readonly state: OperationState;
  /** What is known of its being sent. */
  readonly submission: Submission;
  /** In [0, 1]. */
  readonly progress: number | null;
  /** At most 64 Unicode scalar values. */
  readonly stage: string | null;
  /** 0 for the next to run; null unless waiting in this journal's queue. */
  readonly queuePosition: number | null;
  /** Time of the reservation. */
  readonly submittedAt: number;
  /** Time of the last observation; never goes back, even when the clock does. */
  readonly updatedAt: number;
  /** Equal to `updatedAt` once terminal, else null. */
  readonly finishedAt: number | null;
  /**
   * The row has not ended and the last thing known of it may be out of date: it does not wait and was
   * not observed since the journal was opened, or its last `observe` failed or timed out.
   */
  readonly stale: boolean;
  /** As given to `reserve`: what an id is compared by. */
  readonly inputDigest: string;
  /** Under which the backend holds the job; recorded once. */
  readonly backendReference: string | null;
  /** The recorded input if, with the result, it is within `inputEchoBytes`; else null. */
  readonly input: JsonObject | null;
  /** What it came to; null: nothing recorded, or not to be read. */
  readonly result: JsonObject | null;
  /** At most 256 Unicode scalar values. */
  readonly error: string | null;
}
/** A listing of a scope: at most `pageSize` rows and `frameBytes` of JSON text. */
interface OperationPage {
  /** Newest reservation first; `input`, `result` and `backendReference` are null. */
  readonly operations: OperationStatus[];
  /** Where the listing goes on; null exactly when nothing more would be listed. */
  readonly nextOffset: number | null;
  /** Queued and running rows of the whole scope, whatever the page shows. */
  readonly active: number;
  /** Interrupted rows of the whole scope. */
  readonly outstanding: number;
}
/** A slice of a log: `text` is exactly the bytes from `offset` to `nextOffset`. */
interface OperationLog {
  /** As it was asked for. */
  readonly operationId: string;
  /** Bytes from the beginning of the log, at the beginning of a character. */
  readonly offset: number;
  /** Where the next slice begins; `offset` again when nothing more is there yet. */
  readonly nextOffset: number;
  /** Lines were dropped at the bound. */
  readonly truncated: boolean;
  /** Whole characters, at most `logSliceBytes` bytes of them. */
  readonly text: string;
}
/** An estimate that a caller reviews before a start. */
interface OperationPlan {
  /** `inputDigest` of the planned input without its own `planDigest` member. */
  readonly planDigest: string;
  /** 1 to 512 Unicode scalar values. */
  readonly summary: string;
  /** A whole number of at least 0; null: nobody estimated it. */
  readonly estimatedSeconds: number | null;
  /** Whole millionths of whatever the plan function counts in; null: nobody estimated it. */
  readonly estimatedCostMicrounits: number | null;
  /** From this time on a start with this plan is `ERR_PLAN_EXPIRED`. */
  readonly expiresAt: number;
  /** The input to start with, carrying `planDigest`; null if the plan chose nothing. */
  readonly input: JsonObject | null;
}
/** All optional. Integers, but for `maxRuntimeSeconds`. Bytes of values are of their canonical JSON in UTF-8. */
interface OperationBounds {
  /** Waiting rows per scope. Default 1 000, from 1 to 1 000 000. */
  readonly maxQueued?: number;
  /** Entries of the fence, over all scopes. Default 100 000, from 1 to 10 000 000. */
  readonly maxReservations?: number;
  /** Terminal rows kept per scope. Default 1 000, from 1 to 1 000 000. */
  readonly retain?: number;
  /** Largest input. Default 262 144, from 2 to 16 777 216. */
  readonly inputBytes?: number;
  /** Bytes of input and result together up to which a status carries the input. Default 65 536, from 0 to 16 777 216. */
  readonly inputEchoBytes?: number;
  /** Largest result. Default 262 144, from 2 to 16 777 216. */
  readonly resultBytes?: number;
  /** Longest reference. Default 512, from 1 to 4 096. */
  readonly referenceBytes?: number;
  /** Rows of a page. Default 50, from 1 to 1 000. */
  readonly pageSize?: number;
  /** Largest JSON text of a page. Default 1 048 576, from 8 192 to 67 108 864. */
  readonly frameBytes?: number;
  /** Longest log; what is more is dropped. Default 1 048 576, from 1 to 1 073 741 824. */
  readonly logBytes?: number;
  /** Largest slice of a log. Default 65 536, from 4 (one character) to 16 777 216. */
  readonly logSliceBytes?: number;
  /** From `startedAt` to the cancelling. Default null: no limit. Else from 1 to 31 536 000, fractions allowed. */
  readonly maxRuntimeSeconds?: number | null;
}
/** What to change; what is left out keeps its value, null clears. */
interface OperationPatch {
  /** See the table of {@link OperationJournal} for the moves that are allowed. */
  readonly state?: OperationState;
  /** Only onwards: `accepted` and `refused` are final. */
  readonly submission?: Submission;
  /** In [0, 1]. */
  readonly progress?: number | null;
  /** At most 64 Unicode scalar values, published as it is. */
  readonly stage?: string | null;
  /** 1 to `referenceBytes` bytes. Recorded once; a different one is `ERR_OPERATION_TRANSITION`. */
  readonly backendReference?: string;
  /** Plain JSON of at most `resultBytes`. */
  readonly result?: PlainInput | null;
  /** At most 256 Unicode scalar values, published as it is. */
  readonly error?: string | null;
}
/** What `reserve` answers: there is one operation under the id, made now or before. */
interface Reservation {
  /** `existing`: the id was reserved before, under the same digest; nothing was written. */
  readonly outcome: 'created' | 'existing';
  /** The row as it is now. */
  readonly status: OperationStatus;
}
/** What `requestCancel` of a journal answers. */
interface CancelIntent {
  /** `terminal`: the row had ended, and nothing was recorded. */
  readonly outcome: 'recorded' | 'terminal';
  /** The row, which an intent does not change. */
  readonly status: OperationStatus;
}
/** A person's decision on an interrupted row. */
interface Resolution {
  /** How it ended, as that person says. */
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  /** Shown as `stage` of a succeeded row, as `error` of another, and within that field's bound. */
  readonly note?: string;
  /** Only with `succeeded`. */
  readonly result?: PlainInput;
}
/** Which rows to list. */
interface PageOptions {
  /** 0, the default, is the newest row; else a `nextOffset`. Any other integer is a position too. */
  readonly offset?: number;
  /** List rows of this state only. An offset may be used under another filter. */
  readonly state?: OperationState;
}
/** Which ended operations to take off the fence. */
interface ForgetOptions {
  /** Milliseconds since the Unix epoch: those that ended earlier. */
  readonly finishedBefore: number;
  /** Default `''`. */
  readonly scope?: string;
}
/** What to watch, and until when. */
interface WatchOptions {
  /** Default `''`. */
  readonly scope?: string;
  /** This operation only, reserved yet or not. */
  readonly id?: string;
  /** Ends the watching when it aborts, without an error. */
  readonly signal?: AbortSignal;
}
/** How many rows of a scope are in each state, now. */
interface ScopeCounts {
  /** Its name. */
  readonly scope: string;
  /** Rows that are queued. */
  readonly queued: number;
  /** Rows that are running. */
  readonly running: number;
  /** Rows that are succeeded. */
  readonly succeeded: number;
  /** Rows that are failed. */
  readonly failed: number;
  /** Rows that are cancelled. */
  readonly cancelled: number;
  /** Rows that are interrupted. */
  readonly interrupted: number;
}
/** What a journal holds and has done. */
interface JournalStats {
  /** Scopes that have rows, in no particular order. */
  readonly scopes: ScopeCounts[];
  /** Reserved ids of all scopes, and how many more `maxReservations` admits. */
  readonly fence: {
    readonly used: number;
    readonly free: number;
  };
  /** 0 in memory. */
  readonly fileBytes: number;
  /** Since this process opened the journal; so for the next two. */
  readonly commits: number;
  /** Times that the file was brought to the disk. */
  readonly fsyncs: number;
  /** Most writing calls that shared one commit. */
  readonly largestBatch: number;
  /** `degraded`: the last write failed and none has succeeded since. Reads go on. */
  readonly health: 'ok' | 'degraded';
}
/** A record that is damaged, or contradicts another one. It is skipped by all else, and kept. */
interface JournalProblem {
  /** null where not even this can be read. */
  readonly scope: string | null;
  /** null where not even this can be read. */
  readonly operationId: string | null;
  /** What is wrong, in words that may change. */
  readonly message: string;
}

/**
 * One text for an operation of a scope, to be used as a key elsewhere. Injective over all pairs of
 * identifiers: no two pairs ever meet in one key. `ERR_INVALID_ARG_TYPE`; `ERR_INVALID_ARG_VALUE` for
 * what is no identifier. Seed 2.
 */
declare function journalKey(scope: string, operationId: string): string;
/**
 * Lower-case hex SHA-256 over: the number of bytes of `scope` as a 64-bit big-endian integer, those bytes
 * (UTF-8), the number of bytes of the canonical (RFC 8785) `payload` likewise, those bytes.
 * `ERR_INPUT_REFUSED` unless `payload` is plain JSON; its size is not bounded here. Seed 2.
 */
declare function inputDigest(scope: string, payload: PlainInput): string;
/** What a descriptor is made of. */
interface DescriptorOptions {
  /** An identifier. */
  readonly id: string;
  /** Non-empty. */
  readonly version: string;
  /** Shown to whoever chooses among operations. */
  readonly title: string;
  /** What the operation does, for whoever has never heard of it. */
  readonly description: string;
  /** Of the input of a start. */
  readonly inputSchema: JsonSchema;
  /** Of the result of a succeeded operation. */
  readonly resultSchema: JsonSchema;
}
/** A JSON Schema of draft 2020-12, valid against its meta-schema, that describes an `OperationCall`. */
interface OperationDescriptor {
  /** Always this draft. */
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  /** A URN without percent signs or `~`, distinct for distinct (id, version). */
  readonly $id: string;
  /** As given. */
  readonly title: string;
  /** As given. */
  readonly description: string;
  /**
   * The caller's schemas, each a schema resource of its own (it has an `$id`), so that references such
   * as `#/$defs/x` inside them still mean what they meant.
   */
  readonly $defs: {
    readonly input: JsonSchema;
    readonly result: JsonSchema;
  } & JsonObject;
  readonly [keyword: string]: JsonValue;
}
/**
 * The public descriptor of an operation. It accepts exactly the calls that `dispatch` does not answer
 * with `ERR_CALL_SHAPE` or, for the input, by the schema with `ERR_INPUT_REFUSED`; the input of a `start`
 * may carry a `planDigest` even where `inputSchema` admits no further members. `ERR_SCHEMA_INVALID`;
 * `ERR_INVALID_ARG_VALUE` for an `id` that is no identifier or an empty `version`. Seed 2.
 */
declare function operationDescriptor(options: DescriptorOptions): OperationDescriptor;

/** What of a journal is exported. */
interface ExportOptions {
  /** The operations of this scope only. Default: of all scopes. */
  readonly scope?: string;
}

/** What holds for a journal, with or without a file. */
interface InMemoryOptions {
  /**
   * Belong to this opening and not to the file; left out: defaults, or those it is open with here.
   */
  readonly bounds?: OperationBounds;
  /**
   * Default `Date.now`. Called on the thread that makes the call, at most once per writing call.
   * Fractions are cut off; what is no finite number of at least 0 is `ERR_OUT_OF_RANGE`, as is a time
   * beyond `Number.MAX_SAFE_INTEGER`.
   */
  readonly clock?: () => number;
}
/** What holds for an opening of a file. */
interface JournalOptions extends InMemoryOptions {
  /**
   * Default false. With true nothing is ever written to the file, which has to be there: rows are shown
   * as they were recorded, what was running when its process died included, and a writing method is
   * `ERR_AUTHORITY`. Other processes may read the file meanwhile, and none may write to it: one that
   * writes keeps it from being opened, `ERR_JOURNAL_LOCKED`, and the other way round. Where this
   * process has the file open for writing, the handle reads what the others write; while it has it open
   * to read only, opening it for writing is `ERR_JOURNAL_OPTIONS`.
   */
  readonly readOnly?: boolean;
  /**
   * `immediate` (default): fulfilled means on the disk. `eventual`: fulfilled means that it will
   * survive the process' orderly end, and that a crash loses at most the calls of about the last
   * 200 ms, never one without all later ones.
   */
  readonly durability?: 'immediate' | 'eventual';
}
/**
 * The rows of all scopes in one file, or in memory, and the fence in front of them: what makes a start
 * safe to retry for ever.
 *
 * Reads are synchronous. A writing method returns a promise, and has a `…Sync` twin that blocks until it
 * is done; those called in one tick share one commit. One call is one atomic step: refused, it changes
 * nothing; fulfilled, with durability `immediate`, it is on the disk. Calls of one thread take effect in
 * the order made, twins included. A call that waits for its answer keeps the process alive.
 *
 * | a row that is | `update` may move to |
 * | --- | --- |
 * | queued, not accepted | running, failed, cancelled, interrupted |
 * | queued, accepted | queued, running, interrupted, any terminal state |
 * | running | running, interrupted, any terminal state, queued once accepted |
 * | interrupted | running, any terminal state, queued once accepted |
 * | terminal | nothing: `ERR_OPERATION_TERMINAL` |
 *
 * Opening turns every row that is running, or queued and no longer `pending`, into `interrupted`: nobody
 * watches it any more. When a scope holds more than `retain` terminal rows, those that ended longest ago
 * leave the history; a row whose submission is `uncertain` never does by itself. The fence keeps their ids.
 *
 * Opening a path that this process has open, from any thread and under any name of the file, gives
 * another handle of the same journal, with a clock of its own. The file is let go with its last handle,
 * or its last handle's thread.
 *
 * Scope, here and in all of it, is the descriptor an operation belongs to; `''`, the default, is one like
 * any other. Identifiers have 1 to 128 Unicode scalar values (a scope 0 to 128), no control characters
 * and no lone surrogates; others are `ERR_INVALID_ARG_VALUE`. After `close` every call is `ERR_CLOSED`.
 * A file that cannot be read or written is `ERR_JOURNAL_IO`: then a write may or may not have taken
 * effect, and repeating it settles which. Seed 2.
 */
declare class OperationJournal implements AsyncDisposable {
  /** In force, defaults filled in. */
  readonly bounds: Required<OperationBounds>;
  private constructor();
  /**
   * Opens a file; creates it, for its owner's eyes only, if there is none or it is empty. Its directory
   * must exist. Refused, leaving the file as it was: `ERR_JOURNAL_LOCKED` at once when another process
   * has it open, `ERR_JOURNAL_CORRUPT`, `ERR_JOURNAL_VERSION`, `ERR_JOURNAL_IO`, and `ERR_JOURNAL_OPTIONS`
   * for bounds or a durability other than those it is open with here. A single row that cannot be decoded
   * is skipped.
   */
  static open(path: string, options_?: JournalOptions): Promise<OperationJournal>;
  /**
   * Everything that a journal has recorded, as lines of JSON, a few at a time: the operations of the
   * history, the ids that the fence holds besides, and the pairs for `drainRetired`. One consistent
   * state, while the journal is in use; as long as it is not read to its end the file grows with what is
   * written. The last line counts the others. `ERR_CLOSED` once the journal is closed.
   */
  static export(journal: OperationJournal, options_?: ExportOptions): AsyncIterableIterator<string>;
  /**
   * Makes a journal of what `export` gave: `text` is the whole of it, or its pieces, cut anywhere. The
   * file is there once the promise is fulfilled, whole, or not at all. `ERR_BACKUP_EXISTS` if something
   * is at its path, `ERR_JOURNAL_CORRUPT` with the number of the line that cannot be taken,
   * `ERR_JOURNAL_VERSION`, `ERR_JOURNAL_IO`. What was queued and what was running is so in the new
   * journal: do not run it beside the original.
   */
  static import(
    path: string,
    text: string | AsyncIterable<string> | Iterable<string>,
  ): Promise<void>;
  /** A journal of its own that nothing outlives. */
  static inMemory(options_?: InMemoryOptions): OperationJournal;
  /**
   * Creates the row, waiting, or returns the one the id already has. Refused in this order:
   * `ERR_INPUT_REFUSED` if `payload` is not plain JSON; for an id that the fence holds,
   * `ERR_OPERATION_CONFLICT` under another digest and `ERR_OPERATION_RETIRED` if its row left the history,
   * else it is `existing`, whatever the bounds; `ERR_INPUT_REFUSED` over `inputBytes`; `ERR_QUEUE_FULL`;
   * `ERR_FENCE_FULL`. `digest` is compared, never interpreted: a string that would do as an identifier.
   */
  reserve(
    operationId: string,
    digest: string,
    payload: PlainInput,
    scope?: string,
  ): Promise<Reservation>;
  /** As `reserve`, done when it returns: it waits for the disk on the calling thread. */
  reserveSync(
    operationId: string,
    digest: string,
    payload: PlainInput,
    scope?: string,
  ): Reservation;
  /**
   * Records one observation and returns the new status: `updatedAt` advances, `stale` ends, and a
   * terminal state sets `finishedAt`. Refused in this order: `ERR_RESULT_REFUSED` (`ResultRefused`, with
   * a `path` such as `/result/a/0`) for a value past its bound or not plain JSON; `ERR_OPERATION_UNKNOWN`;
   * `ERR_OPERATION_TERMINAL`; `ERR_OPERATION_TRANSITION`.
   */
  update(operationId: string, patch: OperationPatch, scope?: string): Promise<OperationStatus>;
  /** As `update`, done when it returns: it waits for the disk on the calling thread. */
  updateSync(operationId: string, patch: OperationPatch, scope?: string): OperationStatus;
  /**
   * Records that the operation is to be cancelled; honouring it is the runner's. Idempotent; changes no
   * field of the status. `ERR_OPERATION_UNKNOWN`.
   */
  requestCancel(operationId: string, scope?: string): Promise<CancelIntent>;
  /** As `requestCancel`, done when it returns: it waits for the disk on the calling thread. */
  requestCancelSync(operationId: string, scope?: string): CancelIntent;
  /**
   * A person's decision on an interrupted row, with or without a reference. Leaves the submission as it
   * is. `ERR_RESULT_REFUSED`, `ERR_OPERATION_UNKNOWN`, `ERR_OPERATION_TERMINAL`, and
   * `ERR_OPERATION_TRANSITION` for a row that is not interrupted.
   */
  resolve(operationId: string, outcome: Resolution, scope?: string): Promise<OperationStatus>;
  /** As `resolve`, done when it returns: it waits for the disk on the calling thread. */
  resolveSync(operationId: string, outcome: Resolution, scope?: string): OperationStatus;
  /**
   * Takes terminal operations of the scope that ended before a time, pruned or not, off the fence and
   * out of the history, and returns how many: the only way in which the fence shrinks. Their ids may be
   * reserved anew. Those still in the history join `drainRetired`.
   */
  forget(options_: ForgetOptions): Promise<number>;
  /** As `forget`, done when it returns: it waits for the disk on the calling thread. */
  forgetSync(options_: ForgetOptions): number;
  /**
   * The pairs of scope and operation id, of all scopes, that left the history since the last call, in
   * order of leaving: their logs may go. Pairs handed out are struck from the disk by the next call, or
   * when this handle closes, and handed out again if neither came. A pair whose id is reserved anew is
   * no longer handed out.
   */
  drainRetired(): Promise<[scope: string, operationId: string][]>;
  /** As `drainRetired`, done when it returns: it waits for the disk on the calling thread. */
  drainRetiredSync(): [scope: string, operationId: string][];
  /** The full record, or null for an unknown or pruned id; so for the next three (false for the third). */
  status(operationId: string, scope?: string): OperationStatus | null;
  /** Time of the first move to running. */
  startedAt(operationId: string, scope?: string): number | null;
  /** The recorded input, whatever its size. */
  payload(operationId: string, scope?: string): JsonObject | null;
  /** A cancel intent is recorded and the row has not ended. */
  cancelRequested(operationId: string, scope?: string): boolean;
  /**
   * At most `pageSize` rows and at most `frameBytes` of JSON text, at least one row if there is any.
   * Offsets address places between rows, which reservations and pruning do not move.
   */
  page(scope?: string, options_?: PageOptions): OperationPage;
  /** The id of the waiting row reserved first. */
  nextQueued(scope?: string): string | null;
  /** Interrupted rows with a reference, oldest reservation first. */
  interruptedAccepted(scope?: string): [operationId: string, reference: string][];
  /** Counts per scope and state, the fence, the file, and whether writing works. */
  stats(): JournalStats;
  /**
   * Statuses of the scope's rows as they change, from this call on. Each step gives the row whose
   * undelivered change is oldest, at its newest state, so a slow reader holds at most one entry a row; a
   * row that left the history meanwhile is left out. Ends, without error, on `return()`, when `signal`
   * aborts or had aborted, and on close. Does not keep the process alive.
   */
  watch(options_?: WatchOptions): AsyncIterableIterator<OperationStatus>;
  /** Reads everything. ok without problems. Rows named as problems are skipped by all else. */
  verify(): Promise<{
    readonly ok: boolean;
    readonly problems: JournalProblem[];
  }>;
  /** Gives unused space back, by writing the file anew; bytes before and after. Reads go on meanwhile. */
  compact(): Promise<{
    readonly before: number;
    readonly after: number;
  }>;
  /**
   * Writes a consistent copy, usable as a journal, while this one is in use. `ERR_BACKUP_EXISTS`,
   * `ERR_JOURNAL_IO`. Do not run the copy beside the original: both would submit what is waiting.
   */
  backup(path: string): Promise<void>;
  /**
   * Refuses later calls of this handle with `ERR_CLOSED` (but `close` itself: idempotent), stops the
   * runners started on it, waits for what was called before, and lets go.
   */
  close(): Promise<void>;
  /** `close`, so that `await using` works. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Where to begin, and until when. */
interface FollowOptions {
  /** Default 0. */
  readonly offset?: number;
  /** Ends the following when it aborts, without an error. */
  readonly signal?: AbortSignal;
  /** Default `''`. */
  readonly scope?: string;
}
/**
 * One bounded text file for each operation, directly in a directory, named by a hash of scope and id, so
 * that no id can leave it. Independent of the journal: whatever identifiers will do. A log is a convenience:
 * written in order, not synced. A directory is written by one process at a time; in it all handles of
 * one directory, from any thread, share the files. What cannot be read or written is `ERR_LOG_IO`, with
 * the operating system's error as `cause`; a line that was not written whole is not there at all.
 * Seed 2.
 */
declare class OperationLogs implements AsyncDisposable {
  private constructor();
  /** Creates the directory, parents included. Only `logBytes` and `logSliceBytes` matter here. */
  static open(directory: string, bounds?: OperationBounds): Promise<OperationLogs>;
  /**
   * Adds one record: `line` and a line feed. CR and LF inside `line` are written as `\r` and `\n` (two
   * characters), lone surrogates as U+FFFD. A record that would pass `logBytes` is dropped, and so is,
   * for good, every later one: what is kept is a true beginning.
   */
  append(operationId: string, line: string, scope?: string): Promise<void>;
  /** As `append`, done when it returns; waits for the disk on the calling thread. */
  appendSync(operationId: string, line: string, scope?: string): void;
  /** Deletes the log; unknown is no error. A later append begins a new one. Ends its followers. */
  retire(operationId: string, scope?: string): Promise<void>;
  /** As `retire`, done when it returns. */
  retireSync(operationId: string, scope?: string): void;
  /**
   * At most `logSliceBytes`, cut between characters: an offset inside a character counts as the end of
   * that character, one past the end (of an unknown log: 0) as the end.
   */
  read(operationId: string, offset: number, scope?: string): OperationLog;
  /**
   * Slices with text, from `offset` on, as lines arrive, whichever handle of this process appends. Ends,
   * without error, on `return()`, when `signal` aborts or had aborted, on `retire` and on close. Does not
   * keep the process alive.
   */
  follow(operationId: string, options?: FollowOptions): AsyncIterableIterator<OperationLog>;
  /** Refuses later calls of this handle with `ERR_CLOSED`, waits for what was called before, and lets go. */
  close(): Promise<void>;
  /** `close`, so that `await using` works. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a backend says of a job. */
interface Observation {
  /** `interrupted` is recorded, and asked about again. */
  readonly state: OperationState;
  /** In [0, 1]; left out: as it was. */
  readonly progress?: number | null;
  /** At most 64 Unicode scalar values, published as it is. */
  readonly stage?: string | null;
  /** Taken with a terminal state only. */
  readonly result?: PlainInput | null;
  /** At most 256 Unicode scalar values, published as it is. */
  readonly error?: string | null;
}
/**
 * The backend. Each call is given a signal that aborts when the call has taken `adapterSeconds` or, for
 * observe and cancel, when the runner stops; whatever it answers afterwards is ignored. `stage` and
 * `error` are published verbatim; messages of thrown errors never are. Seed 2.
 */
interface JobAdapter {
  /**
   * Sends the job and returns its reference: 1 to `referenceBytes` bytes of well-formed text.
   * `SubmissionRefused` ends the operation as failed. Anything else (another error, a timeout, a value
   * that is no reference) leaves it interrupted and uncertain. Called at most once in an operation's
   * life; `operationId` serves as the idempotency key.
   */
  submit(operationId: string, payload: JsonObject, signal: AbortSignal): Promise<string>;
  /**
   * What the backend says. An error, a timeout, a value that is no object, or a non-terminal observation
   * that the journal refuses: the row is stale and asked about again. A state the contract does not know,
   * or a terminal observation that the journal or `resultSchema` refuses: failed, with a fixed reason.
   * `interrupted` is recorded, and asked about again.
   */
  observe(reference: string, signal: AbortSignal): Promise<Observation>;
  /** Asks the backend to stop the job. Acceptance is not termination. May come more than once. */
  cancel(reference: string, signal: AbortSignal): Promise<void>;
}
/** How to drive a scope. Seconds may have fractions. */
interface RunnerOptions {
  /** Whose queue it drains. Default `''`. */
  readonly scope?: string;
  /** Pause between two observations. Default 1, from 0.001 to 3 600. */
  readonly pollSeconds?: number;
  /** Default 30, from 0.001 to 86 400. */
  readonly adapterSeconds?: number;
  /** Of the result of a succeeded operation; an absent result is judged as `{}`. */
  readonly resultSchema: JsonSchema;
  /** For `maxRuntimeSeconds` and the rows it writes; default the journal's. Pauses ignore it. */
  readonly clock?: () => number;
  /** Operations in progress at once. Default 1, from 1 to 1 024. */
  readonly concurrency?: number;
}
/**
 * Drains one scope's queue through an adapter. Of one operation, in this order, each step durable before
 * the next: running and `uncertain`; `submit`; `accepted` with the reference; observations until one is
 * terminal, every `pollSeconds`; after k failures in a row the pause is `pollSeconds` times 2^k, at most a
 * minute (or `pollSeconds`). A row that ends by other hands is let go, and what the adapter still answers
 * is dropped. While the journal cannot write, nothing is submitted, and what the adapter answered is
 * recorded once it can.
 *
 * A waiting row with a cancel intent is cancelled instead of being submitted. A row past
 * `maxRuntimeSeconds` since its `startedAt`, restarts included, is given a cancel intent. A row in progress
 * with a cancel intent: `cancel` is called until it has fulfilled once (in this runner's life), and
 * observing goes on; whatever terminal state the backend reports stands.
 *
 * The loop runs beside the JavaScript thread; adapter and clock are called on the thread that started it,
 * each call a macrotask. A clock that throws, or gives no time, puts off what needs the time. Seed 2.
 */
declare class OperationRunner {
  /** `ERR_SCHEMA_INVALID`; nothing starts. */
  constructor(
    journal: OperationJournal,
    logs: OperationLogs,
    adapter: JobAdapter,
    options: RunnerOptions,
  );
  /**
   * `ERR_SCOPE_OWNED` if a runner of this scope and journal is started, be it this one and in whatever
   * thread; `ERR_CLOSED`. First takes up what an earlier life left: rows that are interrupted, running or
   * queued at the backend are observed if they have a reference (all of them at once, counting as in
   * progress) and otherwise interrupted. Then drains the queue, and looks at it again every
   * `pollSeconds`. Keeps the process alive until `stop`.
   */
  start(): void;
  /**
   * Calls nothing new, waits for a `submit` in flight (its answer is recorded) but for no other call, and
   * leaves the rows as they are. Idempotent. Then nothing keeps the process alive, and the scope may be
   * started again.
   */
  stop(): Promise<void>;
  /** Look at the queue now. Nothing unless started. */
  enqueue(): void;
  /**
   * A waiting operation is cancelled, durably, when this fulfils; one that was sent has its intent
   * recorded, and a started runner asks the adapter; a terminal one stays as it is. Needs no started
   * runner. `ERR_OPERATION_UNKNOWN`.
   */
  requestCancel(operationId: string): Promise<OperationStatus>;
}

/** `read` may call status, list and log; `effect` may also call start, cancel and plan. */
type Authority = 'read' | 'effect';
/** What a caller of a service may ask for. */
type Verb = 'start' | 'status' | 'list' | 'log' | 'cancel' | 'plan';
/** Exactly these fields; null is the same as left out. `start`, `cancel` and `plan` need `effect`. */
interface OperationCalls {
  /** Start it, or find that it was started. */
  start: {
    readonly op: 'start';
    readonly operationId: string;
    readonly input: PlainInput;
  };
  /** The full record. */
  status: {
    readonly op: 'status';
    readonly operationId: string;
  };
  /** A page of the scope, newest first. */
  list: {
    readonly op: 'list';
    readonly offset?: number | null;
  };
  /** A slice of its log. */
  log: {
    readonly op: 'log';
    readonly operationId: string;
    readonly offset?: number | null;
  };
  /** Ask for its end. */
  cancel: {
    readonly op: 'cancel';
    readonly operationId: string;
  };
  /** Ask for an estimate to review. */
  plan: {
    readonly op: 'plan';
    readonly input: PlainInput;
  };
}
/** Any of the calls. */
type OperationCall = OperationCalls[Verb];
/** What each verb is answered with. */
interface OperationAnswers {
  /** The row, made now or before. */
  start: OperationStatus;
  /** The row. */
  status: OperationStatus;
  /** The page. */
  list: OperationPage;
  /** The slice; of an unknown log, an empty one. */
  log: OperationLog;
  /** The row, ended or not: acceptance is not termination. */
  cancel: OperationStatus;
  /** The plan, held by this service. */
  plan: OperationPlan;
}
/** What a plan function returns: a plan, of which the service can fill in the digest. */
interface PlanDraft {
  /** If given, must be the right one. */
  readonly planDigest?: string;
  /** 1 to 512 Unicode scalar values, shown to whoever decides. */
  readonly summary: string;
  /** A whole number of at least 0; left out or null: not estimated. */
  readonly estimatedSeconds?: number | null;
  /** Whole millionths of whatever you count in; left out or null: not estimated. */
  readonly estimatedCostMicrounits?: number | null;
  /** Milliseconds since the Unix epoch, by the clock of the journal. */
  readonly expiresAt: number;
  /** What to start with, if it is to be another input than was asked about. */
  readonly input?: PlainInput | null;
}
/** What a service works with: all of one scope, and of one thread. */
interface ServiceOptions {
  /** The descriptor whose operations it speaks for. */
  readonly scope: string;
  /** Where they are recorded. */
  readonly journal: OperationJournal;
  /** Where their logs are. */
  readonly logs: OperationLogs;
  /** Of the same scope. */
  readonly runner: OperationRunner;
  /** Gets the input of a plan call, less its `planDigest`. */
  readonly plan: (input: JsonObject) => Promise<PlanDraft>;
  /** Judges the input of start and plan, less its `planDigest`: `ERR_INPUT_REFUSED`. */
  readonly inputSchema?: JsonSchema;
}
/**
 * The verbs of one scope, for callers that are not trusted with the journal: each call has exactly the
 * fields of its verb, under an authority that you decide. Belongs to the thread that made it; what it
 * answers is plain data. Seed 2.
 */
declare class OperationService {
  /** `ERR_SCHEMA_INVALID`; `ERR_INVALID_ARG_VALUE` for a runner of another scope. */
  constructor(options: ServiceOptions);
  /**
   * Runs one verb. Refused in this order: `ERR_CALL_SHAPE`; `ERR_AUTHORITY`; only then is anything looked
   * at or called.
   *
   * | verb | what it does |
   * | --- | --- |
   * | start | Reserves under `inputDigest(scope, input)` and wakes the runner. Refusals of `reserve`. An id that the fence holds is answered by it alone. Otherwise an input with a `planDigest` must be that of a plan which this service issued for this input and still holds, else `ERR_PLAN_MISMATCH`, and which has not expired by the journal's clock, else `ERR_PLAN_EXPIRED`. A plan may be used more than once. |
   * | status | `ERR_OPERATION_UNKNOWN`. |
   * | list | `journal.page` of the scope. |
   * | log | `logs.read` from `offset`, default 0; an unknown log is empty. |
   * | cancel | `runner.requestCancel`. |
   * | plan | Calls `plan`. `ERR_PLAN_FAILED`; a `TenureError` that it throws is passed on. The answer is held, with the 999 issued last before it, in memory, also once expired. |
   */
  dispatch<V extends Verb>(
    call: OperationCalls[V] & {
      readonly op: V;
    },
    authority: Authority,
  ): Promise<OperationAnswers[V]>;
}

export {
  AdmissionLimiter,
  AdmissionPermit,
  ApplicationOperationBusyError,
  ApplicationOperationService,
  BackendGeneration,
  BackendInvalidation,
  ExecutionClaim,
  InteractionRequest,
  OperationJournal,
  OperationLease,
  OperationLogs,
  OperationRunner,
  OperationService,
  ResultRefused,
  RuntimeCore,
  SessionBusyError,
  SteeringTurn,
  StopAttempt,
  StopDelivery,
  StopMember,
  StopOperation,
  SubmissionRefused,
  TenureError,
  inputDigest,
  journalKey,
  operationDescriptor,
  sessionOperationExclusivityKey,
  setLogger,
};
export type {
  ApplicationOperationRegistration,
  ApplicationOperationRequest,
  Authority,
  CancelIntent,
  ClaimPhase,
  CoreError,
  CoreErrorCode,
  CoreTypes,
  DescriptorOptions,
  ExportOptions,
  FollowOptions,
  ForgetOptions,
  GenerationPhase,
  InMemoryOptions,
  JobAdapter,
  JournalOptions,
  JournalProblem,
  JournalStats,
  JsonObject,
  JsonSchema,
  JsonValue,
  LogEvent,
  LogLevel,
  LoggerOptions,
  Observation,
  OperationAnswers,
  OperationBounds,
  OperationCall,
  OperationCalls,
  OperationDescriptor,
  OperationErrorCode,
  OperationLog,
  OperationPage,
  OperationPatch,
  OperationPlan,
  OperationState,
  OperationStatus,
  Outcome,
  PageOptions,
  PlainInput,
  PlanDraft,
  QueueSnapshot,
  Reservation,
  Resolution,
  RunIdentity,
  RunnerOptions,
  RuntimeCoreOptions,
  ScopeCounts,
  ScopedCoreOptions,
  ServiceOptions,
  SteeringMessage,
  StopProjection,
  Submission,
  Verb,
  WatchOptions,
};
