// Callbacks of the caller that call the core again, from inside the call that runs them.
import { describe, expect, it, onTestFinished } from 'vitest';
import { AdmissionLimiter, RuntimeCore, type StopAttempt } from '../index.js';
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

/** A core whose ids and clock are the test's. */
function coreOf(newId: () => unknown, now: () => unknown = () => 1): RuntimeCore {
  const core = new RuntimeCore({ newId: newId as () => string, now: now as () => number });
  onTestFinished(() => core.close());
  return core;
}

const texts = (core: RuntimeCore, turnId = 'reader') =>
  core.openSteeringTurn('s', turnId, nothing).pull().map(({ content }) => content.text);

describe('newId, called by steer', () => {
  it('that throws: the error reaches the caller, and nothing is queued', async () => {
    const thrown = new Error('no id');
    const core = coreOf(() => { throw thrown; });
    core.openSteeringTurn('s', 't', nothing);
    expect(await answerOf(() => core.steer('s', 'x'))).toEqual({ how: 'threw', value: thrown });
    expect(texts(core)).toEqual([]);
  });

  it.each([undefined, null, 7, {}, Symbol('id')])('that gives %s: a TypeError', async (id) => {
    const core = coreOf(() => id);
    core.openSteeringTurn('s', 't', nothing);
    expect(await refusalOf(() => core.steer('s', 'x'))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining('newId'),
    });
    expect(texts(core)).toEqual([]);
  });

  it('that steers: the inner text comes first', () => {
    let count = 0;
    const core = coreOf(() => {
      count += 1;
      if (count === 1) expect(core.steer('s', 'inner')).toBe(true);
      return `id-${count}`;
    });
    core.openSteeringTurn('s', 't', nothing);
    expect(core.steer('s', 'outer')).toBe(true);
    expect(texts(core)).toEqual(['inner', 'outer']);
  });

  it('that calls other sessions: the text is queued where it was meant', () => {
    const core = coreOf(() => {
      for (let index = 0; index < 300; index += 1) core.claimExecution(`other ${index}`).release();
      core.drainFollowup('elsewhere');
      return 'id';
    });
    core.openSteeringTurn('s', 't', nothing);
    expect(core.steer('s', 'x')).toBe(true);
    expect(texts(core)).toEqual(['x']);
    expect(core.stats().sessions).toBe(1);
  });

  it('that gives the queue up: nothing is queued, and the caller is told so', () => {
    const core = coreOf(() => (turn.release(), 'id'));
    const turn = core.openSteeringTurn('s', 't', nothing);
    expect(core.steer('s', 'x')).toBe(false);
    expect(core.stats()).toEqual(EMPTY);
  });

  it('that stops the session: what comes after the stop is queued', () => {
    const core = coreOf(() => (void core.stopSession('s', {}, never), 'id'));
    core.openSteeringTurn('s', 't', nothing);
    core.queueMessage('s', 'dropped');
    expect(core.steer('s', 'x')).toBe(true);
    expect([texts(core), core.drainFollowup('s')]).toEqual([['x'], []]);
  });

  it('that closes the core: ERR_CLOSED', async () => {
    const core = coreOf(() => (core.close(), 'id'));
    core.openSteeringTurn('s', 't', nothing);
    expect(await refusalOf(() => core.steer('s', 'x'))).toMatchObject({ how: 'threw', code: 'ERR_CLOSED' });
  });
});

/** Stops the session, and gives the attempt and what `retain` in it answers. */
function retaining(core: RuntimeCore, name = 'a') {
  const { claim, generation } = running(core, 's', name);
  const stops: StopAttempt[] = [];
  void core.stopSession('s', {}, (stop) => (stops.push(stop), never()));
  return { claim, generation, stop: stops[0] as StopAttempt };
}

