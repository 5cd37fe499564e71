// Backend generations: registration, activation, stop, disposal and what is in the way of the next.
import * as errors from './errors.mjs';
import { CoreError, cross } from './errors.mjs';
import {
  Handle,
  OK,
  begin,
  closedOutcome,
  deferred,
  later,
  make,
  own,
  ownOpen,
  peek,
  quiet,
  rejecting,
} from './handles.mjs';
import { ExecutionClaim } from './claim.mjs';
import { closeRequestsOf } from './request.mjs';
import { refersTo } from './operation.mjs';

export const currentOn = (session, route) =>
  session.generations.find((each) => each.current && each.route === route);

const foreignError = (session) =>
  new CoreError(
    'ERR_GENERATION_FOREIGN',
    `Backend of session ${session.id} lives in another thread`,
  );

const named = (code, generation, rest) =>
  new CoreError(
    code,
    `Backend generation ${generation.id} ${rest} for session ${generation.session.id}`,
  );

export function createGeneration(member, claimHandle, route, backend, header) {
  member.needOpen();
  const claim = peek(claimHandle, ExecutionClaim);
  if (claim?.member !== member) {
    const message = `Execution claim does not own pending admission for session ${claim?.session.id}`;
    throw new CoreError('ERR_CLAIM_FOREIGN', message);
  }
  errors.needRoute(route);
  const { session } = claim;
  const before = currentOn(session, route);
  const current = claim.attempt === undefined && (before === undefined || before.member === member);
  if (current && before) before.current = false;
  const generation = {
    id: ++member.scope.generations,
    member,
    session,
    route,
    backend,
    header,
    current,
    phase: 'active',
    runs: [],
    stop: { state: 'idle', promise: undefined, error: undefined },
    disposal: undefined,
    disposed: false,
    failure: undefined,
  };
  session.generations.push(generation);
  generation.handle = make(BackendGeneration, generation);
  return generation.handle;
}

export function activate(member, sessionId, route, build) {
  return rejecting(() => {
    member.needOpen();
    errors.needId(sessionId, 'sessionId');
    errors.needRoute(route);
    errors.needFunction(build, 'build');
    const session = member.scope.session(sessionId);
    const current = currentOn(session, route);
    if (current) {
      if (current.member !== member) throw foreignError(session);
      return Promise.resolve(current.handle);
    }
    const { activations } = session.room(member);
    if (activations.has(route)) return activations.get(route);
    const built = deferred();
    activations.set(route, built.promise);
    const finish = (settle) => (value) => {
      activations.delete(route);
      built[settle](value);
    };
    begin(build).then(finish('resolve'), finish('reject'));
    return built.promise;
  });
}

export function reserve(claim, handle) {
  const generation = peek(handle, BackendGeneration);
  errors.needObject(generation, 'generation');
  const owns =
    generation.member === claim.member &&
    generation.session === claim.session &&
    generation.phase === 'active' &&
    generation.current;
  if (!owns) throw named('ERR_GENERATION_STALE', generation, 'no longer owns activation');
  if (generation.runs.some((each) => each.runId === claim.runId || each.turnId === claim.turnId)) {
    const message = `Backend generation ${generation.id} already reserved this Run identity`;
    throw new CoreError('ERR_RUN_RESERVED', message);
  }
  generation.runs.push(claim);
  claim.generation = generation;
  claim.registered = true;
}

export function leaveGeneration(claim) {
  if (!claim.registered) return;
  claim.registered = false;
  claim.generation.runs = claim.generation.runs.filter((each) => each !== claim);
  closeRequestsOf(claim);
}

export function activationBlocker(claim) {
  const { session, member } = claim;
  const passes =
    claim.phase === 'attached' && claim.attempt !== undefined && claim.attempt === session.attempt;
  if (session.operations.length > 0 && !passes) {
    const message = `Session ${session.id} is quarantined by a retained stop operation`;
    throw new CoreError('ERR_SESSION_QUARANTINED', message);
  }
  for (const generation of [...session.generations]) {
    const disposal =
      generation.member === member ? ownBlocker(generation) : foreignBlocker(generation);
    if (disposal) return disposal;
  }
  if (session.room(member).invalidation && session.runs().length > 0) {
    const message = `Backend generation is quarantined for session ${session.id}`;
    throw new CoreError('ERR_GENERATION_QUARANTINED', message);
  }
  return undefined;
}

