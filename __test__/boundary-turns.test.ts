// Turns that are stopped, fail or are replaced at awkward moments.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BackendGeneration, RuntimeCore, StopAttempt, StopOperation } from '../index.js';
import { OK, answerOf, gate, makeCore, refusalOf, run, running } from './fixtures/boundary/kit.js';

const nothing = () => {};
const never = () => new Promise<never>(nothing);
const EMPTY = { sessions: 0, admissions: 0 };

function fresh(): RuntimeCore {
  const core = makeCore();
  onTestFinished(() => core.close());
  return core;
}

/** Ends the run as a kernel does, and disposes its backend. */
async function end({ claim, generation }: ReturnType<typeof running>): Promise<void> {
  if (claim.phase === 'reserved') claim.settle(OK);
  claim.leaveGeneration();
  await generation.dispose(async () => {});
}

describe('a start that fails at any of its steps leaves nothing behind', () => {
  const fault = new Error('failed to start');
  const failing = () => Promise.reject(fault);

  /** Starts as a kernel does, and fails at the step asked for. */
  async function start(core: RuntimeCore, step: string): Promise<void> {
    const fails = (each: string) => {
      if (each === step) throw fault;
    };
    const lease = core.operations.reserve({
      operationId: 'o',
      ownerId: 'w',
      exclusivityKeys: ['k'],
    });
    const claim = core.claimExecution('s');
    let generation: BackendGeneration | undefined;
    try {
      fails('prepare');
      await claim.enter();
      claim.attach(run('s', 'a'), nothing);
      fails('attached');
      if (step === 'build') await core.activate('s', undefined, failing);
      generation = await core.activate('s', undefined, async () =>
        core.createGeneration(claim, undefined, {}, {}),
      );
      fails('built');
      claim.reserve(generation);
      if (step === 'commit') await claim.commitStart(failing);
      const turn = core.openSteeringTurn('s', 'turn-a', nothing);
      try {
        fails('send');
      } finally {
        turn.release();
      }
      claim.settle(OK);
    } catch (error) {
      if (claim.phase === 'reserved') claim.settle({ ok: false, error });
      throw error;
    } finally {
      claim.release();
      claim.leaveGeneration();
      lease.release();
      await generation?.dispose(async () => {});
    }
  }

  it.each(['prepare', 'attached', 'build', 'built', 'commit', 'send'])('%s', async (step) => {
    const core = fresh();
    const tried = await answerOf(() => start(core, step));
    // The commit of a claim that is reserved is refused before it is asked.
    if (step === 'commit') expect(tried.value).toMatchObject({ code: 'ERR_CLAIM_PHASE' });
    else expect(tried.value).toBe(fault);
    expect([core.stats(), core.hasActiveRuns('s')]).toEqual([EMPTY, false]);
    expect(await answerOf(() => start(core, 'none'))).toEqual({
      how: 'returned',
      value: undefined,
    });
    expect(core.stats()).toEqual(EMPTY);
  });
});

