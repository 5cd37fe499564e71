// Handles of another core, of another session, and of things that are over, wherever one is taken.
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  AdmissionLimiter,
  type RuntimeCore,
  type StopAttempt,
  type StopOperation,
} from '../index.js';
import {
  OK,
  answerOf,
  facts,
  freshScope,
  gate,
  macrotask,
  makeCore,
  makeWorld,
  refusalOf,
  run,
  running,
  type World,
} from './fixtures/boundary/kit.js';

const nothing = () => {};

function closing<C extends { core: RuntimeCore } | RuntimeCore>(made: C): C {
  const closed: RuntimeCore = 'core' in made ? made.core : (made as RuntimeCore);
  onTestFinished(() => closed.close());
  return made;
}

/** A stop that is never over, and the operation it retained the claim in. */
function stopping(core: RuntimeCore, sessionId: string, name: string) {
  const { claim, generation } = running(core, sessionId, name);
  const stops: StopAttempt[] = [];
  void core.stopSession(sessionId, {}, (attempt) => {
    stops.push(attempt);
    return new Promise(nothing);
  });
  const stop = stops[0] as StopAttempt;
  return { claim, generation, stop, operation: stop.retain(claim) };
}

/** A world, and the same of everything that is not its own. */
const FOREIGN: [string, () => { world: World; foreign: World }][] = [
  ['another core', () => ({ world: closing(makeWorld()), foreign: closing(makeWorld()) })],
  [
    'another member of its scope',
    () => {
      const scope = freshScope();
      const world = closing(makeWorld({ scope }));
      const core = closing(makeCore({ scope }));
      const { claim, generation } = running(core, 'elsewhere', 'f');
      const pending = core.claimExecution('pending');
      const { stop, operation } = stopping(core, 'stopping elsewhere', 'g');
      const [member] = operation.members();
      const foreign = { ...world, core, claim, generation, pending, stop, operation, member };
      return { world, foreign: foreign as World };
    },
  ],
];

describe.each(FOREIGN)('of %s', (_, make) => {
  const refused = async (ask: (world: World, foreign: World) => unknown) => {
    const { world, foreign } = make();
    const before = [facts(world), facts(foreign)];
    const refusal = await refusalOf(() => ask(world, foreign));
    expect([facts(world), facts(foreign)]).toEqual(before);
    return refusal;
  };

  it('a pending claim owns no admission here', async () => {
    const refusal = await refused(({ core }, { pending }) =>
      core.claimExecution('pending', pending),
    );
    expect(refusal).toMatchObject({ how: 'threw', code: 'ERR_CLAIM_FOREIGN' });
  });

  it('a claim makes no generation here', async () => {
    const ask = ({ core }: World, { claim }: World) =>
      core.createGeneration(claim, undefined, {}, {});
    expect(await refused(ask)).toMatchObject({ how: 'threw', code: 'ERR_CLAIM_FOREIGN' });
  });

  it('a generation takes no run of a claim here', async () => {
    const ask = ({ attached }: World, { generation }: World) => attached.reserve(generation);
    expect(await refused(ask)).toMatchObject({ how: 'threw', code: 'ERR_GENERATION_FOREIGN' });
  });

  it('a claim is not retained by a stop here', async () => {
    const ask = ({ stop }: World, { claim }: World) => stop.retain(claim, { lineage: {} });
    expect(await refused(ask)).toMatchObject({ how: 'threw', code: 'ERR_CLAIM_FOREIGN' });
  });

  it('a claim that an operation does not hold is not released by it', async () => {
    const ask = ({ operation }: World, { claim }: World) => operation.releaseRun(claim);
    expect(await refused(ask)).toEqual({ how: 'returned' });
  });

  it('a member does not complete an operation here', async () => {
    const ask = (world: World, { member }: World) =>
      world.operation.complete([world.member, member]);
    expect(await refused(ask)).toMatchObject({
      how: 'threw',
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining('"members[1]"'),
    });
  });

  it('a binding of another run is refused, and lets nothing go', async () => {
    const ask = ({ claim }: World) => claim.bindInteraction(run('elsewhere', 'f'));
    expect(await refused(ask)).toMatchObject({ how: 'threw', code: 'ERR_INTERACTION_IDENTITY' });
    const { world } = make();
    const own = run('running', 'a');
    world.claim.bindInteraction(own);
    world.claim.unbindInteraction(run('running', 'a'));
    expect(world.claim.interaction).toBe(own);
  });
});

