// Every row of the table: what is timed, against whom, and what was aimed at.

import { randomUUID } from 'node:crypto';
import { newCore, pathsFor } from './candidates.mjs';
import { claimFacts, stopFacts, turnFacts } from './checks.mjs';
import { timedLoop } from './harness.mjs';
import { grouped } from './table.mjs';

const BOTH = ['seed', 'lazy'];

const newIds = (count) => Array.from({ length: count }, () => randomUUID());
const eager = (atMost) => ({ rival: 'seed', atMost });
const lazy = (atMost) => ({ rival: 'lazy', atMost });

function count(n, noun) {
  return `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
}

function claimRow(id, title, { sessions = 1, held = 0, signal = false, target }) {
  return {
    id,
    title,
    target,
    rivals: BOTH,
    facts: claimFacts,
    async prepare(name) {
      const paths = await pathsFor(name, 'claims.mjs');
      const core = newCore(name);
      const ids = newIds(sessions);
      const live = ids.flatMap((sessionId) =>
        Array.from({ length: held }, () => core.claimExecution(sessionId)),
      );
      const body = signal ? paths.claimSignalAndRelease : paths.claimAndRelease;
      return { run: timedLoop(body(core, ids)), core, live };
    },
  };
}

function turnRow(id, title, { sessions, signal = false, target }) {
  return {
    id,
    title: `${title}, ${count(sessions, 'live session')}`,
    target,
    rivals: BOTH,
    facts: turnFacts,
    async prepare(name) {
      const { turns } = await pathsFor(name, 'turn.mjs');
      const { warmSessions } = await pathsFor(name, 'live.mjs');
      const core = newCore(name);
      const ids = newIds(sessions);
      warmSessions(core, ids);
      return { run: timedLoop(turns(core, ids, { signal }), 16), core };
    },
  };
}

function lookUpRow(id, call, sessions) {
  return {
    id,
    title: `look-up: \`${call}\`, ${count(sessions, 'running session')}`,
    rivals: BOTH,
    facts: turnFacts,
    async prepare(name) {
      const paths = await pathsFor(name, 'lookups.mjs');
      const { runningSessions } = await pathsFor(name, 'live.mjs');
      const core = newCore(name);
      const runs = runningSessions(core, newIds(sessions));
      return { run: timedLoop(paths[call](core, runs)), core };
    },
  };
}

function steeringRow(id, { depth, listener, target }) {
  const suffix = listener ? ', snapshots listened to' : '';
  return {
    id,
    title: `steer → pull → ack of 2 KB, ${depth} deep${suffix}`,
    target,
    rivals: BOTH,
    per: depth,
    facts: turnFacts,
    async prepare(name) {
      const { steering } = await pathsFor(name, 'steering.mjs');
      const core = newCore(name);
      return { run: timedLoop(steering(core, randomUUID(), { depth, listener })), core };
    },
  };
}

// About as many claims as one timed batch stops: they are all made before its clock starts.
const STOP_BATCH = 2000;

function stopRow(id, claims, { listened = false, target }) {
  const suffix = listened ? ', signals listened to' : '';
  return {
    id,
    title: `stop of a session with ${count(claims, 'claim')}${suffix}`,
    target,
    rivals: ['seed'],
    facts: stopFacts,
    async prepare(name) {
      const { stops } = await pathsFor(name, 'stops.mjs');
      const core = newCore(name);
      const ids = newIds(Math.max(2, Math.ceil(STOP_BATCH / claims)));
      return { run: stops(core, ids, { claims, listened }), core };
    },
  };
}

function memoryRow(id, title, reading, { perSession, target }) {
  return { id, title, target, unit: 'B', rivals: BOTH, facts: claimFacts, reading, perSession };
}

const LISTENED = 'whole path of a turn that listens to its `stopSignal`';
const HELD = 'claim + release, 1 000 sessions in turn, a claim held in each';

/** The rows; with `quick`, sizes that are set up in no time. */
export function rowsFor({ quick }) {
  const sizes = quick ? [1, 10, 100] : [1, 1000, 100_000];
  return [
    claimRow('claim', 'claim + release', { target: eager(0.05) }),
    claimRow('claim-many', 'claim + release, 1 000 sessions in turn', {
      sessions: 1000,
      target: eager(0.05),
    }),
    claimRow('claim-signal', 'claim + `stopSignal` + release', {
      signal: true,
      target: eager(0.35),
    }),
    claimRow('claim-held', 'claim + release, another claim held', { held: 1, target: lazy(1) }),
    claimRow('claim-held-many', HELD, { sessions: 1000, held: 1, target: lazy(1) }),
    ...sizes.map((sessions) =>
      turnRow(`turn-${sessions}`, 'whole path of a turn', { sessions, target: eager(0.5) }),
    ),
    turnRow('turn-signal', LISTENED, { sessions: sizes[1], signal: true }),
    ...sizes.map((sessions) => lookUpRow(`lookup-runs-${sessions}`, 'hasActiveRuns', sessions)),
    ...sizes.map((sessions) => lookUpRow(`lookup-turn-${sessions}`, 'runForTurn', sessions)),
    ...[1, 10].map((depth) =>
      steeringRow(`steer-${depth}`, { depth, listener: false, target: eager(1.5) }),
    ),
    ...[1, 10].map((depth) =>
      steeringRow(`steer-listened-${depth}`, { depth, listener: true, target: eager(1) }),
    ),
    ...[1, 10, 1000].map((claims) => stopRow(`stop-${claims}`, claims, { target: eager(0.5) })),
    stopRow('stop-listened-10', 10, { listened: true }),
    memoryRow('memory', 'memory per live claim, 100 in a session', 'rss', {
      perSession: 100,
      target: eager(0.1),
    }),
    memoryRow('memory-heap', 'the same, in the heap of V8 alone', 'heap', { perSession: 100 }),
    memoryRow('memory-alone', 'memory per live claim, alone in its session', 'rss', {
      perSession: 1,
    }),
    memoryRow('memory-alone-heap', 'the same, in the heap of V8 alone', 'heap', { perSession: 1 }),
  ];
}
