// The right to run once in a session: its phases, and the record it keeps of its run.
import { describe, expect, test } from 'vitest';
import {
  DISPOSE,
  NOTHING,
  OK,
  attach,
  endTurn,
  failedWith,
  newCore,
  refusal,
  runOf,
  startTurn,
} from './contract-kit.ts';

describe('a claim', () => {
  test('goes from pending to released with a run that is dispatched, and leaves nothing behind', async () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    expect(claim.phase).toBe('pending');
    const run = runOf('r1');
    claim.attach(run, () => {});
    expect(claim.phase).toBe('attached');
    expect(claim.run).toBe(run);
    const generation = core.createGeneration(claim, undefined, {}, {});
    expect(claim.reserve(generation)).toBeUndefined();
    expect(claim.phase).toBe('reserved');
    expect(claim.generation).toBe(generation);
    expect(claim.canDispatch()).toBe(true);
    claim.settle(OK);
    expect(claim.phase).toBe('released');
    expect(claim.canDispatch()).toBe(true);
    await endTurn(claim);
    expect(claim.canDispatch()).toBe(false);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('ends as failed when its reserved run could not be begun', async () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    claim.reserve(core.createGeneration(claim, undefined, {}, {}));
    claim.settle(failedWith(new Error('no begin')));
    expect(claim.phase).toBe('failed');
    expect(core.hasActiveRun('chat', 'r1')).toBe(true);
    claim.settle(failedWith('ignored once failed'));
    refusal('ERR_CLAIM_PHASE', () => claim.settle(OK));
    await endTurn(claim);
  });

  test('ends as released when it is given up, before and after it has a run', () => {
    const core = newCore();
    const bare = core.claimExecution('chat');
    bare.release();
    bare.release();
    const attached = attach(core, 'r1');
    attached[DISPOSE]();
    expect([bare.phase, attached.phase]).toEqual(['released', 'released']);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('is not given up once it is reserved', async () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    claim.reserve(core.createGeneration(claim, undefined, {}, {}));
    claim.release();
    expect(claim.phase).toBe('reserved');
    claim.settle(OK);
    await endTurn(claim);
  });

  test('ignores a failure while it is attached: it ends otherwise', () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    claim.settle(failedWith('early'));
    expect(claim.phase).toBe('attached');
    claim.finalize(failedWith('late'));
    expect(claim.phase).toBe('attached');
    claim.release();
    expect(claim.phase).toBe('released');
  });

  test('has a run from attach on and a generation from reserve on, and says so before', () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    expect(refusal('ERR_CLAIM_PHASE', () => claim.run).message).toBe(
      'Execution claim has no attached Run in phase pending',
    );
    claim.attach(runOf('r1'), () => {});
    expect(refusal('ERR_CLAIM_PHASE', () => claim.generation).message).toBe(
      'Execution claim has no reserved generation in phase attached',
    );
  });

  test('is attached once', () => {
    const claim = attach(newCore(), 'r1');
    const error = refusal('ERR_CLAIM_PHASE', () => claim.attach(runOf('r2'), () => {}));
    expect(error.message).toBe('Execution claim cannot attach Run r2 from phase attached');
    expect(claim.run.runId).toBe('r1');
  });

  test('cannot settle what it has not reserved', () => {
    const claim = attach(newCore(), 'r1');
    const error = refusal('ERR_CLAIM_PHASE', () => claim.settle(OK));
    expect(error.message).toBe('Execution claim cannot settle reserved Run r1');
  });
});

describe('a pending claim that is handed back', () => {
  test('is that same claim', () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    expect(core.claimExecution('chat', claim)).toBe(claim);
  });

  test.each([
    ['of another session', (claim: object) => ['other', claim] as const],
    ['that is no claim', () => ['chat', { sessionId: 'chat', phase: 'pending' }] as const],
  ])('is refused when it is one %s', (_name, arrange) => {
    const core = newCore();
    const [session, given] = arrange(core.claimExecution('chat'));
    const error = refusal('ERR_CLAIM_FOREIGN', () => core.claimExecution(session, given));
    expect(error.message).toBe(
      `Execution claim does not own pending admission for session ${session}`,
    );
  });

  test('is refused by another core, and once it is pending no more', () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    refusal('ERR_CLAIM_FOREIGN', () => newCore().claimExecution('chat', claim));
    claim.attach(runOf('r1'), () => {});
    refusal('ERR_CLAIM_FOREIGN', () => core.claimExecution('chat', claim));
    claim.release();
    refusal('ERR_CLAIM_FOREIGN', () => core.claimExecution('chat', claim));
  });
});

describe('exclusivity', () => {
  test('is lost to another live claim and to an active run, and to those alone', async () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    core.claimExecution('elsewhere');
    expect(claim.isExclusive()).toBe(true);
    const rival = attach(core, 'rival');
    expect(claim.isExclusive()).toBe(false);
    rival.release();
    const running = await startTurn(core, 'r1');
    expect(claim.isExclusive()).toBe(false);
    running.leaveGeneration();
    expect(claim.isExclusive()).toBe(true);
  });
});