function ownBlocker(generation) {
  if (generation.phase === 'failed') throw generation.failure;
  if (generation.phase === 'stopping')
    throw named('ERR_GENERATION_STOPPING', generation, 'is stopping');
  if (generation.phase !== 'disposing') return undefined;
  if (!generation.disposed) return generation.disposal;
  if (isHeld(generation)) throw named('ERR_GENERATION_QUARANTINED', generation, 'is quarantined');
  terminate(generation);
  return undefined;
}

function foreignBlocker(generation) {
  if (generation.current) throw foreignError(generation.session);
  if (generation.phase === 'failed') throw cross(generation.failure);
  if (generation.phase === 'stopping')
    throw named('ERR_GENERATION_STOPPING', generation, 'is stopping');
  if (generation.phase === 'disposing') throw foreignError(generation.session);
  return undefined;
}

const isHeld = (generation) =>
  generation.runs.length > 0 ||
  generation.session.operations.some((operation) => refersTo(operation, generation));

export function terminate(generation) {
  generation.phase = 'terminated';
  generation.current = false;
  generation.session.generations = generation.session.generations.filter(
    (each) => each !== generation,
  );
}

export class BackendGeneration extends Handle {
  get sessionId() {
    return own(this, BackendGeneration).session.id;
  }

  get id() {
    return own(this, BackendGeneration).id;
  }

  get route() {
    return own(this, BackendGeneration).route;
  }

  get backend() {
    return own(this, BackendGeneration).backend;
  }

  get cachedHeader() {
    return own(this, BackendGeneration).header;
  }

  set cachedHeader(header) {
    own(this, BackendGeneration).header = header;
  }

  get phase() {
    return own(this, BackendGeneration).phase;
  }

  get isCurrent() {
    return own(this, BackendGeneration).current;
  }

  get activeRuns() {
    return { size: own(this, BackendGeneration).runs.length };
  }

  get failure() {
    return own(this, BackendGeneration).failure;
  }

  get disposal() {
    return own(this, BackendGeneration).disposal;
  }

  stop(task) {
    return quiet(
      rejecting(() => {
        const generation = ownOpen(this, BackendGeneration);
        errors.needFunction(task, 'task');
        if (generation.phase === 'active') generation.phase = 'stopping';
        if (generation.stop.state === 'failed') return Promise.reject(generation.stop.error);
        if (generation.stop.state === 'pending') return generation.stop.promise;
        const stopped = deferred({ quiet: true });
        generation.stop = { state: 'pending', promise: stopped.promise, error: undefined };
        later(task).then(
          () => {
            generation.stop = { state: 'idle', promise: undefined, error: undefined };
            stopped.resolve();
          },
          (error) => {
            generation.stop = { state: 'failed', promise: undefined, error };
            stopped.reject(error);
          },
        );
        return stopped.promise;
      }),
    );
  }

  dispose(task) {
    return rejecting(() => {
      const generation = own(this, BackendGeneration);
      errors.needFunction(task, 'task');
      if (generation.disposal) return generation.disposal;
      if (generation.member.closed) return Promise.resolve(closedOutcome());
      const disposed = deferred();
      generation.disposal = disposed.promise;
      generation.phase = 'disposing';
      begin(task).then(
        () => {
          generation.disposed = true;
          if (generation.phase === 'disposing' && !isHeld(generation)) terminate(generation);
          disposed.resolve(OK);
        },
        (error) => {
          const message = `Backend generation ${generation.id} is permanently quarantined after disposal failed`;
          generation.failure = new CoreError('ERR_GENERATION_FAILED', message, { cause: error });
          if (generation.phase === 'disposing') generation.phase = 'failed';
          disposed.resolve({ ok: false, error });
        },
      );
      return disposed.promise;
    });
  }

  reconcile() {
    const generation = ownOpen(this, BackendGeneration);
    if (isHeld(generation)) return undefined;
    if (generation.phase === 'stopping') generation.phase = 'active';
    if (generation.phase !== 'disposing') return undefined;
    if (generation.disposed) terminate(generation);
    return generation.disposal;
  }
}
