// What the core tells of itself: to a function of the caller, or on stderr.
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { AdmissionLimiter, setLogger, type LogEvent, type LogLevel, type RuntimeCore } from '../index.js';
import { findingsOf, runScript } from './fixtures/boundary/child.js';
import { OK, gate, macrotask, makeCore, run, running } from './fixtures/boundary/kit.js';

const nothing = () => {};
const S = 'session-42';

afterEach(() => setLogger());

/** The batches of what happens here: what an earlier test has lost is told of at any time. */
function listen(level: LogLevel): LogEvent[][] {
  const batches: LogEvent[][] = [];
  const onEvent = (events: LogEvent[]) => {
    const ours = events.filter(({ message }) => !message.includes('collected'));
    if (ours.length > 0) batches.push(ours);
  };
  setLogger({ level, onEvent });
  return batches;
}

function fresh(): RuntimeCore {
  const core = makeCore();
  onTestFinished(() => core.close());
  return core;
}

const microtasks = async () => {
  for (let count = 0; count < 20; count += 1) await null;
};

const macrotasks = async () => {
  for (let count = 0; count < 4; count += 1) await macrotask();
};

describe('setLogger', () => {
  it('hands the events of a tick over as one batch, in order, in a macrotask', async () => {
    const core = fresh();
    const batches = listen('debug');
    const claim = core.claimExecution(S);
    claim.attach(run(S, 'a'), nothing);
    claim.release();
    await microtasks();
    expect(batches).toEqual([]);
    await macrotasks();
    expect(batches).toHaveLength(1);
    const [events] = batches as [LogEvent[]];
    expect(events.map(({ message }) => message).join(' | ')).toMatch(/claimed.*attached.*released/);
    core.claimExecution(S).release();
    await macrotasks();
    expect(batches).toHaveLength(2);
  });

  it('tells what, where and when', async () => {
    const core = fresh();
    const batches = listen('trace');
    const before = Date.now();
    core.claimExecution(S);
    core.operations.reserve({ operationId: 'o-1', ownerId: 'w', sessionId: S, exclusivityKeys: [] });
    core.stats();
    await macrotasks();
    const after = Date.now();
    expect(batches.flat().length).toBeGreaterThanOrEqual(2);
    for (const event of batches.flat()) {
      expect(event).toEqual({
        level: expect.stringMatching(/^(error|warn|info|debug|trace)$/),
        target: expect.stringMatching(/^tenure(::\w+)*$/),
        message: expect.stringMatching(/\w/),
        fields: expect.any(Object),
        tsMs: expect.any(Number),
      });
      expect(Object.values(event.fields).every((value) => typeof value === 'string')).toBe(true);
      expect(event.tsMs).toBeGreaterThanOrEqual(before);
      expect(event.tsMs).toBeLessThanOrEqual(after);
    }
  });

  it('tells of a call that is the last one for long', async () => {
    const core = fresh();
    const batches = listen('debug');
    core.operations.reserve({ operationId: 'last', ownerId: 'w', exclusivityKeys: [] });
    await macrotasks();
    expect(JSON.stringify(batches)).toContain('last');
  });

  it('is off before it is called, and after it was called with nothing', async () => {
    const core = fresh();
    core.claimExecution(S).release();
    const batches = listen('debug');
    await macrotasks();
    expect(batches).toEqual([]);
    for (const off of [undefined, null]) {
      listen('debug');
      core.claimExecution(S).release();
      setLogger(off);
      core.claimExecution(S).release();
      await macrotasks();
    }
    expect(batches).toEqual([]);
  });

  it.each<[LogLevel, LogLevel[]]>([
    ['error', []],
    ['warn', []],
    ['info', ['info']],
    ['debug', ['info', 'debug']],
  ])('at %s tells of that and of what matters more', async (level, levels) => {
    const core = fresh();
    const batches = listen(level);
    core.claimExecution(S);
    core.operations.close();
    core.stats();
    await macrotasks();
    const told = new Set(batches.flat().map((event) => event.level));
    expect([...told].sort()).toEqual([...levels].sort());
  });

  it('called again replaces the one before', async () => {
    const core = fresh();
    const first = listen('debug');
    core.claimExecution(S).release();
    await macrotasks();
    const count = first.length;
    const second = listen('debug');
    core.claimExecution(S).release();
    await macrotasks();
    expect([count, first.length, second.length]).toEqual([1, 1, 1]);
  });

  it('may be called by onEvent, which may call the core', async () => {
    const core = fresh();
    const heard: number[] = [];
    setLogger({
      level: 'debug',
      onEvent: (events) => {
        heard.push(events.length);
        core.claimExecution(S).release();
        if (heard.length === 3) setLogger();
      },
    });
    core.claimExecution(S).release();
    await macrotasks();
    await macrotasks();
    expect(heard).toHaveLength(3);
  });

  it('keeps the oldest 4096 events of a tick, and tells how many it dropped', async () => {
    const core = fresh();
    const batches = listen('debug');
    for (let count = 0; count < 5000; count += 1) core.claimExecution(`session ${count}`);
    await macrotasks();
    const events = batches.flat();
    expect(events).toHaveLength(4097);
    expect(events[0]?.fields['session']).toBe('session 0');
    expect(events.at(-1)).toMatchObject({ level: 'warn', fields: { dropped: `${5000 - 4096}` } });
  });
});

