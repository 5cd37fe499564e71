// Steering: a session's queue of texts, the turn that owns it, and the leases of the turns.
import { needFunction, needId, needIds, needString } from './errors.mjs';
import { Handle, make, own, ownOpen, tell } from './handles.mjs';

const texts = (messages) => messages.map((each) => each.text);

const snapshot = (queue, turnId) => ({
  turnId,
  steering: [...texts(queue.leases), ...texts(queue.queued)],
  followup: [...queue.followup],
});

/** Inside the call for an owner of the causing member; else later, showing the queue as it is then. */
export function deliverSnapshot(session, causer, owner = session.steering.owner) {
  if (!owner) return;
  causer.cause(owner.member, () => {
    const { steering } = session;
    if (causer !== owner.member && steering.owner !== owner) return;
    tell(owner.onUpdate, snapshot(steering, owner.turnId));
  });
}

export function openSteeringTurn(member, sessionId, turnId, onUpdate) {
  member.needOpen();
  needId(sessionId, 'sessionId');
  needString(turnId, 'turnId');
  needFunction(onUpdate, 'onUpdate');
  const session = member.scope.session(sessionId);
  const turn = { member, session, turnId, onUpdate };
  session.steering.owner = turn;
  return make(SteeringTurn, turn);
}

export function steer(member, sessionId, text) {
  const session = sessionOf(member, sessionId);
  needString(text, 'text');
  if (!session.steering.owner) return false;
  const id = member.newId();
  if (!session.steering.owner) return false;
  session.steering.queued.push({ id, text });
  deliverSnapshot(session, member);
  return true;
}

export function queueMessage(member, sessionId, text) {
  const session = sessionOf(member, sessionId);
  needString(text, 'text');
  if (!session.steering.owner) return false;
  session.steering.followup.push(text);
  deliverSnapshot(session, member);
  return true;
}

export function drainFollowup(member, sessionId) {
  const session = sessionOf(member, sessionId);
  const taken = session.steering.followup.splice(0);
  if (taken.length > 0) deliverSnapshot(session, member);
  return taken;
}

export function retractQueue(member, sessionId) {
  const session = sessionOf(member, sessionId);
  const taken = [
    ...texts(session.steering.queued.splice(0)),
    ...session.steering.followup.splice(0),
  ];
  if (taken.length > 0) deliverSnapshot(session, member);
  return taken;
}

function sessionOf(member, sessionId) {
  member.needOpen();
  needId(sessionId, 'sessionId');
  return member.scope.session(sessionId);
}

export class SteeringTurn extends Handle {
  get sessionId() {
    return own(this, SteeringTurn).session.id;
  }

  get turnId() {
    return own(this, SteeringTurn).turnId;
  }

  pull() {
    const { session, member, turnId } = ownOpen(this, SteeringTurn);
    if (!ownsQueue(session, turnId)) return [];
    const pulled = session.steering.queued.splice(0);
    session.steering.leases.push(...pulled.map((each) => ({ ...each, member, turnId })));
    return pulled.map(({ id, text }) => ({ id, messageId: id, content: { text } }));
  }

  ack(leaseIds) {
    const { session, member, turnId } = ownOpen(this, SteeringTurn);
    checkLeases(leaseIds);
    const done = takeLeases(
      session.steering,
      (each) => each.turnId === turnId && leaseIds.includes(each.id),
    );
    if (done.length > 0) deliverSnapshot(session, member);
  }

  nack(leaseIds) {
    const { session, member, turnId } = ownOpen(this, SteeringTurn);
    checkLeases(leaseIds);
    const back = takeLeases(
      session.steering,
      (each) => each.turnId === turnId && leaseIds.includes(each.id),
    );
    if (back.length === 0) return;
    if (ownsQueue(session, turnId)) {
      session.steering.queued.unshift(...back.map(({ id, text }) => ({ id, text })));
    } else {
      session.steering.followup.unshift(...texts(back));
    }
    deliverSnapshot(session, member);
  }

  release() {
    const { session, member, turnId } = own(this, SteeringTurn);
    if (member.closed) return;
    const { owner } = session.steering;
    const moved = takeLeases(session.steering, (each) => each.turnId === turnId);
    if (ownsQueue(session, turnId)) {
      moved.push(...session.steering.queued.splice(0));
      session.steering.owner = undefined;
    }
    session.steering.followup.unshift(...texts(moved));
    if (moved.length > 0) deliverSnapshot(session, member, owner);
  }
}

const ownsQueue = (session, turnId) => session.steering.owner?.turnId === turnId;

function checkLeases(ids) {
  if (!Array.isArray(ids)) needIds(ids, 'leaseIds');
  for (const id of ids) needString(id, 'leaseIds');
}

function takeLeases(queue, isTaken) {
  const taken = queue.leases.filter(isTaken);
  queue.leases = queue.leases.filter((each) => !isTaken(each));
  return taken;
}

export function clearQueue(session, member) {
  const dropped =
    session.steering.queued.splice(0).length + session.steering.followup.splice(0).length;
  if (dropped > 0) deliverSnapshot(session, member);
}

/** As `release` would do for every turn of the member. */
export function closeSteering(member) {
  for (const session of member.scope.sessions.values()) {
    const moved = takeLeases(session.steering, (each) => each.member === member);
    if (session.steering.owner?.member === member) {
      moved.push(...session.steering.queued.splice(0));
      session.steering.owner = undefined;
    }
    session.steering.followup.unshift(...texts(moved));
    if (moved.length > 0) deliverSnapshot(session, member);
  }
}