describe('of another session of the same core', () => {
  it('a pending claim owns no admission', async () => {
    const world = closing(makeWorld());
    const before = facts(world);
    for (const claim of [world.pending, world.attached, world.claim, world.halted])
      expect(await refusalOf(() => world.core.claimExecution('new', claim))).toMatchObject({
        code: 'ERR_CLAIM_FOREIGN',
      });
    expect(
      await refusalOf(() => world.core.claimExecution('attached', world.attached)),
    ).toMatchObject({
      code: 'ERR_CLAIM_FOREIGN',
    });
    expect(facts(world)).toEqual(before);
  });

  it('a generation takes no run', async () => {
    const world = closing(makeWorld());
    const before = facts(world);
    expect(await refusalOf(() => world.attached.reserve(world.generation))).toEqual({
      how: 'threw',
      code: 'ERR_GENERATION_STALE',
      type: 'TenureError',
      message: `Backend generation ${world.generation.id} no longer owns activation for session attached`,
    });
    expect(facts(world)).toEqual(before);
  });

  it('a claim is not retained', async () => {
    const world = closing(makeWorld());
    const before = facts(world);
    expect(await refusalOf(() => world.stop.retain(world.claim))).toMatchObject({
      code: 'ERR_CLAIM_FOREIGN',
    });
    expect(facts(world)).toEqual(before);
  });

  it('a member completes nothing, and a claim is not released', async () => {
    const world = closing(makeWorld());
    const other = stopping(world.core, 'new', 'x');
    const [member] = other.operation.members();
    const before = facts(world);
    expect(await refusalOf(() => world.operation.complete([member as never]))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
    });
    world.operation.releaseRun(other.claim);
    expect(facts(world)).toEqual(before);
    expect(other.operation.members()).toEqual([member]);
  });

  it('a lease id settles nothing', () => {
    const world = closing(makeWorld());
    const other = world.core.openSteeringTurn('new', 'turn', nothing);
    const before = facts(world);
    other.ack([world.leaseId]);
    other.nack([world.leaseId]);
    expect(facts(world)).toEqual(before);
    world.turn.nack([world.leaseId]);
    expect(world.turn.pull().map(({ content }) => content.text)).toEqual(['leased', 'queued']);
  });
});