describe('no event holds a text, a key or a value of the caller', () => {
  it('whatever is done', async () => {
    const core = fresh();
    const batches = listen('trace');
    const secret = (what: string) => `secret ${what}`;
    const { claim, generation } = running(core, S, 'a');
    claim.openRequest('request', { ask: secret('question') });
    const turn = core.openSteeringTurn(S, 't', nothing);
    core.steer(S, secret('steering'));
    core.queueMessage(S, secret('followup'));
    turn.nack(turn.pull().map(({ id }) => id));
    core.storeCheckpoint(S, { kept: secret('checkpoint') });
    const keys = [secret('key')];
    core.operations.reserve({ operationId: 'o', ownerId: 'w', exclusivityKeys: keys });
    expect(() => core.operations.reserve({ operationId: 'p', ownerId: 'w', exclusivityKeys: keys })).toThrow();
    void core.stopSession(S, { why: secret('input') }, async (stop) => {
      const operation = stop.retain(claim, { lineage: { of: secret('lineage') }, terminal: true });
      operation.pendingDeliveries()[0]?.settle({ ok: false, error: new Error(secret('delivery')) });
      claim.settle({ ok: false, error: new Error(secret('settlement')) });
      throw new Error(secret('attempt'));
    });
    await generation.dispose(async () => {
      throw new Error(secret('disposal'));
    });
    await core.mutateSessions([S], () => Promise.reject(new Error(secret('mutation')))).catch(nothing);
    await macrotasks();
    core.stats();
    await macrotasks();
    expect(batches.flat().length).toBeGreaterThan(10);
    expect(JSON.stringify(batches)).not.toContain('secret');
  });
});

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
  const made: { operation?: ReturnType<Parameters<Parameters<RuntimeCore['stopSession']>[2]>[0]['retain']> } = {};
  const stopped = core.stopSession(S, {}, (stop) => {
    made.operation = stop.retain(claim, { lineage: {}, terminal: true });
    return held.promise;
  });
  if (!made.operation) throw new Error('not retained');
  return { claim, generation, operation: made.operation, held, stopped };
};

