// Every transition of the core is told of, with the session it happened in.
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  AdmissionLimiter,
  setLogger,
  type LogEvent,
  type RuntimeCore,
  type StopOperation,
} from '../index.js';
import { OK, gate, macrotask, makeCore, run, running } from './fixtures/boundary/kit.js';

const nothing = () => {};
const S = 'session-42';

afterEach(() => setLogger());

const microtasks = async () => {
  for (let count = 0; count < 20; count += 1) await null;
};

/** What is told while something is done; what an earlier test has lost is told of at any time. */
async function toldOf(act: () => unknown): Promise<LogEvent[]> {
  const told: LogEvent[] = [];
  setLogger({ level: 'trace', onEvent: (events) => void told.push(...events) });
  await act();
  for (let count = 0; count < 4; count += 1) await macrotask();
  return told.filter(({ message }) => !message.includes('collected'));
}

/** Prepares, then makes one transition. */
type Transition = [string, (core: RuntimeCore) => () => unknown];
const attached = (core: RuntimeCore) => {
  const claim = core.claimExecution(S);
  claim.attach(run(S, 'x'), nothing);
  return claim;
};
const leased = (core: RuntimeCore) => {
  const turn = core.openSteeringTurn(S, 't', nothing);
  core.steer(S, 'x');
  return { turn, ids: turn.pull().map(({ id }) => id) };
};
const retained = (core: RuntimeCore) => {
  const { claim, generation } = running(core, S, 'x');
  const held = gate();
  const made: { operation?: StopOperation } = {};
  const stopped = core.stopSession(S, {}, (stop) => {
    made.operation = stop.retain(claim, { lineage: {}, terminal: true });
    return held.promise;
  });
  if (!made.operation) throw new Error('not retained');
  return { claim, generation, operation: made.operation, held, stopped };
};