describe('of what is over', () => {
  it('a handle never acts on what has taken its place', () => {
    const core = closing(makeCore());
    const { claim: old, generation } = running(core, 's', 'old');
    const turn = core.openSteeringTurn('s', 'old turn', nothing);
    const request = old.openRequest('request', { of: 'old' });
    old.settle(OK);
    old.leaveGeneration();
    turn.release();
    const { claim } = running(core, 's', 'new');
    const again = claim.openRequest('request', { of: 'new' });
    const next = core.openSteeringTurn('s', 'new turn', nothing);
    core.steer('s', 'text');
    request.close();
    old.release();
    old.leaveGeneration();
    old.finalize(OK);
    turn.ack(['x']);
    turn.nack(['x']);
    turn.release();
    expect(turn.pull()).toEqual([]);
    expect([old.phase, claim.phase, claim.canDispatch()]).toEqual(['released', 'reserved', true]);
    expect(core.request('s', 'request')).toBe(again);
    expect(generation.activeRuns.size).toBe(1);
    expect(next.pull().map(({ content }) => content.text)).toEqual(['text']);
  });

  const names: (keyof World)[] = ['operation', 'stop', 'turn', 'member', 'delivery', 'request'];
  it.each(names)(
    'a closed core’s %s says so, and touches no core that came later',
    async (name) => {
      const old = makeWorld();
      old.core.close();
      // The same of everything, made anew where the old was.
      const world = closing(makeWorld());
      const before = facts(world);
      const { operation, stop, member, delivery, turn, request, halted, claim, generation } = old;
      const asks: Partial<Record<keyof World, (() => unknown)[]>> = {
        operation: [
          () => operation.members(),
          () => operation.pendingDeliveries(),
          () => operation.nextProjection(),
          () => operation.complete([]),
          () => operation.generations(),
          () => operation.deliveryFailures(),
          () => operation.enqueue(async () => {}),
        ],
        stop: [() => stop.activeClaims(), () => stop.retain(halted)],
        member: [() => member.terminalDone()],
        delivery: [() => delivery.settle(OK)],
        turn: [() => turn.pull(), () => turn.ack(['x']), () => turn.nack(['x'])],
        request: [
          () => claim.openRequest('request', {}),
          () => claim.attach(run('running', 'z'), nothing),
          () => claim.reserve(generation),
          () => claim.enter(),
          () => old.core.request('running', 'request'),
        ],
      };
      const answers: unknown[] = [];
      for (const ask of asks[name] ?? []) answers.push((await refusalOf(ask)).code);
      expect(answers).toEqual(answers.map(() => 'ERR_CLOSED'));
      expect(answers.length).toBeGreaterThan(0);
      for (const quiet of [() => request.close(), () => turn.release(), () => claim.release()])
        expect(await answerOf(quiet)).toEqual({ how: 'returned', value: undefined });
      old.lease.release();
      expect([claim.phase, generation.phase, stop.operation]).toEqual([
        'failed',
        'terminated',
        operation,
      ]);
      expect([member.claim, member.owesTerminal]).toEqual([undefined, false]);
      expect(facts(world)).toEqual(before);
    },
  );

  it('a completed operation of a closed core is not another core’s', async () => {
    const completed = (core: RuntimeCore, name: string): StopOperation => {
      const { claim, operation } = stopping(core, 's', name);
      operation.pendingDeliveries()[0]?.settle({ ok: false, error: new Error(name) });
      operation.releaseRun(claim);
      for (let next = operation.nextProjection(); next; next = operation.nextProjection())
        next.done();
      expect(operation.complete(operation.members())).toBe(true);
      return operation;
    };
    const core = makeCore();
    const old = completed(core, 'old');
    core.close();
    const later = completed(closing(makeCore()), 'new');
    expect((await refusalOf(() => old.deliveryFailures())).code).toBe('ERR_CLOSED');
    expect(later.deliveryFailures()).toEqual([new Error('new')]);
  });

  it('a permit that was released stays so, whoever has its place', async () => {
    const limiter = new AdmissionLimiter(1);
    const first = await limiter.acquire();
    first.release();
    await limiter.acquire();
    first.release();
    expect(limiter.activeCount).toBe(1);
  });

  it('a lease never ends a later registration of the same id', async () => {
    const core = closing(makeCore());
    const request = { operationId: 'o', ownerId: 'w', exclusivityKeys: ['k'] };
    const first = core.operations.reserve(request);
    first.release();
    const second = core.operations.reserve(request);
    first.release();
    expect(core.operations.get('o')).toEqual(second.registration);
  });

  it('a task that ends after its core touches no core that came later', async () => {
    const old = makeCore();
    const held = gate();
    const { generation } = running(old, 's', 'a');
    const tasks = [
      old.serialize('s', 'lane', () => held.promise),
      old.mutateSessions(['s'], () => held.promise),
      old.loadCheckpoint('s', async () => (await held.promise, { of: 'old' })),
      generation.dispose(() => held.promise),
      old.invalidate('s').dispose(async () => (await held.promise, OK)),
      old.stopSession('s', {}, () => held.promise),
    ];
    await macrotask();
    old.close();
    const world = closing(makeWorld());
    const before = facts(world);
    held.open();
    await Promise.allSettled(tasks);
    await macrotask();
    expect(facts(world)).toEqual(before);
  });
});
