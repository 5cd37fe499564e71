// Backends of a session: their generations, activation, stop, disposal and invalidation.
import { describe, expect, test } from 'vitest';
import {
  NOTHING,
  OK,
  attach,
  failedWith,
  gate,
  macrotask,
  microtasks,
  newCore,
  refusal,
  rejection,
  startTurn,
} from './contract-kit.ts';
import type { BackendGeneration, CoreError, Outcome } from '../index.js';

/** What a promise rejects with. */
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'fulfilled',
    (error: unknown) => error,
  );

describe('a new generation', () => {
  test('has the next id, keeps its values, and is the current one of its route', () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    const [backend, header] = [{ name: 'b' }, { title: 'h' }];
    const made = core.createGeneration(claim, undefined, backend, header);
    const child = core.createGeneration(core.claimExecution('other'), 'kid', {}, {});
    expect([made.id, child.id]).toEqual([1, 2]);
    expect([made.sessionId, made.route, child.route]).toEqual(['chat', undefined, 'kid']);
    expect([made.backend, made.cachedHeader]).toEqual([backend, header]);
    expect(made.backend).toBe(backend);
    expect([made.phase, made.isCurrent, made.activeRuns.size]).toEqual(['active', true, 0]);
    const next = { title: 'renamed' };
    made.cachedHeader = next;
    expect(core.currentGeneration('chat')!.cachedHeader).toBe(next);
    expect(core.currentGeneration('other')).toBeUndefined();
    expect(core.currentGeneration('other', 'kid')).toBe(child);
  });

  test('takes the route over from the one before', () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    const [old, young] = [1, 2].map(() => core.createGeneration(claim, undefined, {}, {}));
    expect([old!.isCurrent, young!.isCurrent]).toEqual([false, true]);
    expect(core.generations('chat')).toEqual([old, young]);
    const run = attach(core, 'r1');
    const error = refusal('ERR_GENERATION_STALE', () => run.reserve(old!));
    expect(error.message).toBe('Backend generation 1 no longer owns activation for session chat');
    run.reserve(young!);
  });

  test('is refused to the claim of another core', () => {
    const claim = newCore().claimExecution('chat');
    const core = newCore();
    refusal('ERR_CLAIM_FOREIGN', () => core.createGeneration(claim, undefined, {}, {}));
    expect(core.stats()).toEqual(NOTHING);
  });
});

describe('activation', () => {
  test('that a stop cuts short ends, for each who joined with a claim, in the cancellation of that claim', async () => {
    const core = newCore();
    const [builder, joiner] = [core.claimExecution('chat'), core.claimExecution('chat')];
    const held = gate();
    const build = async (): Promise<BackendGeneration> => {
      await held.promise;
      throw builder.cancellation;
    };
    const asked = [
      core.activate('chat', undefined, build, builder),
      core.activate('chat', undefined, build),
      core.activate('chat', undefined, build, joiner),
    ];
    const errors = asked.map(failureOf);
    const stopped = core.stopSession('chat', {}, async () => {});
    // This one came after the stop: it was not captured, and hears what became of the build.
    await stopped;
    const late = core.claimExecution('chat');
    errors.push(failureOf(core.activate('chat', undefined, build, late)));
    held.open();
    const [own, joined, cut, other] = await Promise.all(errors);
    expect([own, joined, other].map((error) => error === builder.cancellation)).toEqual([
      true,
      true,
      true,
    ]);
    expect(cut).toBe(joiner.cancellation);
    expect(cut).not.toBe(builder.cancellation);
  });

  test('that fails by itself fails alike for all, with a claim or without', async () => {
    const core = newCore();
    const [builder, joiner] = [core.claimExecution('chat'), core.claimExecution('chat')];
    const failure = new Error('no backend');
    const build = async (): Promise<BackendGeneration> => Promise.reject(failure);
    const asked = [builder, joiner].map((claim) => core.activate('chat', undefined, build, claim));
    expect(await Promise.all(asked.map(failureOf))).toEqual([failure, failure]);
  });

  test('is refused with the claim of another core or session, and builds nothing', async () => {
    const core = newCore();
    let built = 0;
    const build = async (): Promise<BackendGeneration> => Promise.reject((built += 1));
    for (const claim of [newCore().claimExecution('chat'), core.claimExecution('other')]) {
      await rejection('ERR_CLAIM_FOREIGN', core.activate('chat', undefined, build, claim));
    }
    await rejection('ERR_INVALID_ARG_TYPE', core.activate('chat', undefined, build, {} as never));
    expect(built).toBe(0);
  });

  test('builds once per route, however many ask, and never again once there is a current one', async () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    const held = gate();
    let built = 0;
    const build = async (): Promise<BackendGeneration> => {
      built += 1;
      await held.promise;
      return core.createGeneration(claim, undefined, {}, {});
    };
    const first = core.activate('chat', undefined, build);
    expect(built).toBe(1);
    const second = core.activate('chat', undefined, build);
    expect(second).toBe(first);
    held.open();
    const made = await first;
    expect(await core.activate('chat', undefined, build)).toBe(made);
    expect(built).toBe(1);
  });

  test('that fails, fails alike for all who asked, and leaves the route free', async () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    const cause = new Error('no key');
    const first = core.activate('chat', undefined, () => {
      throw cause;
    });
    const second = core.activate('chat', undefined, async () => expect.unreachable());
    await expect(first).rejects.toBe(cause);
    await expect(second).rejects.toBe(cause);
    const made = await core.activate('chat', undefined, async () =>
      core.createGeneration(claim, undefined, {}, {}),
    );
    expect(made.isCurrent).toBe(true);
  });

  test('rejects wrong arguments', async () => {
    const core = newCore();
    const build = async (): Promise<BackendGeneration> => expect.unreachable();
    await rejection('ERR_INVALID_ARG_TYPE', core.activate('', undefined, build));
    await rejection('ERR_INVALID_ARG_TYPE', core.activate('chat', 7 as never, build));
    await rejection('ERR_INVALID_ARG_TYPE', core.activate('chat', undefined, {} as never));
  });
});

