import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AdmissionLimiter,
  RuntimeCore,
  sessionOperationExclusivityKey,
  type ApplicationOperationRegistration,
  type BackendInvalidation,
  type ScopedCoreOptions,
} from 'tenure';
import { admit } from './admission.mts';
import { disposeInvalidated, returnQueued } from './disposal.mts';
import { recordsOf, resumable, type Continuation, type History } from './history.mts';
import { stepRecord, type Ledger } from './ledger.mts';
import type { Claim, Parts } from './parts.mts';
import { assertAlone, assertUnchanged, compaction, promptSteps, runSteps } from './plans.mts';
import { Records } from './records.mts';
import { Run, type RunInit } from './run.mts';
import { attemptStop } from './stop.mts';
import type {
  Core,
  Fault,
  KernelEvent,
  KernelTypes,
  LeftStep,
  StartBackend,
  StopInput,
} from './types.mts';

export interface KernelOptions {
  readonly ledger: Ledger;
  readonly startBackend: StartBackend;
  /** Default: a step does not outlive the kernel that runs it. */
  readonly leftStep?: LeftStep;
  readonly onEvent?: (event: KernelEvent) => void;
  /** Kernels of one scope name share their sessions. */
  readonly scope?: string;
  readonly newId?: () => string;
  readonly now?: () => number;
  readonly patienceMs?: number;
  readonly maxChildTurns?: number;
}

export interface TurnInput {
  /** Each line is one step. */
  readonly text: string;
  readonly turnId?: string;
  /** A claim made earlier with `claimExecution`. */
  readonly claim?: Claim;
}

export interface ChildTurnInput extends TurnInput {
  readonly parentTurnId?: string;
}

export interface SessionState {
  readonly turnIds: readonly string[];
  readonly backends: readonly {
    readonly id: number;
    readonly route: string | undefined;
    readonly phase: string;
    readonly runs: number;
  }[];
  /** Why a turn would be refused now; undefined: it would not. */
  readonly refusal: unknown;
}

/**
 * A kernel that runs command lines as turns. Whom it lets run, what is being stopped and who holds
 * which message is decided by the core: no collection of such things is kept in here.
 */
