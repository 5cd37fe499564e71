// What the core tells of itself: to a function of the caller, or on stderr.
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { setLogger, type LogEvent, type LogLevel, type RuntimeCore } from '../index.js';
import { findingsOf, runScript } from './fixtures/boundary/child.js';
import { macrotask, makeCore, run, running } from './fixtures/boundary/kit.js';

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
    core.operations.reserve({
      operationId: 'o-1',
      ownerId: 'w',
      sessionId: S,
      exclusivityKeys: [],
    });
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
    const last = events.pop();
    expect(events[0]?.fields['session']).toBe('session 0');
    expect(last).toMatchObject({ level: 'warn', message: expect.stringContaining('dropped') });
    // What an earlier test has lost may take a place, too.
    expect(events.length).toBeLessThanOrEqual(4096);
    expect(events.length + Number(last?.fields['dropped'])).toBeGreaterThan(4990);
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
    expect(() =>
      core.operations.reserve({ operationId: 'p', ownerId: 'w', exclusivityKeys: keys }),
    ).toThrow();
    void core.stopSession(S, { why: secret('input') }, async (stop) => {
      const operation = stop.retain(claim, { lineage: { of: secret('lineage') }, terminal: true });
      operation.pendingDeliveries()[0]?.settle({ ok: false, error: new Error(secret('delivery')) });
      claim.settle({ ok: false, error: new Error(secret('settlement')) });
      throw new Error(secret('attempt'));
    });
    await generation.dispose(async () => {
      throw new Error(secret('disposal'));
    });
    await core
      .mutateSessions([S], () => Promise.reject(new Error(secret('mutation'))))
      .catch(nothing);
    await macrotasks();
    core.stats();
    await macrotasks();
    expect(batches.flat().length).toBeGreaterThan(10);
    expect(JSON.stringify(batches)).not.toContain('secret');
  });
});

describe('TENURE_LOG', () => {
  it('prints what happens right before the end', async () => {
    for (let round = 0; round < 5; round += 1) {
      const env = { TENURE_LOG: 'debug' };
      const { code, stderr } = await runScript('logged', { args: ['many'], env });
      const claimed = stderr.match(/claimed session="session \d+"/g) ?? [];
      expect([code, claimed.length]).toEqual([0, 2000]);
      expect(stderr).toMatch(/member ended/);
    }
  });

  it('prints to stderr and to nothing else', async () => {
    const { code, stdout, stderr } = await runScript('logged', { env: { TENURE_LOG: 'debug' } });
    expect([code, JSON.parse(stdout)]).toEqual([0, { events: [], phase: 'released' }]);
    const lines = stderr.trimEnd().split('\n');
    for (const line of lines)
      expect(line).toMatch(/^\d+\.\d{3} +(ERROR|WARN|INFO|DEBUG|TRACE) tenure/);
    expect(stderr).toMatch(/claimed session="session of the log"/);
    expect(stderr).toMatch(/released/);
    expect(stderr).not.toContain('secret');
  });

  it.each(['', 'off', 'nonsense', 'DEBUG', 'debug,info', '\u{1f600}'])(
    'as %j prints nothing, and breaks nothing',
    async (log) => {
      const { code, stdout, stderr } = await runScript('logged', { env: { TENURE_LOG: log } });
      expect({ code, stdout: JSON.parse(stdout), stderr }).toEqual({
        code: 0,
        stdout: { events: [], phase: 'released' },
        stderr: '',
      });
    },
  );

  it('as error prints nothing of what is fine', async () => {
    const { code, stderr } = await runScript('logged', { env: { TENURE_LOG: 'error' } });
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('a lease that was lost', () => {
  it('is told of, and its registration stays', async () => {
    const found = await findingsOf<{ events: LogEvent[]; kept: unknown }>('logged', {
      args: ['lost'],
    });
    expect(found.kept).toEqual({ operationId: 'lost', ownerId: 'w', sessionId: null });
    expect(found.events).toEqual([
      expect.objectContaining({
        level: 'warn',
        target: 'tenure::admission',
        fields: expect.objectContaining({ operation: 'lost' }),
      }),
    ]);
    expect(JSON.stringify(found.events)).not.toContain('secret');
  });
});