const TRANSITIONS: Transition[] = [
  ['a claim is made', (core) => () => core.claimExecution(S)],
  ['a claim is attached', (core) => {
    const claim = core.claimExecution(S);
    return () => claim.attach(run(S, 'x'), nothing);
  }],
  ['a claim is reserved', (core) => {
    const claim = attached(core);
    const generation = core.createGeneration(claim, undefined, {}, {});
    return () => claim.reserve(generation);
  }],
  ['a claim is settled', (core) => {
    const { claim } = running(core, S, 'x');
    return () => claim.settle(OK);
  }],
  ['a claim is settled for good', (core) => {
    const { claim } = running(core, S, 'x');
    claim.leaveGeneration();
    return () => claim.settle({ ok: false, error: 1 });
  }],
  ['a claim is finalized', (core) => {
    const claim = attached(core);
    return () => claim.finalize(OK);
  }],
  ['a claim is released', (core) => {
    const claim = core.claimExecution(S);
    return () => claim.release();
  }],
  ['a run leaves its generation', (core) => {
    const { claim } = running(core, S, 'x');
    claim.settle(OK);
    return () => claim.leaveGeneration();
  }],
  ['a start is committed', (core) => {
    const claim = attached(core);
    return () => claim.commitStart(async () => ({}));
  }],
  ['an interaction is bound', (core) => {
    const claim = attached(core);
    return () => claim.bindInteraction(run(S, 'x'));
  }],
  ['a request is opened', (core) => {
    const { claim } = running(core, S, 'x');
    return () => claim.openRequest('q', {});
  }],
  ['a request is closed', (core) => {
    const { claim } = running(core, S, 'x');
    const request = claim.openRequest('q', {});
    return () => request.close();
  }],
  ['a stop starts', (core) => () => void core.stopSession(S, {}, () => new Promise(nothing))],
  ['a stop is lifted', (core) => {
    const held = gate();
    const stopped = core.stopSession(S, {}, () => held.promise);
    return () => (held.open(), stopped);
  }],
  ['a run is retained', (core) => {
    const { claim } = running(core, S, 'x');
    return () => core.stopSession(S, {}, async (stop) => void stop.retain(claim));
  }],
  ['a delivery is settled', (core) => {
    const [delivery] = retained(core).operation.pendingDeliveries();
    return () => delivery?.settle(OK);
  }],
  ['a projection is done', (core) => {
    const { operation } = retained(core);
    return () => operation.nextProjection()?.done();
  }],
  ['a terminal fact lands', (core) => {
    const [member] = retained(core).operation.members();
    return () => member?.terminalDone();
  }],
  ['a run is released by an operation', (core) => {
    const { operation, claim } = retained(core);
    return () => operation.releaseRun(claim);
  }],
  ['an operation is complete', (core) => {
    const { operation } = retained(core);
    operation.pendingDeliveries()[0]?.settle(OK);
    operation.members()[0]?.terminalDone();
    for (let next = operation.nextProjection(); next; next = operation.nextProjection()) next.done();
    return () => operation.complete(operation.members());
  }],
  ['a turn takes the queue', (core) => () => core.openSteeringTurn(S, 't', nothing)],
  ['a text is queued', (core) => {
    core.openSteeringTurn(S, 't', nothing);
    return () => core.steer(S, 'x');
  }],
  ['a text is queued for the next turn', (core) => {
    core.openSteeringTurn(S, 't', nothing);
    return () => core.queueMessage(S, 'x');
  }],
  ['messages are leased', (core) => {
    const turn = core.openSteeringTurn(S, 't', nothing);
    core.steer(S, 'x');
    return () => turn.pull();
  }],
  ['leases are acknowledged', (core) => {
    const { turn, ids } = leased(core);
    return () => turn.ack(ids);
  }],
  ['leases are returned', (core) => {
    const { turn, ids } = leased(core);
    return () => turn.nack(ids);
  }],
  ['a turn gives the queue up', (core) => {
    const { turn } = leased(core);
    return () => turn.release();
  }],
  ['followups are drained', (core) => {
    core.openSteeringTurn(S, 't', nothing);
    core.queueMessage(S, 'x');
    return () => core.drainFollowup(S);
  }],
  ['the queue is retracted', (core) => {
    core.openSteeringTurn(S, 't', nothing);
    core.steer(S, 'x');
    return () => core.retractQueue(S);
  }],
  ['a generation is made', (core) => {
    const claim = core.claimExecution(S);
    return () => core.createGeneration(claim, undefined, {}, {});
  }],
  ['a backend is being stopped', (core) => {
    const { generation } = running(core, S, 'x');
    return () => void generation.stop(() => new Promise(nothing));
  }],
  ['a backend has stopped', (core) => {
    const { generation } = running(core, S, 'x');
    const held = gate();
    const stopped = generation.stop(() => held.promise);
    return () => (held.open(), stopped);
  }],
  ['a stopped backend is active again', (core) => {
    const claim = core.claimExecution(S);
    const generation = core.createGeneration(claim, undefined, {}, {});
    void generation.stop(async () => {});
    return async () => (await microtasks(), generation.reconcile());
  }],
  ['a backend is being disposed', (core) => {
    const { generation } = running(core, S, 'x');
    return () => void generation.dispose(() => new Promise(nothing));
  }],
  ['a backend has been disposed', (core) => {
    const generation = core.createGeneration(core.claimExecution(S), undefined, {}, {});
    const held = gate();
    const disposed = generation.dispose(() => held.promise);
    return () => (held.open(), disposed);
  }],
  ['a backend is being built', (core) => () => void core.activate(S, undefined, () => new Promise(nothing))],
  ['a session is invalidated', (core) => () => core.invalidate(S)],
  ['an invalidation is being disposed', (core) => {
    const invalidation = core.invalidate(S);
    return () => void invalidation.dispose(() => new Promise(nothing));
  }],
  ['an invalidation is lifted', (core) => {
    const held = gate<typeof OK>();
    const disposed = core.invalidate(S).dispose(() => held.promise);
    return () => (held.open(OK), disposed);
  }],
  ['a checkpoint is being loaded', (core) => () => void core.loadCheckpoint(S, () => new Promise(nothing))],
  ['a checkpoint is stored', (core) => () => core.storeCheckpoint(S, {})],
  ['a task joins a lane', (core) => () => void core.serialize(S, 'lane', () => new Promise(nothing))],
  ['a mutation is queued', (core) => () => void core.mutateSessions([S], () => new Promise(nothing))],
  ['a mutation has ended', (core) => {
    const held = gate();
    const ended = core.mutateSessions([S], () => held.promise);
    return () => (held.open(), ended);
  }],
  ['an operation is admitted', (core) => () =>
    core.operations.reserve({ operationId: 'o', ownerId: 'w', sessionId: S, exclusivityKeys: [] })],
  ['an operation is released', (core) => {
    const lease = core.operations.reserve({ operationId: 'o', ownerId: 'w', sessionId: S, exclusivityKeys: [] });
    return () => lease.release();
  }],
];

