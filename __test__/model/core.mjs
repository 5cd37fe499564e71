// The core object of the reference model: one member of a scope.
import * as errors from './errors.mjs';
import { closedError } from './errors.mjs';
import { adopt, own, quiet, rejecting } from './handles.mjs';
import { Member, Scope } from './scope.mjs';
import { closeAdmission, serviceOf } from './admission.mjs';
import { claimExecution, endClaim } from './claim.mjs';
import { activate, createGeneration, currentOn, terminate } from './generation.mjs';
import { closeMutations, mutateSessions } from './mutation.mjs';
import { closeOperations } from './operation.mjs';
import * as rooms from './rooms.mjs';
import * as steering from './steering.mjs';
import { closeStops, stopSession } from './stop.mjs';

export class RuntimeCore {
  constructor(options) {
    errors.needObject(options, 'options');
    const { newId, now, scope, onForeignStop } = options;
    errors.needFunction(newId, 'newId');
    errors.needFunction(now, 'now');
    if (scope !== undefined) errors.needId(scope, 'scope');
    if (onForeignStop !== undefined) errors.needFunction(onForeignStop, 'onForeignStop');
    const member = new Member(Scope.find(scope), { newId, now, onForeignStop });
    adopt(this, RuntimeCore, { member, operations: serviceOf(member) });
  }

  get operations() {
    return own(this, RuntimeCore).operations;
  }

  close() {
    const { member } = own(this, RuntimeCore);
    if (!member.closed) closeMember(member);
  }

  [Symbol.dispose]() {
    this.close();
  }

  claimExecution(sessionId, pending) {
    return claimExecution(this.#member(), sessionId, pending);
  }

  hasActiveRuns(sessionId) {
    return this.#session(sessionId).runs().length > 0;
  }

  hasActiveRun(sessionId, runId, turnId) {
    const runs = this.#session(sessionId).runs();
    return runs.some(
      (each) => each.runId === runId && (turnId === undefined || each.turnId === turnId),
    );
  }

  runForTurn(sessionId, route, turnId) {
    return this.#currentRun(sessionId, route, (each) => each.turnId === turnId);
  }

  activeRun(sessionId, route, runId) {
    return this.#currentRun(sessionId, route, (each) => each.runId === runId);
  }

  activeTurnIds(sessionId) {
    return [
      ...new Set(
        this.#session(sessionId)
          .runs()
          .map((each) => each.turnId),
      ),
    ];
  }

  mutateSessions(sessionIds, task, options) {
    return rejecting(() => mutateSessions(this.#member(), sessionIds, task, options));
  }

  request(sessionId, requestId) {
    return this.requests(sessionId).find((each) => each.requestId === requestId);
  }

  requests(sessionId) {
    return this.#session(sessionId)
      .room(this.#member())
      .requests.map((each) => each.handle);
  }

  stopSession(sessionId, input, attempt) {
    return quiet(rejecting(() => stopSession(this.#member(), sessionId, input, attempt)));
  }

  openSteeringTurn(sessionId, turnId, onUpdate) {
    return steering.openSteeringTurn(this.#member(), sessionId, turnId, onUpdate);
  }

  steer(sessionId, text) {
    return steering.steer(this.#member(), sessionId, text);
  }

  queueMessage(sessionId, text) {
    return steering.queueMessage(this.#member(), sessionId, text);
  }

  drainFollowup(sessionId) {
    return steering.drainFollowup(this.#member(), sessionId);
  }

  retractQueue(sessionId) {
    return steering.retractQueue(this.#member(), sessionId);
  }

  currentGeneration(sessionId, route) {
    errors.needRoute(route);
    const current = currentOn(this.#session(sessionId), route);
    return current?.member === this.#member() ? current.handle : undefined;
  }

  generations(sessionId) {
    const member = this.#member();
    const { generations } = this.#session(sessionId);
    return generations.filter((each) => each.member === member).map((each) => each.handle);
  }

  activate(sessionId, route, build) {
    return rejecting(() => activate(this.#member(), sessionId, route, build));
  }

  createGeneration(claim, route, backend, header) {
    return createGeneration(this.#member(), claim, route, backend, header);
  }

  cachedSessions() {
    const member = this.#member();
    const holds = (session) =>
      session.generations.some((each) => each.member === member) ||
      session.room(member).invalidation;
    return [...member.scope.sessions.values()].filter(holds).map((session) => session.id);
  }

  invalidate(sessionId) {
    return rooms.invalidate(this.#member(), sessionId);
  }

  invalidation(sessionId) {
    return rooms.invalidation(this.#member(), sessionId);
  }

  dueInvalidation(sessionId) {
    return rooms.dueInvalidation(this.#member(), sessionId);
  }

  loadCheckpoint(sessionId, load) {
    return rejecting(() => rooms.loadCheckpoint(this.#member(), sessionId, load));
  }

  storeCheckpoint(sessionId, checkpoint) {
    rooms.storeCheckpoint(this.#member(), sessionId, checkpoint);
  }

  serialize(sessionId, lane, task) {
    return rejecting(() => rooms.serialize(this.#member(), sessionId, lane, task));
  }

  stats() {
    const { scope } = this.#member();
    return { sessions: scope.liveSessions().length, admissions: scope.admission.entries.length };
  }

  #member() {
    const { member } = own(this, RuntimeCore);
    member.needOpen();
    return member;
  }

  #session(sessionId) {
    const member = this.#member();
    errors.needId(sessionId, 'sessionId');
    return member.scope.session(sessionId);
  }

  #currentRun(sessionId, route, isIt) {
    errors.needRoute(route);
    const current = currentOn(this.#session(sessionId), route);
    return current?.member === this.#member() ? current.runs.find(isIt)?.run : undefined;
  }
}

/** The end of a member: its part in every record, in the order in which others may see it. */
function closeMember(member) {
  member.closed = true;
  const sessions = [...member.scope.sessions.values()];
  for (const session of sessions) {
    for (const claim of session.claims.filter((each) => each.member === member)) {
      endClaim(claim, { ok: false, error: closedError() });
    }
  }
  closeOperations(member);
  for (const session of sessions) {
    for (const generation of session.generations.filter((each) => each.member === member)) {
      for (const claim of generation.runs) claim.registered = false;
      generation.runs = [];
      terminate(generation);
    }
  }
  rooms.closeRooms(member);
  closeStops(member);
  steering.closeSteering(member);
  closeMutations(member);
  closeAdmission(member);
  member.scope.leave(member);
}