describe('the stop of a generation', () => {
  test('begins in a microtask, is single flight, and can be repeated once it has ended', async () => {
    const core = newCore();
    const { generation } = await startTurn(core, 'r1');
    const held = gate();
    let calls = 0;
    const task = (): Promise<void> => {
      calls += 1;
      return held.promise;
    };
    const first = generation.stop(task);
    expect([calls, generation.phase]).toEqual([0, 'stopping']);
    expect(generation.stop(task)).toBe(first);
    await microtasks();
    expect(calls).toBe(1);
    held.open();
    await first;
    await generation.stop(task);
    expect(calls).toBe(2);
  });

  test('that fails has failed for good, with that very error', async () => {
    const core = newCore();
    const { generation } = await startTurn(core, 'r1');
    const cause = new Error('hangs');
    await expect(generation.stop(() => Promise.reject(cause))).rejects.toBe(cause);
    await expect(generation.stop(async () => expect.unreachable())).rejects.toBe(cause);
    expect(generation.phase).toBe('stopping');
  });

  test('keeps new runs off, and is over once nothing holds the generation', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const waiting = attach(core, 'r2');
    const { generation } = running;
    await generation.stop(async () => {});
    const error = refusal('ERR_GENERATION_STOPPING', () => waiting.activationBlocker());
    expect(error.message).toBe('Backend generation 1 is stopping for session chat');
    refusal('ERR_GENERATION_STALE', () => waiting.reserve(generation));
    expect(running.canDispatch()).toBe(false);
    generation.reconcile();
    expect(generation.phase).toBe('stopping');
    running.leaveGeneration();
    expect(generation.reconcile()).toBeUndefined();
    expect(generation.phase).toBe('active');
    expect(waiting.activationBlocker()).toBeUndefined();
  });
});

describe('the disposal of a generation', () => {
  test('begins at once, is single flight, and terminates what nothing holds', async () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    const generation = core.createGeneration(claim, undefined, {}, {});
    expect(generation.disposal).toBeUndefined();
    const held = gate();
    let calls = 0;
    const task = (): Promise<void> => {
      calls += 1;
      return held.promise;
    };
    const first = generation.dispose(task);
    expect([calls, generation.phase]).toEqual([1, 'disposing']);
    expect(generation.dispose(task)).toBe(first);
    expect(generation.disposal).toBe(first);
    expect(claim.activationBlocker()).toBe(first);
    expect(generation.reconcile()).toBe(first);
    const phase = first.then(() => generation.phase);
    held.open();
    expect(await first).toEqual(OK);
    expect(await phase).toBe('terminated');
    expect(generation.isCurrent).toBe(false);
    expect(core.generations('chat')).toEqual([]);
    expect(await generation.dispose(async () => expect.unreachable())).toEqual(OK);
  });

  test('waits for the last run to leave', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const next = core.claimExecution('chat');
    const { generation } = running;
    const disposal = generation.dispose(async () => {});
    expect(await disposal).toEqual(OK);
    expect(generation.phase).toBe('disposing');
    const error = refusal('ERR_GENERATION_QUARANTINED', () => next.activationBlocker());
    expect(error.message).toBe('Backend generation 1 is quarantined for session chat');
    running.leaveGeneration();
    expect(next.activationBlocker()).toBeUndefined();
    expect(generation.phase).toBe('terminated');
    next.release();
    expect(core.stats()).toEqual(NOTHING);
  });

  test('that fails leaves the generation failed for good, and in the way', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const next = core.claimExecution('chat');
    const { generation } = running;
    const cause = new Error('zombie');
    const task = (): Promise<void> => {
      throw cause;
    };
    expect(await generation.dispose(task)).toEqual(failedWith(cause));
    expect(generation.phase).toBe('failed');
    const { failure } = generation;
    expect(failure).toMatchObject({ code: 'ERR_GENERATION_FAILED', cause });
    expect(failure!.message).toBe(
      'Backend generation 1 is permanently quarantined after disposal failed',
    );
    expect(generation.failure).toBe(failure);
    expect(refusal('ERR_GENERATION_FAILED', () => next.activationBlocker())).toBe(failure);
    running.leaveGeneration();
    expect(generation.reconcile()).toBeUndefined();
    expect(generation.phase).toBe('failed');
  });

  test('may ask for itself again from inside', async () => {
    const core = newCore();
    const generation = core.createGeneration(core.claimExecution('chat'), undefined, {}, {});
    let inner: Promise<Outcome> | undefined;
    const outer = generation.dispose(async () => {
      inner = generation.dispose(async () => expect.unreachable());
    });
    expect(inner).toBe(outer);
    expect(await outer).toEqual(OK);
  });
});

