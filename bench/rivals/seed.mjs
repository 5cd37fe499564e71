// The rival that pays for everything at once, as the kernel did that this core was drawn from, the
// seed: facts in Maps that are searched through, and a claim that brings its controller, its error
// with a stack, its promise and its closures from the start. Only what is timed is here, under the
// names of the package, so that both run the same code.

import { SeedSteering } from './seed-steering.mjs';

class Cancellation extends Error {
  constructor(sessionId) {
    super(`Execution for session ${sessionId} was cancelled before dispatch`);
    this.name = 'RuntimeExecutionCancellation';
  }
}

/** A claim as the kernel holds it; from the handle, which its caller holds, a WeakMap leads here. */
class Execution {
  constructor(core, sessionId) {
    this.core = core;
    this.sessionId = sessionId;
    this.phase = 'pending';
    this.run = undefined;
    this.onStop = undefined;
    this.stopIntent = undefined;
    this.finalization = undefined;
    this.generation = undefined;
    this.resolveSettled = undefined;
    this.rejectSettled = undefined;
    this.settled = new Promise((resolve, reject) => {
      this.resolveSettled = resolve;
      this.rejectSettled = reject;
    });
    void this.settled.catch(() => undefined);
    this.abortController = new AbortController();
    this.cancellation = new Cancellation(sessionId);
    this.handle = {
      sessionId,
      stopSignal: this.abortController.signal,
      isStopRequested: () => this.stopIntent !== undefined,
      release: () => this.release(),
    };
  }

  get stopSignal() {
    return this.abortController.signal;
  }

  get stopOperation() {
    const operation = this.core.stopOperations.get(this.sessionId);
    return operation?.runs.has(this.run.runId) ? operation : undefined;
  }

  isStopRequested() {
    return this.stopIntent !== undefined;
  }

  attach(run, onStop) {
    if (this.phase !== 'pending') {
      throw new Error(`Execution claim cannot attach Run ${run.runId} from phase ${this.phase}`);
    }
    this.run = run;
    this.onStop = onStop;
    this.phase = 'attached';
    if (this.stopIntent) onStop(this.stopIntent);
  }

  activationBlocker() {
    const { core, sessionId } = this;
    const ownsStop =
      this.phase === 'attached' &&
      this.stopIntent !== undefined &&
      core.stopIntents.get(sessionId) === this.stopIntent;
    if (core.stopOperations.has(sessionId) && !ownsStop) {
      throw new Error(`Session ${sessionId} is quarantined by a retained stop operation`);
    }
    for (const generation of core.generationsOf(sessionId)) {
      if (generation.phase !== 'active') {
        throw new Error(`Backend generation ${generation.id} is ${generation.phase}`);
      }
    }
    if (core.backendInvalidations.has(sessionId) && core.hasActiveRuns(sessionId)) {
      throw new Error(`Backend generation is quarantined for session ${sessionId}`);
    }
    return undefined;
  }

  reserve(generation) {
    const { core, run } = this;
    if (
      generation.phase !== 'active' ||
      core.backendGenerations.get(generation.id) !== generation ||
      core.active.get(this.sessionId) !== generation
    ) {
      throw new Error(`Backend generation ${generation.id} no longer owns activation`);
    }
    if (generation.activeRuns.has(run.runId) || generation.turnToRunId.has(run.turnId)) {
      throw new Error(`Backend generation ${generation.id} already reserved this Run identity`);
    }
    generation.activeRuns.set(run.runId, run);
    generation.turnToRunId.set(run.turnId, run.runId);
    if (this.phase !== 'attached') {
      throw new Error(`Execution claim does not own attached Run ${run.runId}`);
    }
    this.generation = generation;
    this.phase = 'reserved';
    return this.stopIntent;
  }

  canDispatch() {
    const { core, run } = this;
    const { backend } = this.generation;
    const active = [...core.backendGenerations.values()].find(
      (candidate) => candidate.backend === backend,
    );
    return (
      active !== undefined &&
      active.phase === 'active' &&
      core.active.get(this.sessionId) === active &&
      active.activeRuns.get(run.runId) === run &&
      active.turnToRunId.get(run.turnId) === run.runId
    );
  }

  settle(outcome) {
    if ((this.phase === 'attached' || this.phase === 'failed') && !outcome.ok) return;
    if (this.phase !== 'reserved') {
      throw new Error(`Execution claim cannot settle reserved Run ${this.run?.runId}`);
    }
    this.end(outcome);
  }

  finalize(outcome) {
    if (this.phase !== 'attached') return;
    this.finalization = outcome;
    this.endStopped();
  }

  release() {
    if (this.phase !== 'pending' && this.phase !== 'attached') return;
    if (this.phase === 'attached' && this.stopIntent) this.endStopped();
    else this.end({ ok: true });
  }

  endStopped() {
    if (this.phase === 'attached' && this.stopIntent && this.finalization) {
      this.end(this.finalization);
    }
  }

  end(outcome) {
    this.phase = outcome.ok ? 'released' : 'failed';
    const claims = this.core.executionClaims.get(this.sessionId);
    claims?.delete(this);
    if (claims?.size === 0) this.core.executionClaims.delete(this.sessionId);
    if (outcome.ok) this.resolveSettled();
    else this.rejectSettled(outcome.error);
  }

