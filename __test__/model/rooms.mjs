// What a member keeps for itself: invalidations, checkpoint slots and serial lanes.
import * as errors from './errors.mjs';
import { CoreError } from './errors.mjs';
import { Handle, begin, closedOutcome, deferred, make, own, rejecting } from './handles.mjs';
import { Lane } from './lane.mjs';

function roomOf(member, sessionId) {
  member.needOpen();
  errors.needId(sessionId, 'sessionId');
  return member.scope.session(sessionId).room(member);
}

export function invalidate(member, sessionId) {
  const room = roomOf(member, sessionId);
  if (!room.invalidation) {
    const session = member.scope.session(sessionId);
    const invalidation = {
      member,
      session,
      room,
      ended: deferred(),
      begun: false,
      failure: undefined,
    };
    invalidation.handle = make(BackendInvalidation, invalidation);
    room.invalidation = invalidation;
  }
  return room.invalidation.handle;
}

export const invalidation = (member, sessionId) => roomOf(member, sessionId).invalidation?.handle;

export function dueInvalidation(member, sessionId) {
  const found = invalidation(member, sessionId);
  return member.scope.session(sessionId).runs().length === 0 ? found : undefined;
}

export class BackendInvalidation extends Handle {
  get sessionId() {
    return own(this, BackendInvalidation).session.id;
  }

  get outcome() {
    return own(this, BackendInvalidation).ended.promise;
  }

  get failure() {
    return own(this, BackendInvalidation).failure;
  }

  dispose(task) {
    return rejecting(() => {
      const state = own(this, BackendInvalidation);
      errors.needFunction(task, 'task');
      if (state.member.closed) return Promise.resolve(closedOutcome());
      if (!state.begun) disposeNow(state, task);
      return state.ended.promise;
    });
  }
}

function disposeNow(state, task) {
  const { member, session, room } = state;
  state.begun = true;
  session.dropQueue();
  room.checkpoint = { stored: false, value: undefined, load: undefined };
  const generations = session.generations
    .filter((each) => each.member === member)
    .map((each) => each.handle);
  const finish = (outcome) => {
    if (outcome.ok) {
      if (room.invalidation === state) room.invalidation = undefined;
    } else {
      const message = `Backend invalidation is permanently quarantined for session ${session.id}`;
      state.failure = new CoreError('ERR_INVALIDATION_FAILED', message, { cause: outcome.error });
    }
    state.ended.resolve(outcome);
  };
  begin(task, generations).then(finish, (error) => finish({ ok: false, error }));
}

export function loadCheckpoint(member, sessionId, load) {
  return rejecting(() => {
    const room = roomOf(member, sessionId);
    errors.needFunction(load, 'load');
    if (room.checkpoint.stored) return Promise.resolve(room.checkpoint.value);
    if (room.checkpoint.load) return room.checkpoint.load;
    const loaded = deferred();
    room.checkpoint.load = loaded.promise;
    const free = () => {
      if (room.checkpoint.load !== loaded.promise) return false;
      room.checkpoint.load = undefined;
      return true;
    };
    begin(load).then(
      (value) => {
        const stands = free();
        if (stands && !room.checkpoint.stored)
          Object.assign(room.checkpoint, { stored: true, value });
        loaded.resolve(room.checkpoint.stored ? room.checkpoint.value : value);
      },
      (error) => {
        free();
        loaded.reject(error);
      },
    );
    return loaded.promise;
  });
}

export function storeCheckpoint(member, sessionId, value) {
  Object.assign(roomOf(member, sessionId).checkpoint, { stored: true, value });
}

export function serialize(member, sessionId, lane, task) {
  return rejecting(() => {
    const { lanes } = roomOf(member, sessionId);
    errors.needString(lane, 'lane');
    errors.needFunction(task, 'task');
    if (!lanes.has(lane)) lanes.set(lane, new Lane(() => lanes.delete(lane)));
    return lanes.get(lane).add(task);
  });
}

/** Whoever waits for the end of an invalidation, or for its turn in a lane, is told. */
export function closeRooms(member) {
  for (const session of member.scope.sessions.values()) {
    const room = session.room(member);
    const { invalidation: open, lanes } = room;
    open?.ended.resolve(closedOutcome());
    // A load in flight keeps its own value: the slot it would have looked into has gone.
    room.checkpoint = { stored: false, value: undefined, load: undefined };
    for (const lane of lanes.values()) lane.close();
    session.rooms.delete(member);
  }
}