export class Kernel {
  readonly #core: Core;
  readonly #parts: Parts;
  readonly #children: AdmissionLimiter;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: KernelOptions) {
    const { newId = randomUUID, now = Date.now, scope } = options;
    const { ledger, startBackend, onEvent = () => {}, patienceMs = 5000 } = options;
    const { leftStep = () => Promise.resolve(undefined) } = options;
    const onForeignStop: ScopedCoreOptions<KernelTypes>['onForeignStop'] = (stop) =>
      attemptStop(this.#parts, stop);
    const shared = scope === undefined ? {} : { scope, onForeignStop };
    this.#core = new RuntimeCore<KernelTypes>({ newId, now, ...shared });
    const records = new Records(this.#core, ledger);
    const given = { startBackend, leftStep, newId, now, patienceMs, onEvent };
    this.#parts = { core: this.#core, records, ...given };
    this.#children = new AdmissionLimiter(options.maxChildTurns ?? 4);
  }

  // -- turns ------------------------------------------------------------------

  /** A right to run once, to be handed to a turn later or released. */
  claimExecution(sessionId: string): Claim {
    return this.#core.claimExecution(sessionId);
  }

  /** Runs a prompt. A refusal throws; a turn that began ends with an `end` event. */
  async *startTurn(sessionId: string, input: TurnInput): AsyncGenerator<KernelEvent> {
    const steps = promptSteps(input.text);
    const claim = this.#core.claimExecution(sessionId, input.claim);
    const run = this.#run({ sessionId, kind: 'turn', turnId: input.turnId });
    const keys = [sessionOperationExclusivityKey(sessionId)];
    yield* admit(this.#parts, claim, run, { keys }, runSteps(steps));
  }

  /** Runs a prompt beside the session's own turn, on a backend of its own. */
  async *startChildTurn(sessionId: string, input: ChildTurnInput): AsyncGenerator<KernelEvent> {
    const steps = promptSteps(input.text);
    const claim = this.#core.claimExecution(sessionId, input.claim);
    const { parentTurnId } = input;
    const lineage = parentTurnId === undefined ? {} : { parentTurnId };
    const run = this.#run({ sessionId, kind: 'child', turnId: input.turnId, lineage });
    const check = (): Promise<Disposable> => {
      if (this.#children.activeCount >= this.#children.capacity) run.phase('waiting');
      return this.#children.acquire(claim.stopSignal);
    };
    const plan = { ...runSteps(steps), route: run.turnId };
    yield* admit(this.#parts, claim, run, { keys: [], check }, plan);
  }

  /**
   * The session's newest turn, if it ended before its last step. A step that went on without its
   * kernel is written down first, and throws if it has not ended.
   */
  async resumable(sessionId: string): Promise<Continuation | undefined> {
    const { leftStep, now, records } = this.#parts;
    for (;;) {
      const history = await this.history(sessionId);
      const live = (runId: string): boolean => this.#core.hasActiveRun(sessionId, runId);
      const source = resumable(sessionId, history.records, live);
      if (!source) return undefined;
      const own = recordsOf(source.sourceRunId, history.records);
      const index = own.filter(({ type }) => type === 'step').length;
      const place = { runId: source.sourceRunId, index };
      const result = await leftStep(place);
      if (!result) return source;
      await records.appendOnce(sessionId, stepRecord(place, now(), result));
    }
  }

  /** Runs the steps that are left of an earlier turn. One turn is continued once. */
  async *resumeContinuation(source: Continuation): AsyncGenerator<KernelEvent> {
    const { sessionId, sourceRunId, steps } = source;
    const claim = this.#core.claimExecution(sessionId);
    const run = this.#run({ sessionId, kind: 'continuation', lineage: { continues: sourceRunId } });
    const keys = [
      `continuation:${JSON.stringify([sessionId, sourceRunId, source.highWater])}`,
      sessionOperationExclusivityKey(sessionId),
    ];
    const check = (): Promise<void> => assertUnchanged(this.#parts, source);
    const plan = { ...runSteps(steps), commitsStart: true };
    yield* admit(this.#parts, claim, run, { keys, check }, plan);
  }

  /** Folds the ledger so far into a checkpoint. Refused while anything runs in the session. */
  async *compactSession(sessionId: string): AsyncGenerator<KernelEvent> {
    const claim = this.#core.claimExecution(sessionId);
    const run = this.#run({ sessionId, kind: 'compaction' });
    const keys = [sessionOperationExclusivityKey(sessionId)];
    const check = (): void => assertAlone(claim);
    const plan = compaction(this.#parts, sessionId);
    yield* admit(this.#parts, claim, run, { keys, check }, plan);
  }

  // -- stop -------------------------------------------------------------------

  /**
   * Resolves when everything that ran or was starting has ended and the ledger says so. What is
   * queued is returned by an event before. Asked again with `immediate`, a stop that waits for the
   * end of a step waits no longer.
   */
  stopSession(sessionId: string, input: Partial<StopInput> = {}): Promise<void> {
    const { mode = 'immediate', source = 'user' } = input;
    returnQueued(this.#parts, sessionId);
    let starts = false;
    const stopped = this.#core.stopSession(sessionId, { mode, source }, (stop) => {
      starts = true;
      return attemptStop(this.#parts, stop);
    });
    if (!starts && mode === 'immediate') this.#hasten(sessionId);
    return stopped;
  }

  // -- messages ---------------------------------------------------------------

  /** Text for the running turn's next step boundary. False: no turn of the session takes it. */
  steer(sessionId: string, text: string): boolean {
    return this.#core.steer(sessionId, text);
  }

  /** Text for the turn after the running one. False: none runs, so start one. */
  queueMessage(sessionId: string, text: string): boolean {
    return this.#core.queueMessage(sessionId, text);
  }

  /** What is queued for the next turn, as its prompt. */
  drainFollowup(sessionId: string): string | undefined {
    const texts = this.#core.drainFollowup(sessionId);
    return texts.length === 0 ? undefined : texts.join('\n');
  }

  /** Takes back all that no turn has taken yet. */
  retractQueue(sessionId: string): string[] {
    return this.#core.retractQueue(sessionId);
  }

  // -- backends ---------------------------------------------------------------

  hasActiveRuns(sessionId: string): boolean {
    return this.#core.hasActiveRuns(sessionId);
  }

  /** The session gets a new backend: at once if it is idle, else when its turn has ended. */
  async invalidateBackend(sessionId: string): Promise<void> {
    this.#core.invalidate(sessionId);
    const due = this.#core.dueInvalidation(sessionId);
    if (due) await this.#dispose(due);
  }

  /** Ends the session's backends, and with them what still runs. */
  disposeBackend(sessionId: string): Promise<void> {
    return this.#dispose(this.#core.invalidate(sessionId));
  }

  /** Tells the session's backend to fail its next stop or disposal. False: it has none. */
  failNext(sessionId: string, fault: Fault): boolean {
    const generation = this.#core.currentGeneration(sessionId);
    generation?.backend.failNext(fault);
    return generation !== undefined;
  }

  // -- what there is ----------------------------------------------------------

  history(sessionId: string): Promise<History> {
    return this.#parts.records.history(sessionId);
  }

  /** Every session with a ledger or a backend. */
  async sessions(): Promise<string[]> {
    const known = [...(await this.#parts.records.sessions()), ...this.#core.cachedSessions()];
    return known.filter((id, at) => known.indexOf(id) === at);
  }

  state(sessionId: string): SessionState {
    const generations = this.#core.generations(sessionId);
    const backends = generations.map(({ id, route, phase, activeRuns }) => {
      return { id, route, phase, runs: activeRuns.size };
    });
    return {
      turnIds: this.#core.activeTurnIds(sessionId),
      backends,
      refusal: this.#refusal(sessionId),
    };
  }

  stats(): {
    sessions: number;
    admissions: number;
    operations: ApplicationOperationRegistration[];
  } {
    return { ...this.#core.stats(), operations: this.#core.operations.listActive() };
  }

  /** Stops and disposes everything, and kills what is then left. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** For the exit of the process: nothing is waited for. */
  killAll(): void {
    if (this.#isClosed) return;
    for (const id of this.#core.cachedSessions()) {
      for (const { backend } of this.#core.generations(id)) backend.killNow();
    }
  }

  // -- within -----------------------------------------------------------------

  async #close(): Promise<void> {
    const starting = this.#core.operations.listActive().map(({ sessionId }) => sessionId ?? '');
    const ids = [...starting, ...this.#core.cachedSessions()].filter((id) => id !== '');
    await Promise.allSettled(ids.map((id) => this.stopSession(id, { source: 'close' })));
    await Promise.allSettled(ids.map((id) => this.disposeBackend(id)));
    // The last thing that a run does is to let go of its place among the active operations.
    const { operations } = this.#core;
    for (let ms = this.#parts.patienceMs; ms > 0 && operations.listActive().length > 0; ms -= 10) {
      await sleep(10);
    }
    this.killAll();
    this.#isClosed = true;
    this.#core.close();
  }

  #run({
    turnId,
    ...init
  }: Omit<RunInit, 'runId' | 'turnId'> & { turnId?: string | undefined }): Run {
    const { newId } = this.#parts;
    return new Run({ ...init, runId: newId(), turnId: turnId ?? newId() });
  }

  /** A stop that stands keeps its own input, so the backends are told apart from it. */
  #hasten(sessionId: string): void {
    for (const { activeRuns, backend } of this.#core.generations(sessionId)) {
      // One that cannot be hastened is still waited for by the stop that stands.
      if (activeRuns.size > 0) backend.stop('immediate').catch(() => {});
    }
  }

  async #dispose(invalidation: BackendInvalidation<KernelTypes>): Promise<void> {
    const outcome = await disposeInvalidated(this.#parts, invalidation);
    if (!outcome.ok) throw invalidation.failure ?? outcome.error;
  }

  /** Asks as a turn would, and gives the claim back. */
  #refusal(sessionId: string): unknown {
    try {
      const claim = this.#core.claimExecution(sessionId);
      try {
        claim.activationBlocker();
      } finally {
        claim.release();
      }
    } catch (error) {
      return error;
    }
    return undefined;
  }
}