describe('newId and now, called by retain', () => {
  it('are called in the order now, note, turn, and when needed only', () => {
    const calls: string[] = [];
    const core = coreOf(() => (calls.push('newId'), `id-${calls.length}`), () => (calls.push('now'), 7));
    const { claim, stop } = retaining(core);
    const operation = stop.retain(claim, { lineage: {} });
    expect(calls).toEqual(['now', 'newId', 'newId']);
    expect(stop.retain(claim, { lineage: {} })).toBe(operation);
    expect(stop.retain(running(core, 'other', 'x').claim.sessionId === 'other' ? claim : claim)).toBe(operation);
    expect([calls.length, operation.ts]).toEqual([3, 7]);
    operation.nextProjection()?.done();
    expect(operation.nextProjection()).toMatchObject({ kind: 'turn', id: 'id-3' });
    operation.nextProjection()?.done();
    expect(operation.nextProjection()).toMatchObject({ kind: 'note', id: 'id-2' });
  });

  it.each([1, 2])('a newId that throws at its call %i: nothing is retained', async (failing) => {
    const thrown = new Error('no id');
    let calls = 0;
    const core = coreOf(() => {
      calls += 1;
      if (calls === failing) throw thrown;
      return 'id';
    });
    const { claim, stop } = retaining(core);
    const ask = () => stop.retain(claim, { lineage: {} });
    expect(await answerOf(ask)).toEqual({ how: 'threw', value: thrown });
    expect([stop.operation, claim.stopOperation]).toEqual([undefined, undefined]);
    expect(ask().members()).toHaveLength(1);
  });

  it('a now that throws, and one that gives no number: nothing is retained', async () => {
    const thrown = new Error('no time');
    const given: unknown[] = ['1', undefined, 1n, thrown];
    const core = coreOf(() => 'id', () => {
      const next = given.pop();
      if (next === thrown) throw thrown;
      return next;
    });
    const { claim, stop } = retaining(core);
    expect((await answerOf(() => stop.retain(claim))).value).toBe(thrown);
    for (let left = given.length; left > 0; left -= 1)
      expect(await refusalOf(() => stop.retain(claim))).toMatchObject({
        code: 'ERR_INVALID_ARG_TYPE',
        message: expect.stringContaining('now'),
      });
    expect([stop.operation, claim.stopOperation]).toEqual([undefined, undefined]);
  });

  it('a newId that retains the same run: one operation, the run once in it', () => {
    let calls = 0;
    const core = coreOf(() => {
      calls += 1;
      if (calls === 1) stop.retain(claim, { lineage: { of: 'inner' } });
      return `id-${calls}`;
    });
    const { claim, stop } = retaining(core);
    const operation = stop.retain(claim, { lineage: { of: 'outer' } });
    expect(stop.operation).toBe(operation);
    expect(operation.members().map(({ runId }) => runId)).toEqual(['run-a']);
    const kinds: unknown[] = [];
    for (let next = operation.nextProjection(); next; next = operation.nextProjection()) {
      kinds.push(next.kind === 'turn' ? next.lineage : next.kind);
      next.done();
    }
    expect(kinds).toEqual(['status', { of: 'inner' }, 'note']);
  });

  it('a newId that retains another run: one operation, both in it', () => {
    let calls = 0;
    const core = coreOf(() => {
      calls += 1;
      if (calls === 1) stop.retain(other);
      return `id-${calls}`;
    });
    const other = running(core, 's', 'other').claim;
    const { claim, stop } = retaining(core);
    const operation = stop.retain(claim);
    expect(operation.members().map((member) => member.claim)).toEqual([other, claim]);
    expect(other.stopOperation).toBe(operation);
  });

  it('a newId that closes the core: ERR_CLOSED, and nothing is left', async () => {
    const core = coreOf(() => (core.close(), 'id'));
    const { claim, stop } = retaining(core);
    expect(await refusalOf(() => stop.retain(claim))).toMatchObject({ how: 'threw', code: 'ERR_CLOSED' });
  });

  it('a newId that ends the run: ERR_CLAIM_PHASE, and nothing is retained', async () => {
    const core = coreOf(() => {
      claim.settle(OK);
      claim.leaveGeneration();
      void generation.dispose(async () => {});
      return 'id';
    });
    const { claim, stop, generation } = retaining(core);
    expect(await refusalOf(() => stop.retain(claim))).toMatchObject({ how: 'threw', code: 'ERR_CLAIM_PHASE' });
    expect(stop.operation).toBeUndefined();
  });
});

