// A claim made and given up, for sessions in turn.

export function claimAndRelease(core, sessionIds) {
  let at = 0;
  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) {
      const claim = core.claimExecution(sessionIds[at]);
      at = at + 1 === sessionIds.length ? 0 : at + 1;
      seen += claim.sessionId.length;
      claim.release();
    }
    return seen;
  };
}

export function claimSignalAndRelease(core, sessionIds) {
  let at = 0;
  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) {
      const claim = core.claimExecution(sessionIds[at]);
      at = at + 1 === sessionIds.length ? 0 : at + 1;
      if (claim.stopSignal.aborted) throw new Error('Nobody has stopped this session');
      seen += claim.sessionId.length;
      claim.release();
    }
    return seen;
  };
}
