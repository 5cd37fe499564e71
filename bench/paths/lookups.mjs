// What a kernel asks while turns run: whether a session is busy, and which run a trace event is of.

// As many sessions as are asked, spread over all that live. If each call met another of 100 000,
// the misses of the processor's caches, alike for everybody, would hide what a look-up does.
const ASKED = 100;

const spread = (runs) => {
  const step = Math.max(1, Math.floor(runs.length / ASKED));
  return runs.filter((_, i) => i % step === 0);
};

export function hasActiveRuns(core, live) {
  const runs = spread(live);
  let at = 0;
  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) {
      if (core.hasActiveRuns(runs[at].sessionId)) seen += 1;
      at = at + 1 === runs.length ? 0 : at + 1;
    }
    if (seen !== n) throw new Error('A session has lost its run');
    return seen;
  };
}

export function runForTurn(core, live) {
  const runs = spread(live);
  let at = 0;
  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) {
      const run = runs[at];
      if (core.runForTurn(run.sessionId, undefined, run.turnId) === run) seen += 1;
      at = at + 1 === runs.length ? 0 : at + 1;
    }
    if (seen !== n) throw new Error('A turn has lost its run');
    return seen;
  };
}
