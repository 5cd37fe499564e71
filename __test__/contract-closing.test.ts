// The end of a member, and of a core of its own: what it takes with it, and who is told.
import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { RuntimeCore } from '../index.js';
import type { ScopedCoreOptions, StopOperation } from '../index.js';
import {
  DISPOSE,
  NOTHING,
  OK,
  attach,
  closeMembers,
  deliveries,
  gate,
  newCore,
  newMembers,
  pay,
  refusal,
  rejection,
  retain,
  runOf,
  startTurn,
  watch,
} from './contract-kit.ts';

afterEach(closeMembers);

type Options = Partial<ScopedCoreOptions>;

function pair(one: Options = {}, two: Options = {}): [RuntimeCore, RuntimeCore] {
  return newMembers(one, two).map((each) => each.core) as [RuntimeCore, RuntimeCore];
}

describe('a member that ends', () => {
  test('takes its claims, runs, generations, operation and registrations with it', async () => {
    const [a, b] = pair();
    const running = await startTurn(a, 'r1');
    await a.stopSession('chat', {}, async (stop) => void stop.retain(running));
    const claims = [a.claimExecution('chat'), attach(a, 'r2')];
    const request = { operationId: 'o', ownerId: 'w', exclusivityKeys: ['k'] };
    a.operations.reserve(request);
    const theirs = b.claimExecution('chat');
    refusal('ERR_SESSION_QUARANTINED', () => theirs.activationBlocker());
    a.close();
    a.close();
    expect(claims.map((each) => each.phase)).toEqual(['failed', 'failed']);
    expect([running.phase, running.run.runId]).toEqual(['released', 'r1']);
    expect(b.activeTurnIds('chat')).toEqual([]);
    expect(theirs.isExclusive()).toBe(true);
    expect(theirs.activationBlocker()).toBeUndefined();
    b.operations.reserve(request).release();
    theirs.release();
    expect(b.stats()).toEqual(NOTHING);
  });

  test('gives its leases to the followups, in front, and tells the owner', async () => {
    const [a, b] = pair();
    const gone = a.openSteeringTurn('chat', 't1', () => expect.unreachable());
    b.steer('chat', 'leased');
    gone.pull();
    const seen: unknown[] = [];
    const turn = b.openSteeringTurn('chat', 't2', (snapshot) => seen.push(snapshot));
    b.queueMessage('chat', 'next');
    seen.length = 0;
    a.close();
    expect(seen).toEqual([]);
    await deliveries();
    expect(seen).toEqual([{ turnId: 't2', steering: [], followup: ['leased', 'next'] }]);
    turn.release();
    expect(b.drainFollowup('chat')).toEqual(['leased', 'next']);
  });

  test('leaves the turns of others usable, also when it had taken their queue over', () => {
    const [a, b] = pair();
    const turn = b.openSteeringTurn('chat', 't1', () => {});
    a.openSteeringTurn('chat', 't2', () => {});
    a.close();
    expect(b.steer('chat', 'nobody')).toBe(false);
    expect(turn.pull()).toEqual([]);
    turn.ack(['unknown']);
    turn.release();
    expect(b.stats()).toEqual(NOTHING);
  });

  test('never runs what it had queued, and lets nobody overtake meanwhile', async () => {
    const [a, b] = pair();
    const log: string[] = [];
    const held = gate();
    const first = a.mutateSessions(['chat'], async () => {
      await held.promise;
      log.push('first');
    });
    const lost = b.mutateSessions(['chat'], () => void log.push('never'));
    const last = a.mutateSessions(['chat'], () => void log.push('last'));
    await deliveries();
    b.close();
    await rejection('ERR_CLOSED', lost);
    await deliveries();
    expect(log).toEqual([]);
    held.open();
    await Promise.all([first, last]);
    expect(log).toEqual(['first', 'last']);
  });

  test('does not keep a stop from ending, as a part or as the one that began it', async () => {
    const [a, b] = pair({}, { onForeignStop: () => new Promise(() => {}) });
    attach(b, 'r1');
    let errors: unknown[] = [];
    const stopped = a.stopSession('chat', {}, async (stop) => {
      errors = await stop.drained();
    });
    await deliveries();
    b.close();
    await stopped;
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject({ code: 'ERR_CLOSED' });
    const mine = watch(a.stopSession('chat', {}, () => new Promise(() => {})));
    a.close();
    await deliveries();
    expect(mine).toMatchObject({ state: 'rejected', value: { code: 'ERR_CLOSED' } });
  });

  test('tells whoever waits in it', async () => {
    const [a, b] = pair();
    const held = gate();
    const running = a.mutateSessions(['chat'], () => held.promise);
    const stopped = a.stopSession('other', {}, () => held.promise);
    const waiting = [
      b.claimExecution('chat').enter(),
      b.mutateSessions(['chat'], () => expect.unreachable()),
      b.stopSession('other', {}, () => expect.unreachable()),
    ];
    b.close();
    for (const each of waiting) await rejection('ERR_CLOSED', each);
    held.open();
    await Promise.all([running, stopped]);
  });

  test('is given nothing more, not even what was on its way', async () => {
    const never = (): never => expect.unreachable();
    const [a, b] = pair({}, { onForeignStop: never });
    const claim = b.claimExecution('chat');
    claim.attach(runOf('r1'), never);
    claim.stopSignal.addEventListener('abort', never);
    b.openSteeringTurn('chat', 't', never);
    a.steer('chat', 'x');
    const stopped = a.stopSession('chat', {}, async () => {});
    b.close();
    await stopped;
    await deliveries();
  });
});

