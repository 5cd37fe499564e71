// The rival that is hard to beat: plain JavaScript again, but one record per session instead of
// Maps to search, and nothing made before somebody asks for it. It has no scopes, no threads, no
// stop operations and no mutations to look at: what it costs is a floor.

class LazyClaim {
  constructor(session) {
    this.session = session;
    this.phase = 'pending';
    this.run = undefined;
    this.onStop = undefined;
    this.generation = undefined;
    this.stop = undefined;
    this.controller = undefined;
  }

  get sessionId() {
    return this.session.id;
  }

  get stopSignal() {
    this.controller ??= new AbortController();
    return this.controller.signal;
  }

  get stopOperation() {
    return this.session.operation?.runs.has(this.run.runId) ? this.session.operation : undefined;
  }

  isStopRequested() {
    return this.stop !== undefined;
  }

  attach(run, onStop) {
    if (this.phase !== 'pending') throw new Error(`Cannot attach ${run.runId} from ${this.phase}`);
    this.run = run;
    this.onStop = onStop;
    this.phase = 'attached';
  }

  activationBlocker() {
    const { session } = this;
    if (session.operation !== undefined) throw new Error(`Session ${session.id} is quarantined`);
    const { generation } = session;
    if (generation !== undefined && generation.phase !== 'active') {
      throw new Error(`Backend generation of session ${session.id} is ${generation.phase}`);
    }
    return undefined;
  }

  reserve(generation) {
    const { run } = this;
    if (this.phase !== 'attached') throw new Error(`No attached run in phase ${this.phase}`);
    if (generation.phase !== 'active' || this.session.generation !== generation) {
      throw new Error(`Backend generation ${generation.id} is not current`);
    }
    if (generation.runs.has(run.runId) || generation.turns.has(run.turnId)) {
      throw new Error(`Backend generation ${generation.id} already reserved this Run identity`);
    }
    generation.runs.set(run.runId, run);
    generation.turns.set(run.turnId, run);
    this.generation = generation;
    this.phase = 'reserved';
    return this.stop;
  }

  canDispatch() {
    const { generation } = this;
    return (
      generation !== undefined &&
      generation.phase === 'active' &&
      this.session.generation === generation &&
      generation.runs.get(this.run.runId) === this.run
    );
  }

  settle(outcome) {
    if (this.phase !== 'reserved') throw new Error(`No reserved run in phase ${this.phase}`);
    this.end(outcome);
  }

  finalize(_outcome) {
    if (this.phase === 'attached') throw new Error('This rival knows no stops');
  }

  release() {
    if (this.phase === 'pending' || this.phase === 'attached') this.end({ ok: true });
  }

  end(outcome) {
    this.phase = outcome.ok ? 'released' : 'failed';
    this.session.claims.delete(this);
    this.session.sweep();
  }

  leaveGeneration() {
    const { generation, run } = this;
    generation.runs.delete(run.runId);
    generation.turns.delete(run.turnId);
  }
}

class LazyGeneration {
  constructor(id, backend, header) {
    this.id = id;
    this.phase = 'active';
    this.backend = backend;
    this.cachedHeader = header;
    this.runs = new Map();
    this.turns = new Map();
  }

  reconcile() {
    if (this.phase === 'stopping' && this.runs.size === 0) this.phase = 'active';
    return undefined;
  }
}

class LazyTurn {
  constructor(session, turnId, onUpdate) {
    this.session = session;
    this.turnId = turnId;
    this.onUpdate = onUpdate;
    this.queued = [];
    this.leased = new Map();
  }

  pull() {
    const messages = this.queued;
    if (messages.length === 0) return [];
    this.queued = [];
    for (const message of messages) this.leased.set(message.id, message);
    return messages;
  }

  ack(leaseIds) {
    const before = this.leased.size;
    for (const id of leaseIds) this.leased.delete(id);
    if (this.leased.size !== before) this.update();
  }

  release() {
    const stranded = [...this.leased.values(), ...this.queued];
    if (stranded.length > 0) {
      const texts = stranded.map(({ content }) => content.text);
      this.session.followup = [...texts, ...(this.session.followup ?? [])];
      this.leased.clear();
      this.queued = [];
      this.update();
    }
    if (this.session.owner === this) this.session.owner = undefined;
    this.session.sweep();
  }

  update() {
    this.onUpdate?.({
      turnId: this.turnId,
      steering: [...this.leased.values(), ...this.queued].map(({ content }) => content.text),
      followup: [...(this.session.followup ?? [])],
    });
  }
}

class LazySession {
  constructor(core, id) {
    this.core = core;
    this.id = id;
    this.claims = new Set();
    this.generation = undefined;
    this.operation = undefined;
    this.invalidation = undefined;
    this.owner = undefined;
    this.followup = undefined;
  }

  sweep() {
    if (
      this.claims.size === 0 &&
      this.generation === undefined &&
      this.owner === undefined &&
      this.followup === undefined
    ) {
      this.core.sessions.delete(this.id);
    }
  }
}

export class LazyCore {
  constructor({ newId }) {
    this.newId = newId;
    this.sessions = new Map();
    this.generationCount = 0;
  }

  session(id) {
    let session = this.sessions.get(id);
    if (session === undefined) {
      session = new LazySession(this, id);
      this.sessions.set(id, session);
    }
    return session;
  }

  claimExecution(sessionId, pending) {
    if (pending !== undefined) {
      if (pending.session.id !== sessionId || pending.phase !== 'pending') {
        throw new Error(`Execution claim does not own pending admission for session ${sessionId}`);
      }
      return pending;
    }
    const session = this.session(sessionId);
    const claim = new LazyClaim(session);
    session.claims.add(claim);
    return claim;
  }

  createGeneration(claim, _route, backend, header) {
    this.generationCount += 1;
    const generation = new LazyGeneration(this.generationCount, backend, header);
    claim.session.generation = generation;
    return generation;
  }

  currentGeneration(sessionId) {
    return this.sessions.get(sessionId)?.generation;
  }

  hasActiveRuns(sessionId) {
    return (this.currentGeneration(sessionId)?.runs.size ?? 0) > 0;
  }

  hasActiveRun(sessionId, runId, turnId) {
    const run = this.currentGeneration(sessionId)?.runs.get(runId);
    return run !== undefined && (turnId === undefined || run.turnId === turnId);
  }

  runForTurn(sessionId, _route, turnId) {
    return this.currentGeneration(sessionId)?.turns.get(turnId);
  }

  activeRun(sessionId, _route, runId) {
    return this.currentGeneration(sessionId)?.runs.get(runId);
  }

  dueInvalidation(sessionId) {
    return this.hasActiveRuns(sessionId) ? undefined : this.sessions.get(sessionId)?.invalidation;
  }

  openSteeringTurn(sessionId, turnId, onUpdate) {
    const session = this.session(sessionId);
    session.owner = new LazyTurn(session, turnId, onUpdate);
    return session.owner;
  }

  steer(sessionId, text) {
    const owner = this.sessions.get(sessionId)?.owner;
    if (owner === undefined) return false;
    const messageId = this.newId();
    owner.queued.push({ id: messageId, messageId, content: { text } });
    owner.update();
    return true;
  }

  drainFollowup(sessionId) {
    const session = this.sessions.get(sessionId);
    if (session?.followup === undefined) return [];
    const drained = session.followup;
    session.followup = undefined;
    session.owner?.update();
    session.sweep();
    return drained;
  }
}
