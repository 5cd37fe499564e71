// Callbacks of the caller that call the core again, from inside the call that runs them.
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  AdmissionLimiter,
  type RuntimeCore,
  type StopAttempt,
  type SteeringTurn,
} from '../index.js';
import {
  OK,
  answerOf,
  macrotask,
  makeCore,
  refusalOf,
  run,
  running,
} from './fixtures/boundary/kit.js';

const nothing = () => {};
const never = () => new Promise<never>(nothing);
const EMPTY = { sessions: 0, admissions: 0 };

const fresh = () => {
  const core = makeCore();
  onTestFinished(() => core.close());
  return core;
};

/** Stops a session in which a turn runs, for good. */
function retaining(core: RuntimeCore) {
  const { claim } = running(core, 's', 'a');
  const stops: StopAttempt[] = [];
  void core.stopSession('s', {}, (stop) => (stops.push(stop), never()));
  return { claim, stop: stops[0] as StopAttempt };
}

describe('a callback that closes its core ends what is going on, and breaks nothing', () => {
  it('onStop: the stop rejects, nobody else is told, no attempt is made', async () => {
    const core = fresh();
    const calls: string[] = [];
    const first = running(core, 's', 'a', () => (calls.push('first'), core.close())).claim;
    const second = running(core, 's', 'b', () => calls.push('second')).claim;
    const signals = [first.stopSignal, second.stopSignal];
    const stopped = core.stopSession('s', {}, async () => void calls.push('attempt'));
    expect(await refusalOf(() => stopped)).toMatchObject({ how: 'rejected', code: 'ERR_CLOSED' });
    expect([calls, first.phase, second.phase]).toEqual([['first'], 'failed', 'failed']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it('onStop, called by attach', async () => {
    const core = fresh();
    const claim = core.claimExecution('s');
    const stopped = core.stopSession('s', {}, never);
    claim.attach(run('s', 'a'), () => core.close());
    expect(claim.phase).toBe('failed');
    expect(await refusalOf(() => stopped)).toMatchObject({ code: 'ERR_CLOSED' });
  });

  it('an abort listener: the stop rejects, no attempt is made', async () => {
    const core = fresh();
    const calls: string[] = [];
    const { claim } = running(core, 's', 'a');
    claim.stopSignal.addEventListener('abort', () => (calls.push('abort'), core.close()));
    const stopped = core.stopSession('s', {}, async () => void calls.push('attempt'));
    expect(await refusalOf(() => stopped)).toMatchObject({ code: 'ERR_CLOSED' });
    expect([calls, claim.stopSignal.aborted]).toEqual([['abort'], true]);
  });

  it.each<[string, (core: RuntimeCore) => unknown, unknown]>([
    ['steer', (core) => core.steer('s', 'x'), true],
    ['queueMessage', (core) => core.queueMessage('s', 'x'), true],
    ['drainFollowup', (core) => core.drainFollowup('s'), ['later']],
    ['retractQueue', (core) => core.retractQueue('s'), ['first', 'later']],
  ])('onUpdate, called by %s: the call answers as if nothing were', async (_, ask, answer) => {
    const core = fresh();
    let close = nothing;
    core.openSteeringTurn('s', 't', () => close());
    core.steer('s', 'first');
    core.queueMessage('s', 'later');
    close = () => core.close();
    expect(ask(core)).toEqual(answer);
    expect(await refusalOf(() => core.stats())).toMatchObject({ code: 'ERR_CLOSED' });
  });

  it.each(['ack', 'nack', 'release'] as const)('onUpdate, called by %s of a turn', (method) => {
    const core = fresh();
    let close = nothing;
    const turn = core.openSteeringTurn('s', 't', () => close());
    core.steer('s', 'first');
    const ids = turn.pull().map(({ id }) => id);
    close = () => core.close();
    expect(turn[method](ids)).toBeUndefined();
    expect(() => core.stats()).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }));
  });

  it('onUpdate, called by a stop: the stop rejects, no attempt is made', async () => {
    const core = fresh();
    const calls: string[] = [];
    let close = nothing;
    core.openSteeringTurn('s', 't', () => close());
    core.steer('s', 'x');
    close = () => core.close();
    const stopped = core.stopSession('s', {}, async () => void calls.push('attempt'));
    expect(await refusalOf(() => stopped)).toMatchObject({ code: 'ERR_CLOSED' });
    expect(calls).toEqual([]);
  });

  it.each<[string, (core: RuntimeCore, close: () => void) => Promise<unknown>, object]>([
    [
      'the attempt of a stop',
      (core, close) => core.stopSession('s', {}, async () => close()),
      { how: 'rejected', code: 'ERR_CLOSED' },
    ],
    [
      'a mutation',
      (core, close) => core.mutateSessions(['s', 'r'], () => (close(), 'done')),
      { how: 'returned', value: 'done' },
    ],
    [
      'a task of a lane',
      (core, close) => core.serialize('s', 'lane', async () => (close(), 'done')),
      { how: 'returned', value: 'done' },
    ],
    [
      'the load of a checkpoint',
      (core, close) => core.loadCheckpoint('s', async () => (close(), { a: 1 })),
      { how: 'returned', value: { a: 1 } },
    ],
    [
      'the stop of a backend',
      (core, close) => running(core, 's', 'a').generation.stop(async () => close()),
      { how: 'returned', value: undefined },
    ],
    [
      'the disposal of a backend',
      (core, close) => running(core, 's', 'a').generation.dispose(async () => close()),
      { how: 'returned', value: OK },
    ],
    [
      'the disposal of an invalidated session',
      (core, close) => core.invalidate('s').dispose(async () => (close(), OK)),
      {
        how: 'returned',
        value: { ok: false, error: expect.objectContaining({ code: 'ERR_CLOSED' }) },
      },
    ],
    [
      'the commit of a start',
      (core, close) => {
        const claim = core.claimExecution('s');
        claim.attach(run('s', 'a'), nothing);
        return claim.commitStart(async () => (close(), { started: true }));
      },
      { how: 'returned', value: { started: true } },
    ],
    [
      'a task of a stop operation',
      (core, close) => {
        const { claim, stop } = retaining(core);
        return stop.retain(claim).enqueue(async () => close());
      },
      { how: 'returned', value: undefined },
    ],
  ])('%s', async (_, begin, due) => {
    const core = fresh();
    const { how, value } = await answerOf(() => begin(core, () => core.close()));
    expect({ how, value, code: (value as { code?: unknown } | undefined)?.code }).toMatchObject(
      due,
    );
    expect(await refusalOf(() => core.stats())).toMatchObject({ code: 'ERR_CLOSED' });
    const later = fresh();
    const { claim } = running(later, 's', 'a');
    expect([claim.phase, later.stats()]).toEqual(['reserved', { sessions: 1, admissions: 0 }]);
  });

  it('the build of a backend: what it gives is given back, and belongs to nobody', async () => {
    const [core, other] = [fresh(), fresh()];
    const { generation } = running(other, 's', 'a');
    const given = await core.activate('s', undefined, async () => (core.close(), generation));
    expect(given).toBe(generation);
    expect(await refusalOf(() => core.currentGeneration('s'))).toMatchObject({
      code: 'ERR_CLOSED',
    });
  });
});

