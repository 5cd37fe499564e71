// Cores of one scope are its members: what they share, what crosses, and what stays when one ends.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { ApplicationOperationService, RuntimeCore } from '../index.js';
import type { ScopedCoreOptions, StopAttempt, StopOperation } from '../index.js';
import {
  NOTHING,
  attach,
  closeMembers,
  deliveries,
  endTurn,
  failedWith,
  gate,
  microtasks,
  newMembers,
  pay,
  refusal,
  rejection,
  runOf,
  startTurn,
  watch,
} from './contract-kit.ts';
import type { DrawingCore } from './contract-kit.ts';

afterEach(closeMembers);

type Options = Partial<ScopedCoreOptions>;

function pair(one: Options = {}, two: Options = {}): [RuntimeCore, RuntimeCore] {
  return newMembers(one, two).map((each) => each.core) as [RuntimeCore, RuntimeCore];
}

const drawingPair = (one: Options = {}, two: Options = {}): [DrawingCore, DrawingCore] =>
  newMembers(one, two) as [DrawingCore, DrawingCore];

describe('members share', () => {
  test('the live claims of a session, and their handles not', () => {
    const [a, b] = pair();
    const mine = a.claimExecution('chat');
    const theirs = b.claimExecution('chat');
    expect([mine.isExclusive(), theirs.isExclusive()]).toEqual([false, false]);
    refusal('ERR_CLAIM_FOREIGN', () => b.claimExecution('chat', mine));
    refusal('ERR_CLAIM_FOREIGN', () => b.createGeneration(mine, undefined, {}, {}));
    theirs.release();
    expect(mine.isExclusive()).toBe(true);
    mine.release();
    expect([a.stats(), b.stats()]).toEqual([NOTHING, NOTHING]);
  });

  test('running turns and generation ids; what is looked up is their own', async () => {
    const [a, b] = pair();
    const one = await startTurn(a, 'r1', { route: 'x' });
    const two = await startTurn(b, 'r2', { route: 'y' });
    one.openRequest('q', { of: 'a' });
    const other = two.openRequest('q', { of: 'b' });
    expect([one.generation.id, two.generation.id]).toEqual([1, 2]);
    for (const core of [a, b]) {
      expect(core.activeTurnIds('chat')).toEqual(['turn of r1', 'turn of r2']);
      expect(core.hasActiveRun('chat', 'r1')).toBe(true);
    }
    expect(b.runForTurn('chat', 'x', 'turn of r1')).toBeUndefined();
    expect(b.generations('chat')).toEqual([two.generation]);
    expect(b.requests('chat')).toEqual([other]);
    a.invalidate('chat');
    expect([b.invalidation('chat'), a.dueInvalidation('chat')]).toEqual([undefined, undefined]);
    one.leaveGeneration();
    two.leaveGeneration();
    expect(a.dueInvalidation('chat')).toBe(a.invalidation('chat'));
  });

  test('mutations: a queue over all of them, whose turns come as macrotasks', async () => {
    const [a, b] = pair();
    const held = gate();
    const first = a.mutateSessions(['chat', 'other'], () => held.promise);
    let ran = false;
    const second = b.mutateSessions(['other'], () => void (ran = true));
    const claim = b.claimExecution('chat');
    const entered = watch(claim.enter());
    refusal('ERR_CLAIM_PHASE', () => claim.attach(runOf('r1'), () => {}));
    const quiescent = { quiescent: true };
    await rejection(
      'ERR_SESSION_BUSY',
      a.mutateSessions(['chat'], () => {}, quiescent),
    );
    held.open();
    await first;
    await microtasks();
    expect([ran, entered.state]).toEqual([false, 'pending']);
    await second;
    await deliveries();
    expect([ran, entered.state]).toEqual([true, 'resolved']);
  });

  test('the queue of a session: texts from anywhere, leases where the turn lives', async () => {
    const [a, b] = pair();
    const seen: string[][] = [];
    const turn = a.openSteeringTurn('chat', 't1', ({ steering }) => seen.push(steering));
    expect(b.steer('chat', 'from b')).toBe(true);
    a.steer('chat', 'from a');
    expect(seen).toEqual([['from b', 'from a']]);
    await deliveries();
    expect(seen.at(-1)).toEqual(['from b', 'from a']);
    expect(turn.pull().map((each) => each.id)).toEqual(['b-1', 'a-1']);
    const other = b.openSteeringTurn('chat', 't2', () => {});
    turn.nack(['b-1']);
    other.release();
    expect(a.drainFollowup('chat')).toEqual(['from b']);
  });

  test('one registry of operations, with every service of that name', () => {
    const scope = `registry ${randomUUID()}`;
    const core = new RuntimeCore({ scope, newId: () => 'i', now: () => 1 });
    const service = new ApplicationOperationService({ scope });
    const request = { operationId: 'o', ownerId: 'w', exclusivityKeys: ['k'] };
    const lease = core.operations.reserve(request);
    refusal('ERR_OPERATION_BUSY', () => service.reserve(request));
    expect(service.get('o')).toEqual(lease.registration);
    core.close();
    expect(service.get('o')).toBeNull();
    service.close();
  });

  test('nothing with cores of another scope or of none', () => {
    const [a] = pair();
    const [other] = pair();
    const claim = a.claimExecution('chat');
    expect(other.claimExecution('chat').isExclusive()).toBe(true);
    expect(claim.isExclusive()).toBe(true);
    expect(a.stats().sessions).toBe(1);
  });
});

