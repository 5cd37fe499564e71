// The caller's ids and clock, which may call the core again, throw, or give nonsense.
import { describe, expect, it, onTestFinished } from 'vitest';
import { RuntimeCore, type StopAttempt } from '../index.js';
import { OK, answerOf, refusalOf, running } from './fixtures/boundary/kit.js';

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
  core
    .openSteeringTurn('s', turnId, nothing)
    .pull()
    .map(({ content }) => content.text);

describe('newId, called by steer', () => {
  it('that throws: the error reaches the caller, and nothing is queued', async () => {
    const thrown = new Error('no id');
    const core = coreOf(() => {
      throw thrown;
    });
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
    expect(await refusalOf(() => core.steer('s', 'x'))).toMatchObject({
      how: 'threw',
      code: 'ERR_CLOSED',
    });
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
    const core = coreOf(
      () => (calls.push('newId'), `id-${calls.length}`),
      () => (calls.push('now'), 7),
    );
    const { claim, stop } = retaining(core);
    const operation = stop.retain(claim, { lineage: {} });
    expect(calls).toEqual(['now', 'newId', 'newId']);
    expect(stop.retain(claim, { lineage: {} })).toBe(operation);
    expect(stop.retain(claim)).toBe(operation);
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
    const core = coreOf(
      () => 'id',
      () => {
        const next = given.pop();
        if (next === thrown) throw thrown;
        return next;
      },
    );
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
    expect(await refusalOf(() => stop.retain(claim))).toMatchObject({
      how: 'threw',
      code: 'ERR_CLOSED',
    });
  });

  it('a newId that ends the run: ERR_CLAIM_PHASE, and nothing is retained', async () => {
    const core = coreOf(() => {
      claim.settle(OK);
      claim.leaveGeneration();
      void generation.dispose(async () => {});
      return 'id';
    });
    const { claim, stop, generation } = retaining(core);
    expect(await refusalOf(() => stop.retain(claim))).toMatchObject({
      how: 'threw',
      code: 'ERR_CLAIM_PHASE',
    });
    expect(stop.operation).toBeUndefined();
  });
});
