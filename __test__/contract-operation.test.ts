// What a stop still owes: kept, and quarantining the session, until it is paid.
import { describe, expect, test } from 'vitest';
import { RuntimeCore } from '../index.js';
import type { StopOperation, StopProjection } from '../index.js';
import {
  NOTHING,
  OK,
  attach,
  drawingCore,
  failedWith,
  gate,
  macrotask,
  newCore,
  pay,
  refusal,
  retain,
  startTurn,
} from './contract-kit.ts';

describe('retention', () => {
  test('opens one operation per session, whatever is retained and by which stop', async () => {
    const { core, drawn } = drawingCore();
    const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    const operation = await retain(core, [one, one]);
    expect(drawn).toEqual(['now', 'id-1']);
    expect(operation.ts).toBe(5_001);
    expect(operation.sessionId).toBe('chat');
    await core.stopSession('chat', { by: 'the second' }, async (stop) => {
      expect(stop.operation).toBe(operation);
      expect(stop.retain(two)).toBe(operation);
    });
    expect(operation.input).toEqual({ by: 'test' });
    expect(operation.members().map((each) => each.claim)).toEqual([one, two]);
    expect([one.stopOperation, two.stopOperation]).toEqual([operation, operation]);
    expect(drawn).toEqual(['now', 'id-1']);
  });

  test('draws an id for a turn only when a lineage asks for it', async () => {
    const { core, drawn } = drawingCore();
    const claims = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    await core.stopSession('chat', {}, async (stop) => {
      stop.retain(claims[0]!, { lineage: { parent: 'p' } });
      stop.retain(claims[1]!, { terminal: true });
      stop.retain(claims[0]!, { lineage: { parent: 'another' } });
    });
    expect(drawn).toEqual(['now', 'id-1', 'id-2']);
  });

  test.each(['now', 'the id of the note', 'the id of the turn'])(
    'that fails at %s retains nothing',
    async (at) => {
      let draws = 0;
      const failing = ['now', 'the id of the note', 'the id of the turn'].indexOf(at) + 1;
      const draw = (): number => {
        draws += 1;
        if (draws === failing) throw new Error(at);
        return draws;
      };
      const core = new RuntimeCore({ newId: () => `id ${draw()}`, now: draw });
      const claim = await startTurn(core, 'r1');
      await core.stopSession('chat', {}, async (stop) => {
        expect(() => stop.retain(claim, { lineage: {} })).toThrow(at);
        expect(stop.operation).toBeUndefined();
        expect(claim.stopOperation).toBeUndefined();
        stop.retain(claim, { lineage: {} });
      });
      const next = core.claimExecution('chat');
      refusal('ERR_SESSION_QUARANTINED', () => next.activationBlocker());
    },
  );

  test('needs a run that was reserved', async () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    await core.stopSession('chat', {}, async (stop) => {
      refusal('ERR_CLAIM_PHASE', () => stop.retain(claim));
      claim.finalize(OK);
    });
    expect(core.stats()).toEqual(NOTHING);
  });

  test('quarantines the session for all but the attached claims of the stop that stands', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const [inside, pending] = [attach(core, 'r2'), core.claimExecution('chat')];
    let operation: StopOperation | undefined;
    await core.stopSession('chat', {}, async (stop) => {
      operation = stop.retain(running);
      expect(inside.activationBlocker()).toBeUndefined();
      const error = refusal('ERR_SESSION_QUARANTINED', () => pending.activationBlocker());
      expect(error.message).toBe('Session chat is quarantined by a retained stop operation');
    });
    refusal('ERR_SESSION_QUARANTINED', () => inside.activationBlocker());
    pay(operation!);
    expect(operation!.complete(operation!.members())).toBe(true);
    expect(pending.activationBlocker()).toBeUndefined();
  });
});