test('what is in the way is judged in the order in which the generations were made', async () => {
  const core = newCore();
  const claim = core.claimExecution('chat');
  const [first, second, third] = ['a', 'b', 'c'].map((route) =>
    core.createGeneration(claim, route, {}, {}),
  );
  const held = gate();
  const disposal = second!.dispose(() => held.promise);
  void third!.stop(async () => {});
  expect(claim.activationBlocker()).toBe(disposal);
  void first!.stop(async () => {});
  const error = refusal('ERR_GENERATION_STOPPING', () => claim.activationBlocker());
  expect(error.message).toContain('generation 1');
  held.open();
  await disposal;
});

describe('an invalidation', () => {
  test('is one per session until it is lifted, and due once nothing runs', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const claim = core.claimExecution('chat');
    const invalidation = core.invalidate('chat');
    expect(core.invalidate('chat')).toBe(invalidation);
    expect(core.invalidation('chat')).toBe(invalidation);
    expect(core.dueInvalidation('chat')).toBeUndefined();
    const error = refusal('ERR_GENERATION_QUARANTINED', () => claim.activationBlocker());
    expect(error.message).toBe('Backend generation is quarantined for session chat');
    running.leaveGeneration();
    expect(core.dueInvalidation('chat')).toBe(invalidation);
    expect(claim.activationBlocker()).toBeUndefined();
  });

  test('is disposed of once, with the generations of its session, and lifted before anybody knows', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const invalidation = core.invalidate('chat');
    core.storeCheckpoint('chat', { at: 1 });
    const held = gate<Outcome>();
    const given: BackendGeneration[][] = [];
    const outcome = invalidation.dispose((generations) => {
      given.push(generations);
      return held.promise;
    });
    expect(given).toEqual([[running.generation]]);
    expect(invalidation.dispose(async () => expect.unreachable())).toBe(outcome);
    expect(invalidation.outcome).toBe(outcome);
    expect(await core.loadCheckpoint('chat', async () => ({ at: 2 }))).toEqual({ at: 2 });
    const found = outcome.then(() => core.invalidation('chat'));
    held.open(OK);
    expect(await outcome).toEqual(OK);
    expect(await found).toBeUndefined();
  });

  test('that fails stays for good', async () => {
    const core = newCore();
    const invalidation = core.invalidate('chat');
    const cause = new Error('socket');
    expect(await invalidation.dispose(async () => failedWith(cause))).toEqual(failedWith(cause));
    expect(invalidation.failure).toMatchObject({ code: 'ERR_INVALIDATION_FAILED', cause });
    expect((invalidation.failure as CoreError).message).toBe(
      'Backend invalidation is permanently quarantined for session chat',
    );
    expect(core.invalidate('chat')).toBe(invalidation);
    expect(core.cachedSessions()).toEqual(['chat']);
    await macrotask();
    expect(core.stats().sessions).toBe(1);
  });

  test('counts as cached, as a generation does, whatever else is looked up', async () => {
    const core = newCore();
    await startTurn(core, 'r1', { session: 'with a backend' });
    core.invalidate('invalid');
    core.claimExecution('neither');
    const sessions = ['with a backend', 'invalid', 'neither', 'unknown'];
    for (const session of [...sessions, ...sessions]) {
      core.hasActiveRuns(session);
      core.generations(session);
      core.invalidation(session);
      core.requests(session);
    }
    expect(core.cachedSessions().sort()).toEqual(['invalid', 'with a backend']);
    expect(core.stats().sessions).toBe(3);
  });
});
