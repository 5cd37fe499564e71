// Everything a kernel asks the core for in the course of one plain turn, on a session whose backend
// is already there: 29 calls.

import { randomUUID } from 'node:crypto';

const OK = { ok: true };
const STRIDE = 7919;
const IDENTITIES = 1024;
const ignore = () => {};

export function turns(core, sessionIds, { signal = false } = {}) {
  const ids = Array.from({ length: IDENTITIES }, () => [randomUUID(), randomUUID()]);
  let at = 0;
  let serial = 0;
  let updates = 0;
  const onUpdate = (snapshot) => {
    updates += snapshot.steering.length + 1;
  };
  const onAbort = () => {
    throw new Error('Nobody has stopped this session');
  };

  function turn(sessionId, run) {
    const handle = core.claimExecution(sessionId);
    const claim = core.claimExecution(sessionId, handle);
    claim.attach(run, ignore);
    if (signal) handle.stopSignal.addEventListener('abort', onAbort, { once: true });

    if (claim.activationBlocker() !== undefined) throw new Error('The session is blocked');
    const current = core.currentGeneration(sessionId);
    current.cachedHeader = run;
    if (claim.reserve(current) !== undefined) throw new Error('The session is stopping');
    claim.settle(OK);
    const owner = core.openSteeringTurn(sessionId, run.turnId, onUpdate);
    const generation = claim.generation;
    if (!claim.canDispatch() || claim.isStopRequested()) throw new Error('The run is not current');

    let seen = 0;
    for (let event = 0; event < 3; event += 1) {
      if (core.runForTurn(sessionId, undefined, run.turnId) === run) seen += 1;
    }
    if (core.activeRun(sessionId, undefined, run.runId) === run) seen += 1;
    if (core.steer(sessionId, 'Leave the tests of the parser as they are')) seen += 1;
    const messages = owner.pull();
    owner.ack([messages[0].id]);
    seen += messages.length + owner.pull().length;
    if (core.hasActiveRun(sessionId, run.runId, run.turnId)) seen += 1;
    if (core.hasActiveRuns(sessionId)) seen += 1;

    claim.leaveGeneration();
    if (claim.stopOperation !== undefined) throw new Error('The session owes a stop');
    generation.reconcile();
    if (core.dueInvalidation(sessionId) !== undefined) throw new Error('The backend is invalid');
    claim.finalize(OK);
    owner.release();
    if (signal) handle.stopSignal.removeEventListener('abort', onAbort);
    claim.release();
    return seen + core.drainFollowup(sessionId).length;
  }

  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) {
      const [runId, turnId] = ids[serial % IDENTITIES];
      serial += 1;
      const sessionId = sessionIds[at];
      at = (at + STRIDE) % sessionIds.length;
      seen += turn(sessionId, { sessionId, runId, turnId });
    }
    if (seen !== n * 8) throw new Error(`Turns saw ${seen} facts, not ${n * 8}`);
    return seen + updates;
  };
}
