// What was never there, and what was there before.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RuntimeCore } from '../index.js';
import { answerOf, macrotask, makeCore, refusalOf, run, running } from './fixtures/boundary/kit.js';

const nothing = () => {};
const EMPTY = { sessions: 0, admissions: 0 };

function fresh(): RuntimeCore {
  const core = makeCore();
  onTestFinished(() => core.close());
  return core;
}

describe('what was never there', () => {
  it('is not found, and no look-up makes it', () => {
    const core = fresh();
    running(core, 's', 'a');
    expect(core.hasActiveRun('s', 'run-b')).toBe(false);
    expect(core.hasActiveRun('s', 'run-a', 'turn-b')).toBe(false);
    expect(core.runForTurn('s', undefined, 'turn-b')).toBeUndefined();
    expect(core.activeRun('unknown', undefined, 'run-a')).toBeUndefined();
    expect(core.activeTurnIds('s')).toEqual(['turn-a']);
    for (const id of ['unknown', 'unknown too']) {
      expect([core.currentGeneration(id), core.generations(id), core.requests(id)]).toEqual([
        undefined,
        [],
        [],
      ]);
      expect([core.request(id, 'q'), core.invalidation(id), core.dueInvalidation(id)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect([core.steer(id, 'x'), core.queueMessage(id, 'x'), core.drainFollowup(id)]).toEqual([
        false,
        false,
        [],
      ]);
    }
    expect([core.stats().sessions, core.cachedSessions()]).toEqual([1, ['s']]);
  });

  it('a second turn beside one that runs sees that it is not alone, and its id is never taken over', async () => {
    const core = fresh();
    const { claim, generation } = running(core, 's', 'a');
    const second = core.claimExecution('s');
    expect([claim.isExclusive(), second.isExclusive()]).toEqual([false, false]);
    second.attach(run('s', 'a'), nothing);
    expect(await refusalOf(() => second.reserve(generation))).toMatchObject({
      code: 'ERR_RUN_RESERVED',
      message: `Backend generation ${generation.id} already reserved this Run identity`,
    });
    expect(core.runForTurn('s', undefined, 'turn-a')).toBe(claim.run);
    second.release();
    expect([second.phase, generation.activeRuns.size]).toEqual(['released', 1]);
  });

  it('a session that nobody runs in can be stopped: the attempt is told that nothing was there', async () => {
    const core = fresh();
    const found: unknown[] = [];
    await core.stopSession('unknown', {}, async (stop) => {
      found.push(stop.activeClaims(), await stop.drained(), stop.operation);
    });
    expect([found, core.stats()]).toEqual([[[], [], undefined], EMPTY]);
  });
});

describe('a continuation', () => {
  it('is started once; who asks again is told who does, and the session is not hurt', async () => {
    const core = fresh();
    const reserve = (operationId: string) =>
      core.operations.reserve({
        operationId,
        ownerId: 'w',
        sessionId: 's',
        exclusivityKeys: ['continue:1'],
      });
    const lease = reserve('first');
    const twice = await answerOf(() => reserve('second'));
    expect(twice.value).toMatchObject({
      code: 'ERR_OPERATION_BUSY',
      key: 'continue:1',
      registration: { operationId: 'first', ownerId: 'w', sessionId: 's' },
    });
    const claim = core.claimExecution('s');
    claim.attach(run('s', 'a'), nothing);
    let commits = 0;
    const commit = async () => ({ start: (commits += 1) });
    await claim.commitStart(commit);
    expect(await refusalOf(() => claim.commitStart(commit))).toMatchObject({
      code: 'ERR_CLAIM_START',
    });
    expect(claim.takeStart()).toEqual({ start: 1 });
    expect(await refusalOf(() => claim.takeStart())).toMatchObject({ code: 'ERR_CLAIM_START' });
    claim.release();
    lease.release();
    expect(commits).toBe(1);
    reserve('third').release();
    core.claimExecution('s').release();
    await macrotask();
    expect(core.stats()).toEqual(EMPTY);
  });
});