describe('every transition is told of, with its session', () => {
  it.each(TRANSITIONS)('%s', async (_, prepare) => {
    const core = fresh();
    const act = prepare(core);
    await microtasks();
    const batches = listen('trace');
    await act();
    core.stats();
    await macrotasks();
    const sessions = batches.flat().map(({ fields }) => fields['session'] ?? fields['session_id'] ?? fields['sessions']);
    expect(sessions).toContain(S);
    expect(sessions.filter((session) => session !== S)).toEqual([]);
  });

  it.each<[string, (limiter: AdmissionLimiter) => Promise<unknown>]>([
    ['a permit is granted', (limiter) => limiter.acquire()],
    ['a permit is released', async (limiter) => (await limiter.acquire()).release()],
  ])('%s', async (_, act) => {
    const limiter = new AdmissionLimiter(1);
    const batches = listen('trace');
    await act(limiter);
    makeCore().close();
    await macrotasks();
    expect(batches.flat().filter(({ target }) => target.includes('permit'))).not.toEqual([]);
  });
});

describe('TENURE_LOG', () => {
  it('prints to stderr, to the last event, and to nothing else', async () => {
    const { code, stdout, stderr } = await runScript('logged', { env: { TENURE_LOG: 'debug' } });
    expect([code, JSON.parse(stdout)]).toEqual([0, { events: [], phase: 'released' }]);
    const lines = stderr.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^\d+\.\d{3} +(ERROR|WARN|INFO|DEBUG|TRACE) tenure/);
    expect(stderr).toMatch(/claimed session="session of the log"/);
    expect(stderr).toMatch(/released/);
    expect(stderr).toMatch(/member ended/);
    expect(stderr).not.toContain('secret');
  });

  it.each(['', 'off', 'nonsense', 'DEBUG', 'debug,info', '\u{1f600}'])('as %j prints nothing, and breaks nothing', async (log) => {
    const { code, stdout, stderr } = await runScript('logged', { env: { TENURE_LOG: log } });
    expect({ code, stdout: JSON.parse(stdout), stderr }).toEqual({
      code: 0,
      stdout: { events: [], phase: 'released' },
      stderr: '',
    });
  });

  it('as error prints nothing of what is fine', async () => {
    const { code, stderr } = await runScript('logged', { env: { TENURE_LOG: 'error' } });
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('a lease that was lost', () => {
  it('is told of, and its registration stays', async () => {
    const found = await findingsOf<{ events: LogEvent[]; kept: unknown }>('logged', { args: ['lost'] });
    expect(found.kept).toEqual({ operationId: 'lost', ownerId: 'w', sessionId: null });
    expect(found.events).toEqual([
      expect.objectContaining({ level: 'warn', target: 'tenure::admission', fields: expect.objectContaining({ operation: 'lost' }) }),
    ]);
    expect(JSON.stringify(found.events)).not.toContain('secret');
  });
});