describe('deliveries', () => {
  test('are one per generation, and settled at most once', async () => {
    const core = newCore();
    const claims = [
      await startTurn(core, 'r1'),
      await startTurn(core, 'r2'),
      await startTurn(core, 'kid', { route: 'kid', turn: 'kid' }),
    ];
    const operation = await retain(core, claims);
    const [own, child] = operation.pendingDeliveries();
    expect([own!.generation, child!.generation]).toEqual([
      claims[0]!.generation,
      claims[2]!.generation,
    ]);
    expect(operation.pendingDeliveries()[0]).toBe(own);
    child!.settle(failedWith('kid is stuck'));
    own!.settle(OK);
    own!.settle(failedWith('too late'));
    expect(operation.pendingDeliveries()).toEqual([]);
    expect(operation.deliveryFailures()).toEqual(['kid is stuck']);
  });

  test('are not repeated for a run retained after its generation was told', async () => {
    const core = newCore();
    const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    const operation = await retain(core, [one]);
    operation.pendingDeliveries()[0]!.settle(OK);
    expect(await retain(core, [two])).toBe(operation);
    expect(operation.pendingDeliveries()).toEqual([]);
    expect(operation.members().length).toBe(2);
  });
});

describe('projections', () => {
  const next = (operation: StopOperation): StopProjection => operation.nextProjection()!;

  test('come in order, each the same until it is done: status, turns as retained, note', async () => {
    const core = newCore();
    const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    const lineage = { root: 'r0' };
    const operation = await retain(core, [two, one], { lineage });
    const status = next(operation);
    expect(status.kind).toBe('status');
    expect(next(operation)).toBe(status);
    status.done();
    const first = next(operation);
    expect(first).toMatchObject({ kind: 'turn', id: 'id-2', turnId: 'turn of r2' });
    expect(first.kind === 'turn' && first.lineage).toBe(lineage);
    first.done();
    first.done();
    expect(next(operation)).toMatchObject({ kind: 'turn', id: 'id-3', turnId: 'turn of r1' });
    next(operation).done();
    expect(next(operation)).toMatchObject({ kind: 'note', id: 'id-1' });
    next(operation).done();
    expect(operation.nextProjection()).toBeUndefined();
  });

  test('keep the message that was built for a turn, for the retry', async () => {
    const core = newCore();
    const operation = await retain(core, [await startTurn(core, 'r1')], { lineage: {} });
    next(operation).done();
    const turn = next(operation);
    const message = { text: 'aborted' };
    if (turn.kind === 'turn') turn.message = message;
    const again = next(operation);
    expect(again.kind === 'turn' && again.message).toBe(message);
  });

  test('include the turn of a run that is retained while they are written', async () => {
    const core = newCore();
    const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    const operation = await retain(core, [one]);
    expect(pay(operation)).toEqual(['status', 'note']);
    await retain(core, [two], { lineage: {} });
    expect(pay(operation)).toEqual(['turn']);
  });
});

