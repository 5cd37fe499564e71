// A session stopped while claims of it are attached: each is told, ends, and the stop settles.

import { performance } from 'node:perf_hooks';

const OK = { ok: true };

/** One unit is one stop. What it stops is made beforehand and not timed. */
export function stops(core, sessionIds, { claims, listened = false }) {
  let serial = 0;
  let told = 0;
  const onStop = () => {
    told += 1;
  };
  const attempt = async (stop) => {
    const errors = await stop.drained();
    if (errors.length > 0 || stop.activeClaims().length > 0) throw new Error('The stop failed');
  };

  function makeClaims(sessionId) {
    return Array.from({ length: claims }, () => {
      const handle = core.claimExecution(sessionId);
      const claim = core.claimExecution(sessionId, handle);
      serial += 1;
      claim.attach({ sessionId, runId: `run-${serial}`, turnId: `turn-${serial}` }, onStop);
      if (listened) handle.stopSignal.addEventListener('abort', onStop, { once: true });
      return claim;
    });
  }

  async function stopAll(ids) {
    const live = ids.map(makeClaims);
    await undefined;
    const start = performance.now();
    for (let i = 0; i < ids.length; i += 1) {
      const stopped = core.stopSession(ids[i], { source: 'bench' }, attempt);
      for (const claim of live[i]) claim.finalize(OK);
      await stopped;
    }
    return (performance.now() - start) * 1e6;
  }

  return async (n) => {
    let elapsed = 0;
    told = 0;
    for (let left = n; left > 0; left -= sessionIds.length) {
      elapsed += await stopAll(sessionIds.slice(0, left));
    }
    if (told !== n * claims * (listened ? 2 : 1)) throw new Error(`${told} were told of the stops`);
    return elapsed;
  };
}