describe('a callback that makes something new finds what it made untouched', () => {
  const kinds: [string, (core: RuntimeCore, turn: () => SteeringTurn, ids: string[]) => void][] = [
    ['steer', (core) => core.steer('s', 'y')],
    ['ack', (_, turn, ids) => turn().ack(ids)],
    ['nack', (_, turn, ids) => turn().nack(ids)],
    ['release', (_, turn) => turn().release()],
    [
      'release of a turn that was opened twice',
      (core) => {
        core.openSteeringTurn('s', 't', () => made()).release();
      },
    ],
    ['drainFollowup', (core) => void core.drainFollowup('s')],
    ['retractQueue', (core) => void core.retractQueue('s')],
    ['stopSession', (core) => void core.stopSession('s', {}, never)],
    [
      'ack of a turn that owns the queue no more',
      (core, turn, ids) => {
        const old = turn();
        core.openSteeringTurn('s', 'next', () => made());
        old.ack(ids);
      },
    ],
    [
      'nack of a turn that owns the queue no more',
      (core, turn, ids) => {
        const old = turn();
        core.openSteeringTurn('s', 'next', () => made());
        old.nack(ids);
      },
    ],
  ];
  let made: () => void = nothing;

  it.each(kinds)('onUpdate, called by %s', (_, act) => {
    const core = fresh();
    made = nothing;
    const turn = core.openSteeringTurn('s', 't', () => made());
    core.steer('s', 'leased');
    const ids = turn.pull().map(({ id }) => id);
    core.steer('s', 'queued');
    core.queueMessage('s', 'later');
    const claims: ReturnType<RuntimeCore['claimExecution']>[] = [];
    made = () => {
      for (let count = 0; count < 8; count += 1) claims.push(core.claimExecution(`new ${count}`));
    };
    act(core, () => turn, ids);
    made = nothing;
    expect(claims.length).toBeGreaterThan(0);
    for (const claim of claims) {
      expect(core.claimExecution(claim.sessionId, claim)).toBe(claim);
      claim.attach(run(claim.sessionId, 'x'), nothing);
      expect(claim.phase).toBe('attached');
      claim.release();
      expect(claim.phase).toBe('released');
    }
    expect(core.stats().sessions).toBeLessThanOrEqual(1);
  });

  it('an abort listener that takes the place of a permit', async () => {
    const limiter = new AdmissionLimiter(1);
    const permit = await limiter.acquire();
    const controller = new AbortController();
    const granted: string[] = [];
    const waiting = limiter.acquire(controller.signal);
    const behind = limiter.acquire().then(() => granted.push('behind'));
    controller.signal.addEventListener('abort', () => permit.release());
    controller.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    await behind;
    expect([limiter.activeCount, limiter.waitingCount, granted]).toEqual([1, 0, ['behind']]);
  });

  it('a task that runs when another has ended, and queues a third', async () => {
    const core = fresh();
    const order: number[] = [];
    const third: Promise<void>[] = [];
    const first = core.serialize('s', 'lane', async () => void order.push(1));
    const second = core.serialize('s', 'lane', () => {
      third.push(core.serialize('s', 'lane', async () => void order.push(3)));
      order.push(2);
      return Promise.resolve();
    });
    await Promise.all([first, second]);
    await Promise.all(third);
    await macrotask();
    expect([order, core.stats()]).toEqual([[1, 2, 3], EMPTY]);
  });
});