describe('runs', () => {
  test('are found by id on any generation, by turn and id on the current one of a route', async () => {
    const core = newCore();
    const parent = await startTurn(core, 'r1');
    const child = await startTurn(core, 'r2', { route: 'kid', turn: 'kid' });
    expect(core.hasActiveRun('chat', 'r2')).toBe(true);
    expect(core.hasActiveRun('chat', 'r2', 'kid')).toBe(true);
    expect(core.hasActiveRun('chat', 'r2', 'turn of r2')).toBe(false);
    expect(core.runForTurn('chat', undefined, 'turn of r1')).toBe(parent.run);
    expect(core.runForTurn('chat', 'kid', 'kid')).toBe(child.run);
    expect(core.runForTurn('chat', undefined, 'kid')).toBeUndefined();
    expect(core.activeRun('chat', 'kid', 'r2')).toBe(child.run);
    expect(core.activeRun('chat', undefined, 'r2')).toBeUndefined();
    child.leaveGeneration();
    expect(core.activeRun('chat', 'kid', 'r2')).toBeUndefined();
    expect(core.hasActiveRuns('chat')).toBe(true);
    parent.leaveGeneration();
    expect(core.hasActiveRuns('chat')).toBe(false);
  });

  test('name each active turn once, by generation and then by age', async () => {
    const core = newCore();
    await startTurn(core, 'r1', { route: 'kid', turn: 'k' });
    await startTurn(core, 'r2', { turn: 'a' });
    const again = await startTurn(core, 'r3', { route: 'twin', turn: 'a' });
    await startTurn(core, 'r4', { turn: 'b' });
    expect(core.activeTurnIds('chat')).toEqual(['k', 'a', 'b']);
    expect(core.activeTurnIds('silent')).toEqual([]);
    again.leaveGeneration();
    expect(core.activeTurnIds('chat')).toEqual(['k', 'a', 'b']);
  });

  test('are reserved on one generation under ids of their own', async () => {
    const core = newCore();
    const first = await startTurn(core, 'r1');
    for (const run of [runOf('r1', 'chat', 'free'), runOf('free', 'chat', 'turn of r1')]) {
      const twin = core.claimExecution('chat');
      twin.attach(run, () => {});
      const error = refusal('ERR_RUN_RESERVED', () => twin.reserve(first.generation));
      expect(error.message).toBe('Backend generation 1 already reserved this Run identity');
      expect(twin.phase).toBe('attached');
      twin.release();
    }
    first.leaveGeneration();
    const next = core.claimExecution('chat');
    next.attach(runOf('r1'), () => {});
    next.reserve(first.generation);
    expect(core.activeRun('chat', undefined, 'r1')).toBe(next.run);
  });

  test('leave once; what comes after them on the same ids stays', async () => {
    const core = newCore();
    const first = await startTurn(core, 'r1');
    first.leaveGeneration();
    const second = await startTurn(core, 'r1');
    first.leaveGeneration();
    expect(core.runForTurn('chat', undefined, 'turn of r1')).toBe(second.run);
  });
});

describe('an interaction', () => {
  test('is bound once, to the exact identity of the run, and let go exactly', () => {
    const claim = attach(newCore(), 'r1');
    const exact = runOf('r1');
    for (const wrong of ['sessionId', 'runId', 'turnId']) {
      const error = refusal('ERR_INTERACTION_IDENTITY', () =>
        claim.bindInteraction({ ...exact, [wrong]: 'another' }),
      );
      expect(error.message).toBe('Interaction Run identity or ownership mismatch');
    }
    claim.bindInteraction(exact);
    refusal('ERR_INTERACTION_IDENTITY', () => claim.bindInteraction(runOf('r1')));
    claim.unbindInteraction(runOf('r1'));
    expect(claim.interaction).toBe(exact);
    claim.unbindInteraction(exact);
    expect(claim.interaction).toBeUndefined();
  });

  test('is not bound to a claim without a run', () => {
    const claim = newCore().claimExecution('chat');
    refusal('ERR_INTERACTION_IDENTITY', () => claim.bindInteraction(runOf('r1')));
  });
});

test('session ids are compared as UTF-16, and the empty one is no id', () => {
  const core = newCore();
  const lone = core.claimExecution('\ud800');
  const other = core.claimExecution('\udbff');
  expect([lone.isExclusive(), other.isExclusive()]).toEqual([true, true]);
  expect(lone.sessionId).toBe('\ud800');
  for (const bad of ['', 7, undefined, null]) {
    expect(
      refusal('ERR_INVALID_ARG_TYPE', () => core.claimExecution(bad as string)),
    ).toBeInstanceOf(TypeError);
  }
  expect(core.stats().sessions).toBe(2);
});