describe('a stop that comes while a turn is starting', () => {
  it('does not wait for a backend that is never built, and frees the session', async () => {
    const core = fresh();
    const claim = core.claimExecution('s');
    let built = 0;
    void core.activate('s', undefined, () => ((built += 1), never()));
    const told: StopAttempt[] = [];
    await core.stopSession('s', { why: 'asked' }, async () => {});
    claim.attach(run('s', 'a'), (stop) => told.push(stop));
    expect([told.map(({ input }) => input), claim.isStopRequested()]).toEqual([
      [{ why: 'asked' }],
      true,
    ]);
    claim.finalize({ ok: false, error: claim.cancellation });
    expect(claim.phase).toBe('failed');
    const next = core.claimExecution('s');
    expect([next.phase, next.isExclusive(), built]).toEqual(['pending', true, 1]);
  });

  it('keeps what is built late from becoming the session’s backend', async () => {
    const core = fresh();
    const claim = core.claimExecution('s');
    claim.attach(run('s', 'a'), nothing);
    const backend = gate<object>();
    const building = core.activate('s', undefined, async () =>
      core.createGeneration(claim, undefined, await backend.promise, {}),
    );
    const stopped = core.stopSession('s', {}, async (stop) => {
      claim.finalize({ ok: false, error: claim.cancellation });
      expect(await stop.drained()).toEqual([claim.cancellation]);
    });
    await stopped;
    backend.open({});
    const generation = await building;
    expect([generation.isCurrent, core.currentGeneration('s')]).toEqual([false, undefined]);
    expect(await refusalOf(() => claim.reserve(generation))).toMatchObject({
      code: 'ERR_CLAIM_PHASE',
    });
    await generation.dispose(async () => {});
    expect(core.stats()).toEqual(EMPTY);
  });

  it('aborts the signal that the start waits on, with the claim’s cancellation', async () => {
    const core = fresh();
    const claim = core.claimExecution('s');
    const reasons: unknown[] = [];
    claim.stopSignal.addEventListener('abort', () => reasons.push(claim.stopSignal.reason));
    await core.stopSession('s', {}, async () => {});
    expect(reasons).toEqual([claim.cancellation]);
    expect(claim.cancellation).toMatchObject({ code: 'ERR_EXECUTION_CANCELLED' });
  });
});

describe('a stop', () => {
  it('asked for five times in one tick is one: one attempt, one abort, one promise', async () => {
    const core = fresh();
    const calls: string[] = [];
    const { claim, generation } = running(core, 's', 'a', () => calls.push('onStop'));
    claim.stopSignal.addEventListener('abort', () => calls.push('abort'));
    const attempt = async () => {
      calls.push('attempt');
      claim.settle({ ok: false, error: claim.cancellation });
    };
    const stops = Array.from({ length: 5 }, () => core.stopSession('s', {}, attempt));
    expect(new Set(stops).size).toBe(1);
    await Promise.all(stops);
    expect(calls).toEqual(['onStop', 'abort', 'attempt']);
    await core.stopSession('s', {}, async (stop) => {
      calls.push('again');
      expect(await stop.drained()).toEqual([]);
    });
    expect(calls).toEqual(['onStop', 'abort', 'attempt', 'again']);
    expect([claim.phase, claim.isStopRequested()]).toEqual(['failed', true]);
    await end({ claim, generation });
    expect(core.stats()).toEqual(EMPTY);
  });

  it('need not wait for what never ends: the session goes on, and the late one disturbs nobody', async () => {
    const core = fresh();
    const zombie = running(core, 's', 'zombie');
    // The backend does not heed its signal; the attempt gives up on it.
    await core.stopSession('s', {}, async () => {});
    const next = core.claimExecution('s');
    next.attach(run('s', 'next'), nothing);
    const generation = core.createGeneration(next, undefined, {}, {});
    next.reserve(generation);
    expect([zombie.claim.canDispatch(), next.canDispatch()]).toEqual([false, true]);
    expect(core.runForTurn('s', undefined, 'turn-zombie')).toBeUndefined();
    zombie.claim.settle(OK);
    zombie.claim.leaveGeneration();
    expect([next.phase, next.isStopRequested(), generation.activeRuns.size]).toEqual([
      'reserved',
      false,
      1,
    ]);
  });

  it('that fails can be tried again, and other sessions are not touched', async () => {
    const core = fresh();
    const { claim, generation } = running(core, 's', 'a');
    const other = running(core, 'other', 'b');
    let lands = false;
    const operations = new Set<StopOperation>();
    const attempt = async (stop: StopAttempt) => {
      const operation =
        stop.activeClaims().map((each) => stop.retain(each, { terminal: true }))[0] ??
        stop.operation;
      if (!operation) throw new Error('nothing to stop');
      operations.add(operation);
      for (const delivery of operation.pendingDeliveries()) delivery.settle(OK);
      if (!lands) throw new Error('the ledger is full');
      for (const member of operation.members()) member.terminalDone();
      for (let next = operation.nextProjection(); next; next = operation.nextProjection())
        next.done();
      expect(operation.complete(operation.members())).toBe(true);
    };
    await expect(core.stopSession('s', {}, attempt)).rejects.toThrow('the ledger is full');
    claim.settle({ ok: false, error: claim.cancellation });
    const next = core.claimExecution('s');
    expect(await refusalOf(() => next.activationBlocker())).toMatchObject({
      code: 'ERR_SESSION_QUARANTINED',
    });
    expect([other.claim.canDispatch(), other.claim.activationBlocker()]).toEqual([true, undefined]);
    lands = true;
    await core.stopSession('s', {}, attempt);
    expect(operations.size).toBe(1);
    next.release();
    const last = core.claimExecution('s');
    expect(last.activationBlocker()).toBeUndefined();
    last.release();
    await end({ claim, generation });
    await end(other);
    expect(core.stats()).toEqual(EMPTY);
  });

  it('reaches the turns that run, each on the backend that runs it, whatever has replaced it', async () => {
    const core = fresh();
    const old = running(core, 's', 'old');
    const claim = core.claimExecution('s');
    claim.attach(run('s', 'new'), nothing);
    const generation = core.createGeneration(claim, undefined, {}, {});
    claim.reserve(generation);
    const stopped: BackendGeneration[] = [];
    const interrupt = (each: BackendGeneration) => each.stop(async () => void stopped.push(each));
    await core.stopSession('s', {}, async (stop) => {
      expect(stop.activeClaims()).toEqual([old.claim, claim]);
      const [operation] = stop.activeClaims().map((each) => stop.retain(each));
      for (const delivery of operation?.pendingDeliveries() ?? []) {
        await Promise.all([interrupt(delivery.generation), interrupt(delivery.generation)]);
        delivery.settle(OK);
      }
      expect(operation?.pendingDeliveries()).toEqual([]);
    });
    expect(stopped).toEqual([old.generation, generation]);
  });
});

