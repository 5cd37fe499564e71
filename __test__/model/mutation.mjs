// Session mutations, and the wait of the claims made after them.
import { CoreError, SessionBusyError, closedError, needFunction, needIds } from './errors.mjs';
import { begin, deferred, later } from './handles.mjs';

export function mutateSessions(member, sessionIds, task, options) {
  member.needOpen();
  needIds(sessionIds, 'sessionIds');
  needFunction(task, 'task');
  const sessions = [...new Set(sessionIds)].sort().map((id) => member.scope.session(id));
  if (options?.quiescent) {
    const busy = sessions.filter((session) => session.claims.length > 0);
    if (busy.length > 0) throw new SessionBusyError(busy.map((session) => session.id));
  }
  const mutation = { member, sessions, task, state: 'queued', dead: false, result: deferred() };
  for (const session of sessions) session.mutations.push(mutation);
  startIfFirst(mutation, member);
  return mutation.result.promise;
}

const isFirst = (mutation) =>
  mutation.sessions.every((session) => session.mutations[0] === mutation);

function startIfFirst(mutation, causer) {
  if (mutation.state !== 'queued' || !isFirst(mutation)) return;
  if (mutation.dead) {
    endMutation(mutation, causer);
    return;
  }
  mutation.state = 'started';
  causer.cause(mutation.member, () => later(() => run(mutation)));
}

function run(mutation) {
  if (mutation.dead) return;
  mutation.state = 'running';
  const finish = (settle) => (value) => {
    if (!mutation.dead) endMutation(mutation, mutation.member);
    mutation.result[settle](value);
  };
  begin(mutation.task).then(finish('resolve'), finish('reject'));
}

/** The barrier goes down first, then whoever waited goes on, then the next one starts. */
function endMutation(mutation, causer) {
  mutation.state = 'ended';
  const next = new Set();
  for (const session of mutation.sessions) {
    session.mutations = session.mutations.filter((each) => each !== mutation);
    if (session.mutations.length > 0) next.add(session.mutations[0]);
  }
  for (const session of mutation.sessions) {
    const ready = session.entering.filter((each) => !isMutationAhead(each.claim));
    session.entering = session.entering.filter((each) => !ready.includes(each));
    for (const each of ready) causer.cause(each.claim.member, () => enterNow(each));
  }
  for (const each of next) startIfFirst(each, causer);
}

export const isMutationAhead = (claim) =>
  claim.ahead.some((mutation) => mutation.state !== 'ended');

export function waitForMutations(claim) {
  const waiter = { claim, entered: deferred() };
  if (isMutationAhead(claim)) claim.session.entering.push(waiter);
  else enterNow(waiter);
  return waiter.entered.promise;
}

function enterNow({ claim, entered }) {
  if (claim.phase === 'pending') {
    entered.resolve();
    return;
  }
  const message = `Execution claim cannot enter admission from phase ${claim.phase} for session ${claim.session.id}`;
  entered.reject(new CoreError('ERR_CLAIM_PHASE', message));
}

export function closeMutations(member) {
  for (const session of member.scope.sessions.values()) {
    const gone = session.entering.filter((each) => each.claim.member === member);
    session.entering = session.entering.filter((each) => each.claim.member !== member);
    for (const each of gone) each.entered.reject(closedError());
  }
  for (const session of member.scope.sessions.values()) {
    for (const mutation of [...session.mutations]) {
      if (mutation.member !== member || mutation.dead) continue;
      mutation.dead = true;
      if (mutation.state !== 'running') mutation.result.reject(closedError());
      if (mutation.state !== 'queued') endMutation(mutation, member);
    }
  }
}
