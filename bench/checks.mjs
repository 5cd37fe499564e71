// What the timed calls answer, as plain data: a rival that answers otherwise is no rival.

const OK = { ok: true };
const S = 'session-1';

function fails(task) {
  try {
    task();
    return false;
  } catch {
    return true;
  }
}

function attached(core, n, onStop = () => {}) {
  const claim = core.claimExecution(S, core.claimExecution(S));
  claim.attach({ sessionId: S, runId: `run-${n}`, turnId: `turn-${n}` }, onStop);
  return claim;
}

export function claimFacts(core) {
  const handle = core.claimExecution(S);
  const claim = core.claimExecution(S, handle);
  const { stopSignal } = handle;
  const facts = [
    handle.sessionId,
    claim.phase,
    handle.isStopRequested(),
    stopSignal instanceof AbortSignal,
    stopSignal.aborted,
    handle.stopSignal === stopSignal,
    fails(() => core.claimExecution('session-2', handle)),
  ];
  const other = core.claimExecution(S);
  handle.release();
  handle.release();
  facts.push(
    claim.phase,
    core.claimExecution(S, other).phase,
    fails(() => core.claimExecution(S, handle)),
    fails(() => claim.attach({ sessionId: S, runId: 'run-1', turnId: 'turn-1' }, () => {})),
  );
  other.release();
  return facts;
}

export function turnFacts(core) {
  const snapshots = [];
  const claim = attached(core, 1);
  const generation = core.createGeneration(claim, undefined, {}, {});
  const facts = [
    claim.phase,
    claim.activationBlocker() === undefined,
    core.currentGeneration(S) === generation,
    core.currentGeneration('session-2') === undefined,
    claim.reserve(generation) === undefined,
    claim.phase,
    claim.generation === generation,
  ];
  claim.settle(OK);
  const twin = attached(core, 1);
  facts.push(
    fails(() => twin.reserve(generation)),
    fails(() => claim.settle(OK)),
    twin.phase,
    claim.phase,
    claim.canDispatch(),
    claim.isStopRequested(),
  );
  twin.release();
  const turn = core.openSteeringTurn(S, 'turn-1', (snapshot) => snapshots.push(snapshot));
  facts.push(core.steer(S, 'first'), core.steer(S, 'second'), core.steer('session-2', 'lost'));
  const messages = turn.pull();
  turn.ack([messages[0].id, 'unknown']);
  facts.push(messages, turn.pull(), core.steer(S, 'third'), lookUps(core, claim.run));
  claim.leaveGeneration();
  facts.push(
    lookUps(core, claim.run),
    claim.canDispatch(),
    claim.stopOperation === undefined,
    generation.reconcile() === undefined,
    core.dueInvalidation(S) === undefined,
  );
  claim.finalize(OK);
  turn.release();
  claim.release();
  facts.push(core.steer(S, 'late'), core.drainFollowup(S), core.drainFollowup(S), claim.phase);
  return [facts, snapshots];
}

function lookUps(core, run) {
  return [
    core.hasActiveRuns(S),
    core.hasActiveRuns('session-2'),
    core.hasActiveRun(S, run.runId),
    core.hasActiveRun(S, run.runId, 'turn-2'),
    core.hasActiveRun(S, 'run-2'),
    core.runForTurn(S, undefined, run.turnId) === run,
    core.runForTurn(S, undefined, 'turn-2') === undefined,
    core.activeRun(S, undefined, run.runId) === run,
  ];
}

export async function stopFacts(core) {
  const log = [];
  const claims = [1, 2, 3].map((n) => attached(core, n, () => log.push(`told ${n}`)));
  for (const claim of claims) {
    claim.stopSignal.addEventListener('abort', () => {
      log.push(`aborted ${claim.run.runId} ${claim.stopSignal.reason === claim.cancellation}`);
    });
  }
  const turn = core.openSteeringTurn(S, 'turn-1', ({ steering }) => log.push(steering));
  core.steer(S, 'dropped');
  const stopped = core.stopSession(S, { source: 'user' }, async (stop) => {
    log.push(`attempt ${stop.input.source} ${stop.activeClaims().length}`);
    log.push(await stop.drained());
  });
  log.push(core.stopSession(S, {}, async () => log.push('never')) === stopped);
  log.push(
    fails(() => core.claimExecution(S)),
    claims.map((claim) => claim.isStopRequested()),
  );
  claims[0].release();
  claims[0].finalize(OK);
  claims[1].finalize({ ok: false, error: 'failed' });
  claims[2].finalize(OK);
  await stopped;
  log.push(claims.map((claim) => claim.phase));
  turn.release();
  core.claimExecution(S).release();
  return log;
}