describe('a stop crosses', () => {
  test('as one macrotask: the runs are told, signals abort, and the member takes its part', async () => {
    const log: string[] = [];
    const held = gate();
    const onForeignStop = (stop: StopAttempt): Promise<void> => {
      log.push(`part with ${stop.activeClaims().length} runs, by ${JSON.stringify(stop.input)}`);
      return held.promise;
    };
    const [a, b] = pair({}, { onForeignStop });
    await startTurn(b, 'running');
    const claim = b.claimExecution('chat');
    claim.attach(runOf('r1'), () => log.push('told'));
    claim.stopSignal.addEventListener('abort', () => log.push('aborted'));
    const input = { by: 'a', none: undefined };
    const stopped = watch(a.stopSession('chat', input, async () => {}));
    expect([claim.isStopRequested(), claim.stopSignal.aborted]).toEqual([true, false]);
    refusal('ERR_SESSION_STOPPING', () => b.claimExecution('chat'));
    await microtasks();
    expect(log).toEqual([]);
    await deliveries();
    expect(log).toEqual(['told', 'aborted', 'part with 1 runs, by {"by":"a"}']);
    expect(stopped.state).toBe('pending');
    held.open();
    await deliveries();
    expect(stopped.state).toBe('resolved');
    a.claimExecution('chat').release();
  });

  test('and drains the claims of all, then the parts; errors cross as copies', async () => {
    const own: unknown[] = [];
    const onForeignStop = async (stop: StopAttempt): Promise<void> => {
      own.push(...(await stop.drained()));
      throw Object.assign(new RangeError('part', { cause: new Error('why') }), { code: 'E' });
    };
    const [a, b] = pair({}, { onForeignStop });
    const claim = attach(b, 'r1');
    let errors: unknown[] = [];
    const stopped = a.stopSession('chat', {}, async (stop) => {
      errors = await stop.drained();
    });
    await deliveries();
    const cause = new Error('of the claim');
    claim.finalize(failedWith(cause));
    await stopped;
    expect(own[0]).toBe(cause);
    expect(errors[0]).not.toBe(cause);
    expect(errors).toMatchObject([
      { message: 'of the claim' },
      { name: 'RangeError', message: 'part', code: 'E', cause: { message: 'why' } },
    ]);
  });

  test('with what a claim recorded before it, and with what it does before it is told', async () => {
    const seen: unknown[][] = [];
    const onForeignStop = async (stop: StopAttempt): Promise<void> => {
      seen.push(await stop.drained());
    };
    const [a, b] = pair({}, { onForeignStop });
    const [early, late] = [attach(b, 'r1'), b.claimExecution('chat')];
    const told: string[] = [];
    late.attach(runOf('r2'), () => told.push('told'));
    const [first, second] = [new Error('before'), new Error('between')];
    early.finalize(failedWith(first));
    let errors: unknown[] = [];
    const stopped = a.stopSession('chat', {}, async (stop) => {
      late.finalize(failedWith(second));
      early.release();
      errors = await stop.drained();
    });
    await stopped;
    expect(errors).toMatchObject([{ message: 'before' }, { message: 'between' }]);
    expect(seen).toEqual([[first, second]]);
    expect(seen[0]![1]).toBe(second);
    expect([told, late.stopSignal.aborted]).toEqual([['told'], true]);
  });

  test('and is one attempt, whoever else stops; each member has one promise for it', async () => {
    const [a, b] = pair();
    b.claimExecution('chat');
    const held = gate();
    const stopped = a.stopSession('chat', {}, () => held.promise);
    const joined = b.stopSession('chat', {}, () => expect.unreachable());
    expect(b.stopSession('chat', {}, () => expect.unreachable())).toBe(joined);
    expect(joined).not.toBe(stopped);
    const cause = new TypeError('refused');
    held.fail(cause);
    await expect(stopped).rejects.toBe(cause);
    const error = await joined.catch((reason: unknown) => reason);
    expect(error).not.toBe(cause);
    expect(error).toMatchObject({ name: 'TypeError', message: 'refused' });
  });

  test('to running turns that nobody stops there as an error, and to mere claims not', async () => {
    const [a, b] = pair();
    const claim = b.claimExecution('chat');
    const errors: unknown[][] = [];
    const drain = async (stop: StopAttempt): Promise<void> =>
      void errors.push(await stop.drained());
    const first = a.stopSession('chat', {}, drain);
    await deliveries();
    claim.release();
    await first;
    await startTurn(b, 'r1');
    await a.stopSession('chat', {}, drain);
    expect(errors).toMatchObject([[], [{ code: 'ERR_GENERATION_FOREIGN' }]]);
  });

  test('only with an input that JSON can carry', async () => {
    const [a, b] = pair();
    const claim = b.claimExecution('chat');
    const refused = a.stopSession('chat', { big: 1n }, () => expect.unreachable());
    await expect(refused).rejects.toBeInstanceOf(TypeError);
    expect(claim.isStopRequested()).toBe(false);
    claim.release();
    await a.stopSession('chat', { big: 1n }, async () => {});
  });

  test('and leaves an operation with each; the first one opened owes status and note', async () => {
    let theirs: StopOperation | undefined;
    const onForeignStop = async (stop: StopAttempt): Promise<void> => {
      theirs = stop.retain(stop.activeClaims()[0]!, { lineage: {} });
    };
    const [a, b] = drawingPair({}, { onForeignStop });
    const one = await startTurn(a.core, 'r1', { route: 'x' });
    const two = await startTurn(b.core, 'r2', { route: 'y' });
    let own: StopOperation | undefined;
    await a.core.stopSession('chat', {}, async (stop) => {
      own = stop.retain(one);
    });
    expect([a.drawn, b.drawn]).toEqual([
      ['now', 'a-1'],
      ['now', 'b-1'],
    ]);
    expect([one.stopOperation, two.stopOperation]).toEqual([own, theirs]);
    const probe = a.core.claimExecution('elsewhere');
    expect(pay(theirs!)).toEqual(['turn']);
    expect(theirs!.complete(theirs!.members())).toBe(true);
    const claim = b.core.claimExecution('chat');
    refusal('ERR_SESSION_QUARANTINED', () => claim.activationBlocker());
    expect(pay(own!)).toEqual(['status', 'note']);
    expect(own!.complete(own!.members())).toBe(true);
    refusal('ERR_GENERATION_FOREIGN', () => claim.activationBlocker());
    probe.release();
  });

  test('and the next operation owes status and note when the first was lost unpaid', async () => {
    const held = gate();
    const [a, b] = drawingPair({}, { onForeignStop: () => held.promise });
    const one = await startTurn(a.core, 'r1', { route: 'x' });
    const two = await startTurn(b.core, 'r2', { route: 'y' });
    const stops: StopAttempt[] = [];
    const pending = attach(b.core, 'r3');
    void a.core.stopSession('chat', {}, async (stop) => {
      stop.retain(one);
      await stop.drained();
    });
    stops.push(pending.reserve(two.generation)!);
    a.core.close();
    const operation = stops[0]!.retain(two);
    expect(pay(operation)).toEqual(['status', 'note']);
    held.open();
  });
});