  leaveGeneration() {
    const { generation, run } = this;
    generation.activeRuns.delete(run.runId);
    if (generation.turnToRunId.get(run.turnId) === run.runId) {
      generation.turnToRunId.delete(run.turnId);
    }
  }
}

class Generation {
  constructor(core, sessionId, id, backend, header) {
    this.core = core;
    this.sessionId = sessionId;
    this.id = id;
    this.phase = 'active';
    this.backend = backend;
    this.cachedHeader = header;
    this.activeRuns = new Map();
    this.turnToRunId = new Map();
  }

  reconcile() {
    if (this.activeRuns.size > 0 || this.isReferenced()) return undefined;
    if (this.phase === 'stopping') this.phase = 'active';
    return undefined;
  }

  isReferenced() {
    return [...this.core.stopOperations.values()].some((operation) =>
      [...operation.targets.values()].some((target) => target.active === this),
    );
  }
}

/** One stop in progress. */
class StopIntent {
  constructor(core, sessionId, input) {
    this.core = core;
    this.sessionId = sessionId;
    this.input = input;
    this.claims = new Set();
  }

  activeClaims() {
    const runs = [];
    for (const generation of this.core.generationsOf(this.sessionId)) {
      for (const run of generation.activeRuns.values()) runs.push(run);
    }
    return runs;
  }

  async drained() {
    const results = await Promise.allSettled([...this.claims].map(({ settled }) => settled));
    return results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
  }
}

export class SeedCore extends SeedSteering {
  constructor({ newId }) {
    super(newId);
    this.active = new Map();
    this.backendGenerations = new Map();
    this.backendInvalidations = new Map();
    this.executionClaims = new Map();
    this.executionClaimStates = new WeakMap();
    this.stopAttempts = new Map();
    this.stopIntents = new Map();
    this.stopOperations = new Map();
    this.nextBackendGeneration = 0;
  }

  claimExecution(sessionId, pending) {
    if (pending !== undefined) return this.takeExecution(sessionId, pending);
    if (this.stopIntents.has(sessionId)) {
      throw new Error(`Session ${sessionId} is stopping and cannot admit a new execution`);
    }
    const execution = new Execution(this, sessionId);
    let claims = this.executionClaims.get(sessionId);
    if (!claims) {
      claims = new Set();
      this.executionClaims.set(sessionId, claims);
    }
    claims.add(execution);
    this.executionClaimStates.set(execution.handle, execution);
    return execution.handle;
  }

  takeExecution(sessionId, handle) {
    const execution = this.executionClaimStates.get(handle);
    if (!execution || execution.sessionId !== sessionId || execution.phase !== 'pending') {
      throw new Error(`Execution claim does not own pending admission for session ${sessionId}`);
    }
    return execution;
  }

  createGeneration(execution, _route, backend, header) {
    this.nextBackendGeneration += 1;
    const { sessionId } = execution;
    const generation = new Generation(this, sessionId, this.nextBackendGeneration, backend, header);
    this.backendGenerations.set(generation.id, generation);
    this.active.set(sessionId, generation);
    return generation;
  }

  currentGeneration(sessionId) {
    return this.active.get(sessionId);
  }

  generationsOf(sessionId) {
    return [...this.backendGenerations.values()].filter(
      (generation) => generation.sessionId === sessionId && generation.phase !== 'terminated',
    );
  }

  hasActiveRuns(sessionId) {
    return this.generationsOf(sessionId).some(({ activeRuns }) => activeRuns.size > 0);
  }

  hasActiveRun(sessionId, runId, turnId) {
    return this.generationsOf(sessionId).some(({ activeRuns }) => {
      const run = activeRuns.get(runId);
      return run !== undefined && (turnId === undefined || run.turnId === turnId);
    });
  }

  runForTurn(sessionId, _route, turnId) {
    const active = this.active.get(sessionId);
    const runId = active?.turnToRunId.get(turnId);
    return runId === undefined ? undefined : active.activeRuns.get(runId);
  }

  activeRun(sessionId, _route, runId) {
    return this.active.get(sessionId)?.activeRuns.get(runId);
  }

  dueInvalidation(sessionId) {
    const invalidation = this.backendInvalidations.get(sessionId);
    return !invalidation || this.hasActiveRuns(sessionId) ? undefined : invalidation;
  }

  stopSession(sessionId, input, attempt) {
    const standing = this.stopAttempts.get(sessionId);
    if (standing) return standing;
    const intent = new StopIntent(this, sessionId, input);
    this.stopIntents.set(sessionId, intent);
    const executions = [...(this.executionClaims.get(sessionId) ?? [])];
    for (const execution of executions) {
      execution.stopIntent = intent;
      intent.claims.add(execution);
    }
    for (const execution of executions) execution.onStop?.(intent);
    for (const execution of executions) execution.abortController.abort(execution.cancellation);
    this.clearSteering(sessionId);
    const stopped = attempt(intent).finally(() => {
      if (this.stopAttempts.get(sessionId) === stopped) this.stopAttempts.delete(sessionId);
      if (this.stopIntents.get(sessionId) === intent) this.stopIntents.delete(sessionId);
    });
    this.stopAttempts.set(sessionId, stopped);
    return stopped;
  }
}
