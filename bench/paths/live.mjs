// Sessions that live while others are timed.

const OK = { ok: true };
const ignore = () => {};

/** Gives every session a backend, idle, as it is kept between turns. */
export function warmSessions(core, sessionIds) {
  for (const sessionId of sessionIds) {
    const handle = core.claimExecution(sessionId);
    core.createGeneration(core.claimExecution(sessionId, handle), undefined, {}, {});
    handle.release();
  }
}

/** Gives every session a backend and a turn that runs on it; the runs, by session. */
export function runningSessions(core, sessionIds) {
  return sessionIds.map((sessionId, i) => {
    const run = { sessionId, runId: `run-${i}`, turnId: `turn-${i}` };
    const claim = core.claimExecution(sessionId, core.claimExecution(sessionId));
    claim.attach(run, ignore);
    claim.reserve(core.createGeneration(claim, undefined, {}, {}));
    claim.settle(OK);
    return run;
  });
}