describe('the backend of a route', () => {
  test('has one home, and is foreign elsewhere until it is disposed of there', async () => {
    const [a, b] = pair();
    const running = await startTurn(a, 'r1');
    const claim = attach(b, 'r2');
    const error = refusal('ERR_GENERATION_FOREIGN', () => claim.activationBlocker());
    expect(error.message).toContain('chat');
    const foreign = b.activate('chat', undefined, () => expect.unreachable());
    await rejection('ERR_GENERATION_FOREIGN', foreign);
    const second = b.createGeneration(claim, undefined, {}, {});
    expect([second.isCurrent, running.generation.isCurrent]).toEqual([false, true]);
    refusal('ERR_GENERATION_STALE', () => claim.reserve(second));
    await second.dispose(async () => {});
    await endTurn(running);
    expect(claim.activationBlocker()).toBeUndefined();
    const made = await b.activate('chat', undefined, async () =>
      b.createGeneration(claim, undefined, {}, {}),
    );
    expect([made.id, made.isCurrent]).toEqual([3, true]);
  });

  test('that is not current blocks others by its phase', async () => {
    const [a, b] = pair();
    const claim = a.claimExecution('chat');
    await a.stopSession('chat', {}, async () => {});
    const [stopping, failing] = [1, 2].map(() => a.createGeneration(claim, undefined, {}, {}));
    const probe = b.claimExecution('chat');
    expect(probe.activationBlocker()).toBeUndefined();
    const cause = new Error('leak');
    await failing!.dispose(() => Promise.reject(cause));
    const error = refusal('ERR_GENERATION_FAILED', () => probe.activationBlocker());
    expect(error).not.toBe(failing!.failure);
    expect((error as Error).cause).toMatchObject({ message: 'leak' });
    void stopping!.stop(() => new Promise(() => {}));
    refusal('ERR_GENERATION_STOPPING', () => probe.activationBlocker());
  });
});