describe('a callback that closes its core ends what is going on, and breaks nothing', () => {
  const fresh = () => {
    const core = makeCore();
    onTestFinished(() => core.close());
    return core;
  };

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
    ['the attempt of a stop', (core, close) => core.stopSession('s', {}, async () => close()), { how: 'rejected', code: 'ERR_CLOSED' }],
    ['a mutation', (core, close) => core.mutateSessions(['s', 'r'], () => (close(), 'done')), { how: 'returned', value: 'done' }],
    ['a task of a lane', (core, close) => core.serialize('s', 'lane', async () => (close(), 'done')), { how: 'returned', value: 'done' }],
    ['the load of a checkpoint', (core, close) => core.loadCheckpoint('s', async () => (close(), { a: 1 })), { how: 'returned', value: { a: 1 } }],
    ['the stop of a backend', (core, close) => running(core, 's', 'a').generation.stop(async () => close()), { how: 'returned', value: undefined }],
    ['the disposal of a backend', (core, close) => running(core, 's', 'a').generation.dispose(async () => close()), { how: 'returned', value: OK }],
    ['the disposal of an invalidated session', (core, close) => core.invalidate('s').dispose(async () => (close(), OK)), { how: 'returned', value: { ok: false, error: expect.objectContaining({ code: 'ERR_CLOSED' }) } }],
    ['the commit of a start', (core, close) => {
      const claim = core.claimExecution('s');
      claim.attach(run('s', 'a'), nothing);
      return claim.commitStart(async () => (close(), { started: true }));
    }, { how: 'returned', value: { started: true } }],
    ['a task of a stop operation', (core, close) => {
      const { claim, stop } = retaining(core);
      return stop.retain(claim).enqueue(async () => close());
    }, { how: 'returned', value: undefined }],
  ])('%s', async (_, begin, due) => {
    const core = fresh();
    const { how, value } = await answerOf(() => begin(core, () => core.close()));
    expect({ how, value, code: (value as { code?: unknown } | undefined)?.code }).toMatchObject(due);
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
    expect(await refusalOf(() => core.currentGeneration('s'))).toMatchObject({ code: 'ERR_CLOSED' });
  });
});

describe('a callback that makes something new finds what it made untouched', () => {
  const kinds: [string, (core: RuntimeCore, turn: () => ReturnType<RuntimeCore['openSteeringTurn']>, ids: string[]) => void][] = [
    ['steer', (core) => core.steer('s', 'y')],
    ['ack', (_, turn, ids) => turn().ack(ids)],
    ['nack', (_, turn, ids) => turn().nack(ids)],
    ['release', (_, turn) => turn().release()],
    ['release of a turn that was opened twice', (core) => {
      core.openSteeringTurn('s', 't', () => made()).release();
    }],
    ['drainFollowup', (core) => void core.drainFollowup('s')],
    ['retractQueue', (core) => void core.retractQueue('s')],
    ['stopSession', (core) => void core.stopSession('s', {}, never)],
    ['ack of a turn that owns the queue no more', (core, turn, ids) => {
      const old = turn();
      core.openSteeringTurn('s', 'next', () => made());
      old.ack(ids);
    }],
    ['nack of a turn that owns the queue no more', (core, turn, ids) => {
      const old = turn();
      core.openSteeringTurn('s', 'next', () => made());
      old.nack(ids);
    }],
  ];
  let made: () => void = nothing;

  it.each(kinds)('onUpdate, called by %s', (_, act) => {
    const core = makeCore();
    onTestFinished(() => core.close());
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
    const core = makeCore();
    onTestFinished(() => core.close());
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