const TRANSITIONS: Transition[] = [
  ['a claim is made', (core) => () => core.claimExecution(S)],
  [
    'a claim is attached',
    (core) => {
      const claim = core.claimExecution(S);
      return () => claim.attach(run(S, 'x'), nothing);
    },
  ],
  [
    'a claim is reserved',
    (core) => {
      const claim = attached(core);
      const generation = core.createGeneration(claim, undefined, {}, {});
      return () => claim.reserve(generation);
    },
  ],
  [
    'a claim is settled',
    (core) => {
      const { claim } = running(core, S, 'x');
      return () => claim.settle(OK);
    },
  ],
  [
    'a claim is settled for good',
    (core) => {
      const { claim } = running(core, S, 'x');
      claim.leaveGeneration();
      return () => claim.settle({ ok: false, error: 1 });
    },
  ],
  [
    'a claim is finalized',
    (core) => {
      const claim = attached(core);
      return () => claim.finalize(OK);
    },
  ],
  [
    'a claim is released',
    (core) => {
      const claim = core.claimExecution(S);
      return () => claim.release();
    },
  ],
  [
    'a run leaves its generation',
    (core) => {
      const { claim } = running(core, S, 'x');
      claim.settle(OK);
      return () => claim.leaveGeneration();
    },
  ],
  [
    'a start is committed',
    (core) => {
      const claim = attached(core);
      return () => claim.commitStart(async () => ({}));
    },
  ],
  [
    'an interaction is bound',
    (core) => {
      const claim = attached(core);
      return () => claim.bindInteraction(run(S, 'x'));
    },
  ],
  [
    'a request is opened',
    (core) => {
      const { claim } = running(core, S, 'x');
      return () => claim.openRequest('q', {});
    },
  ],
  [
    'a request is closed',
    (core) => {
      const { claim } = running(core, S, 'x');
      const request = claim.openRequest('q', {});
      return () => request.close();
    },
  ],
  ['a stop starts', (core) => () => void core.stopSession(S, {}, () => new Promise(nothing))],
  [
    'a stop is lifted',
    (core) => {
      const held = gate();
      const stopped = core.stopSession(S, {}, () => held.promise);
      return () => (held.open(), stopped);
    },
  ],
  [
    'a run is retained',
    (core) => {
      const { claim } = running(core, S, 'x');
      return () => core.stopSession(S, {}, async (stop) => void stop.retain(claim));
    },
  ],
  [
    'a delivery is settled',
    (core) => {
      const [delivery] = retained(core).operation.pendingDeliveries();
      return () => delivery?.settle(OK);
    },
  ],
  [
    'a projection is done',
    (core) => {
      const { operation } = retained(core);
      return () => operation.nextProjection()?.done();
    },
  ],
  [
    'a terminal fact lands',
    (core) => {
      const [member] = retained(core).operation.members();
      return () => member?.terminalDone();
    },
  ],
  [
    'a run is released by an operation',
    (core) => {
      const { operation, claim } = retained(core);
      return () => operation.releaseRun(claim);
    },
  ],
  [
    'an operation is complete',
    (core) => {
      const { operation } = retained(core);
      operation.pendingDeliveries()[0]?.settle(OK);
      operation.members()[0]?.terminalDone();
      for (let next = operation.nextProjection(); next; next = operation.nextProjection())
        next.done();
      return () => operation.complete(operation.members());
    },
  ],
  ['a turn takes the queue', (core) => () => core.openSteeringTurn(S, 't', nothing)],
  [
    'a text is queued',
    (core) => {
      core.openSteeringTurn(S, 't', nothing);
      return () => core.steer(S, 'x');
    },
  ],
  [
    'a text is queued for the next turn',
    (core) => {
      core.openSteeringTurn(S, 't', nothing);
      return () => core.queueMessage(S, 'x');
    },
  ],
  [
    'messages are leased',
    (core) => {
      const turn = core.openSteeringTurn(S, 't', nothing);
      core.steer(S, 'x');
      return () => turn.pull();
    },
  ],
  [
    'leases are acknowledged',
    (core) => {
      const { turn, ids } = leased(core);
      return () => turn.ack(ids);
    },
  ],
  [
    'leases are returned',
    (core) => {
      const { turn, ids } = leased(core);
      return () => turn.nack(ids);
    },
  ],
  [
    'a turn gives the queue up',
    (core) => {
      const { turn } = leased(core);
      return () => turn.release();
    },
  ],
  [
    'followups are drained',
    (core) => {
      core.openSteeringTurn(S, 't', nothing);
      core.queueMessage(S, 'x');
      return () => core.drainFollowup(S);
    },
  ],
  [
    'the queue is retracted',
    (core) => {
      core.openSteeringTurn(S, 't', nothing);
      core.steer(S, 'x');
      return () => core.retractQueue(S);
    },
  ],
  [
    'a generation is made',
    (core) => {
      const claim = core.claimExecution(S);
      return () => core.createGeneration(claim, undefined, {}, {});
    },
  ],
  [
    'a backend is being stopped',
    (core) => {
      const { generation } = running(core, S, 'x');
      return () => void generation.stop(() => new Promise(nothing));
    },
  ],
  [
    'a backend has stopped',
    (core) => {
      const { generation } = running(core, S, 'x');
      const held = gate();
      const stopped = generation.stop(() => held.promise);
      return () => (held.open(), stopped);
    },
  ],
  [
    'a stopped backend is active again',
    (core) => {
      const claim = core.claimExecution(S);
      const generation = core.createGeneration(claim, undefined, {}, {});
      void generation.stop(async () => {});
      return async () => (await microtasks(), generation.reconcile());
    },
  ],
  [
    'a backend is being disposed',
    (core) => {
      const { generation } = running(core, S, 'x');
      return () => void generation.dispose(() => new Promise(nothing));
    },
  ],
  [
    'a backend has been disposed',
    (core) => {
      const generation = core.createGeneration(core.claimExecution(S), undefined, {}, {});
      const held = gate();
      const disposed = generation.dispose(() => held.promise);
      return () => (held.open(), disposed);
    },
  ],
  [
    'a backend is being built',
    (core) => () => void core.activate(S, undefined, () => new Promise(nothing)),
  ],
  ['a session is invalidated', (core) => () => core.invalidate(S)],
  [
    'an invalidation is being disposed',
    (core) => {
      const invalidation = core.invalidate(S);
      return () => void invalidation.dispose(() => new Promise(nothing));
    },
  ],
  [
    'an invalidation is lifted',
    (core) => {
      const held = gate<typeof OK>();
      const disposed = core.invalidate(S).dispose(() => held.promise);
      return () => (held.open(OK), disposed);
    },
  ],
  [
    'a checkpoint is being loaded',
    (core) => () => void core.loadCheckpoint(S, () => new Promise(nothing)),
  ],
  ['a checkpoint is stored', (core) => () => core.storeCheckpoint(S, {})],
  [
    'a task joins a lane',
    (core) => () => void core.serialize(S, 'lane', () => new Promise(nothing)),
  ],
  [
    'a mutation is queued',
    (core) => () => void core.mutateSessions([S], () => new Promise(nothing)),
  ],
  [
    'a mutation has ended',
    (core) => {
      const held = gate();
      const ended = core.mutateSessions([S], () => held.promise);
      return () => (held.open(), ended);
    },
  ],
  [
    'an operation is admitted',
    (core) => () =>
      core.operations.reserve({
        operationId: 'o',
        ownerId: 'w',
        sessionId: S,
        exclusivityKeys: [],
      }),
  ],
  [
    'an operation is released',
    (core) => {
      const lease = core.operations.reserve({
        operationId: 'o',
        ownerId: 'w',
        sessionId: S,
        exclusivityKeys: [],
      });
      return () => lease.release();
    },
  ],
];

describe('every transition is told of, with its session', () => {
  it.each(TRANSITIONS)('%s', async (_, prepare) => {
    const core = makeCore();
    onTestFinished(() => core.close());
    const act = prepare(core);
    await microtasks();
    const told = await toldOf(act);
    const session = ({ fields }: LogEvent) =>
      fields['session'] ?? fields['session_id'] ?? fields['sessions'];
    expect(told.map(session)).toContain(S);
    expect(told.filter((event) => session(event) !== S)).toEqual([]);
  });

  it.each<[string, (limiter: AdmissionLimiter) => Promise<unknown>]>([
    ['a permit is granted', (limiter) => limiter.acquire()],
    ['a permit is released', async (limiter) => (await limiter.acquire()).release()],
  ])('%s', async (_, act) => {
    const limiter = new AdmissionLimiter(1);
    const told = await toldOf(() => act(limiter));
    expect(told.filter(({ target }) => target.includes('permit'))).not.toEqual([]);
  });
});