describe('a closed core', () => {
  test('of its own never runs a mutation that was queued', async () => {
    const core = new RuntimeCore({ newId: () => 'i', now: () => 1 });
    const log: string[] = [];
    const held = gate();
    const first = core.mutateSessions(['chat'], () => held.promise.then(() => 'ended'));
    const second = core.mutateSessions(['chat'], () => void log.push('never'));
    await deliveries();
    core.close();
    await rejection('ERR_CLOSED', second);
    held.open();
    expect(await first).toBe('ended');
    await deliveries();
    expect(log).toEqual([]);
  });

  test('fails the claims that it had, whatever they had recorded', async () => {
    const core = new RuntimeCore({ newId: () => 'i', now: () => 1 });
    const claims = [attach(core, 'r1'), attach(core, 'r2'), core.claimExecution('chat')];
    claims[0]!.finalize(OK);
    claims[1]!.finalize({ ok: false, error: 'recorded' });
    let errors: unknown[] = [];
    void core.stopSession('chat', {}, async (stop) => {
      errors = await stop.drained();
    });
    core.close();
    await deliveries();
    expect(claims.map((each) => each.phase)).toEqual(['failed', 'failed', 'failed']);
    const closed = { code: 'ERR_CLOSED' };
    expect(errors).toMatchObject([closed, closed, closed]);
  });

  test('refuses every call, and takes the endings of its handles quietly', async () => {
    const core = new RuntimeCore({ newId: () => 'i', now: () => 1 });
    const [pending, attached] = [core.claimExecution('chat'), attach(core, 'r1')];
    const turns = ['t1', 't2'].map((id) => core.openSteeringTurn('chat', id, () => {}));
    core[DISPOSE]();
    for (const call of [
      () => core.claimExecution('chat'),
      () => core.claimExecution('chat', pending),
      () => core.hasActiveRuns('chat'),
      () => core.steer('chat', 'x'),
      () => core.generations('chat'),
      () => core.cachedSessions(),
      () => core.invalidate('chat'),
      () => core.storeCheckpoint('chat', {}),
      () => core.operations.listActive(),
      () => core.stats(),
      () => pending.attach(runOf('r2'), () => {}),
      () => attached.activationBlocker(),
      () => turns[1]!.pull(),
    ]) {
      refusal('ERR_CLOSED', call);
    }
    await rejection(
      'ERR_CLOSED',
      core.stopSession('chat', {}, () => expect.unreachable()),
    );
    await rejection(
      'ERR_CLOSED',
      core.serialize('chat', 'w', () => expect.unreachable()),
    );
    await rejection('ERR_CLOSED', pending.enter());
    for (const claim of [pending, attached]) {
      claim.release();
      claim.settle(OK);
      claim.finalize(OK);
      claim.leaveGeneration();
      expect(claim.phase).toBe('failed');
    }
    for (const turn of turns) turn.release();
  });
});

test('a scope ends with its last member, and begins anew under its name', async () => {
  const scope = `ending ${randomUUID()}`;
  const join = (): RuntimeCore => new RuntimeCore({ scope, newId: () => 'i', now: () => 1 });
  const [a, b] = [join(), join()];
  expect((await startTurn(a, 'r1')).generation.id).toBe(1);
  a.close();
  expect((await startTurn(b, 'r2')).generation.id).toBe(2);
  b.operations.close();
  b.close();
  const next = join();
  expect((await startTurn(next, 'r3')).generation.id).toBe(1);
  next.operations.reserve({ operationId: 'o', ownerId: 'w', exclusivityKeys: [] });
  next.close();
});

test('a scope is a non-empty string', () => {
  for (const scope of ['', 7, null, {}]) {
    const options = { scope: scope as string, newId: () => 'i', now: () => 1 };
    const error = refusal('ERR_INVALID_ARG_TYPE', () => new RuntimeCore(options));
    expect(error.message).toContain('scope');
  }
});

/** Collects garbage, and lets everyone know who wants to. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round += 1) {
    gc();
    await deliveries();
  }
}

/** Stop operations that were paid and completed, each in a session of its own. */
async function completed(core: RuntimeCore): Promise<StopOperation[]> {
  const operations: StopOperation[] = [];
  for (let at = 0; at < 200; at += 1) {
    const claim = await startTurn(core, 'r1', { session: `chat ${at}` });
    const operation = await retain(core, [claim]);
    pay(operation);
    expect(operation.complete(operation.members())).toBe(true);
    operation.releaseRun(claim);
    operations.push(operation);
  }
  return operations;
}

test('what a core that has ended leaves to be collected takes nothing of another with it', async () => {
  const gone = newCore();
  await completed(gone);
  gone.close();
  const operations = await completed(newCore());
  await collect();
  for (const operation of operations) {
    expect(operation.members().map((each) => each.runId)).toEqual(['r1']);
    expect(operation.deliveryFailures()).toEqual([]);
  }
});