describe('a backend that is replaced while a turn runs', () => {
  it('keeps its runs, which can be dispatched no more, and takes no new one', async () => {
    const core = fresh();
    const pending = core.claimExecution('s');
    const attached = core.claimExecution('s');
    attached.attach(run('s', 'attached'), nothing);
    const { claim, generation: old } = running(core, 's', 'reserved');
    const maker = core.claimExecution('s');
    const generation = core.createGeneration(maker, undefined, {}, {});
    maker.release();
    expect([old.isCurrent, old.phase, generation.isCurrent]).toEqual([false, 'active', true]);
    expect(claim.canDispatch()).toBe(false);
    expect(await refusalOf(() => attached.reserve(old))).toMatchObject({
      code: 'ERR_GENERATION_STALE',
      message: `Backend generation ${old.id} no longer owns activation for session s`,
    });
    // Each of them can end, or go on with the new one.
    claim.settle({ ok: false, error: new Error('its backend was replaced') });
    claim.leaveGeneration();
    attached.reserve(generation);
    pending.attach(run('s', 'pending'), nothing);
    pending.reserve(generation);
    expect([claim.phase, attached.canDispatch(), pending.canDispatch()]).toEqual([
      'failed',
      true,
      true,
    ]);
    await old.dispose(async () => {});
    expect([old.phase, core.generations('s')]).toEqual(['terminated', [generation]]);
    // The old one’s stop reaches nothing any more, and above all not the new one.
    let interrupted = 0;
    await old.stop(async () => void (interrupted += 1));
    expect([interrupted, generation.phase, attached.canDispatch()]).toEqual([1, 'active', true]);
  });

  it('ends all of its runs when its core ends', () => {
    const core = fresh();
    const claims = [
      core.claimExecution('s'),
      running(core, 's', 'a').claim,
      running(core, 's', 'b').claim,
    ];
    core.close();
    expect(claims.map(({ phase }) => phase)).toEqual(['failed', 'failed', 'failed']);
  });
});