describe('completion', () => {
  test('waits for deliveries, projections and every member', async () => {
    const core = newCore();
    const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    const operation = await retain(core, [one, two]);
    const [first, second] = operation.members();
    expect(operation.complete([first!])).toBe(false);
    for (let owed = operation.nextProjection(); owed; owed = operation.nextProjection()) {
      owed.done();
    }
    expect(operation.complete([])).toBe(false);
    operation.pendingDeliveries()[0]!.settle(OK);
    expect(operation.complete([])).toBe(false);
    expect(operation.complete([second!])).toBe(true);
    expect(operation.complete([first!, second!])).toBe(false);
    expect(one.stopOperation).toBeUndefined();
  });

  test('leaves the handle usable for whoever waited as well', async () => {
    const core = newCore();
    const claim = await startTurn(core, 'r1');
    const operation = await retain(core, [claim]);
    operation.pendingDeliveries()[0]!.settle(failedWith('stuck'));
    pay(operation);
    expect(operation.complete(operation.members())).toBe(true);
    expect(operation.deliveryFailures()).toEqual(['stuck']);
    expect(operation.members()[0]!.runId).toBe('r1');
    expect(operation.generations()).toEqual([claim.generation]);
    let again: StopOperation | undefined;
    await core.stopSession('chat', {}, async (stop) => {
      expect(stop.operation).toBeUndefined();
      again = stop.retain(claim);
    });
    expect(again).not.toBe(operation);
  });

  test('is held up by a terminal fact until it has landed, also when its run was let go', async () => {
    const core = newCore();
    const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    let operation: StopOperation | undefined;
    await core.stopSession('chat', {}, async (stop) => {
      operation = stop.retain(one, { terminal: true });
      stop.retain(two);
      stop.retain(two, { terminal: true });
    });
    pay(operation!);
    const [owing, free] = operation!.members();
    expect([owing!.owesTerminal, free!.owesTerminal]).toEqual([true, false]);
    operation!.releaseRun(one);
    expect([owing!.claim, owing!.owesTerminal]).toEqual([undefined, true]);
    expect(operation!.complete(operation!.members())).toBe(false);
    owing!.terminalDone();
    owing!.terminalDone();
    expect(operation!.complete(operation!.members())).toBe(true);
  });
});

describe('a retained generation', () => {
  test('neither leaves stopping nor terminates before its run is let go', async () => {
    const core = newCore();
    const claim = await startTurn(core, 'r1');
    const { generation } = claim;
    const operation = await retain(core, [claim]);
    await generation.stop(async () => {});
    claim.leaveGeneration();
    generation.reconcile();
    expect(generation.phase).toBe('stopping');
    operation.pendingDeliveries()[0]!.settle(OK);
    expect(operation.generations()).toEqual([generation]);
    operation.releaseRun(claim);
    expect(operation.generations()).toEqual([]);
    generation.reconcile();
    expect(generation.phase).toBe('active');
    expect(claim.stopOperation).toBeUndefined();
    expect(operation.members()[0]!.claim).toBeUndefined();
  });

  test('is kept for its other runs, and while it was not told', async () => {
    const core = newCore();
    const claims = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
    const operation = await retain(core, claims);
    operation.releaseRun(claims[0]!);
    expect(operation.generations().length).toBe(1);
    operation.pendingDeliveries()[0]!.settle(OK);
    operation.releaseRun(claims[1]!);
    expect(operation.generations()).toEqual([]);
  });

  test('does not take back a run that was let go', async () => {
    const core = newCore();
    const claim = await startTurn(core, 'r1');
    const operation = await retain(core, [claim]);
    operation.releaseRun(claim);
    await retain(core, [claim]);
    expect(operation.members().map((each) => each.claim)).toEqual([undefined]);
    expect(claim.stopOperation).toBeUndefined();
  });
});

test('the lane of an operation is serial, begins nothing at once and goes on past a failure', async () => {
  const core = newCore();
  const operation = await retain(core, [await startTurn(core, 'r1')]);
  const log: string[] = [];
  const held = gate();
  const first = operation.enqueue(async () => {
    log.push('first begins');
    await held.promise;
    throw new Error('disk full');
  });
  const second = operation.enqueue(async () => void log.push('second'));
  expect(log).toEqual([]);
  await macrotask();
  expect(log).toEqual(['first begins']);
  held.open();
  await expect(first).rejects.toThrow('disk full');
  await second;
  expect(log).toEqual(['first begins', 'second']);
});

test('a turn that was stopped, paid for and disposed of leaves nothing', async () => {
  const core = newCore();
  const claim = await startTurn(core, 'r1');
  const operation = await retain(core, [claim], { lineage: {}, terminal: true });
  expect(pay(operation)).toEqual(['status', 'turn', 'note']);
  for (const member of operation.members()) member.terminalDone();
  claim.leaveGeneration();
  expect(operation.complete(operation.members())).toBe(true);
  operation.releaseRun(claim);
  await claim.generation.dispose(async () => {});
  expect(core.stats()).toEqual(NOTHING);
});
