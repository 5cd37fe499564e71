// More than one copy of the package in one thread, and copies in vm contexts.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as product from '../index.js';
import { anotherCopy, anotherFace, inContext, type Product } from './fixtures/boundary/copies.js';
import { DISPOSE, OK, freshScope, macrotask, refusalOf, run } from './fixtures/boundary/kit.js';

const nothing = () => {};

let ids = 0;
function coreOf({ RuntimeCore }: Product, options: object = {}) {
  const core = new RuntimeCore({ newId: () => `id-${(ids += 1)}`, now: () => 1, ...options });
  onTestFinished(() => core.close());
  return core;
}

type Core = ReturnType<typeof coreOf>;

function running(core: Core, sessionId: string, name: string, onStop = nothing) {
  const claim = core.claimExecution(sessionId);
  claim.attach(run(sessionId, name), onStop);
  const current = core.currentGeneration(sessionId);
  const generation = current ?? core.createGeneration(claim, undefined, {}, {});
  claim.reserve(generation);
  return { claim, generation };
}

/** The macrotasks that deliveries between members take. */
const delivered = async () => {
  for (let count = 0; count < 20; count += 1) await macrotask();
};

const COPIES: [string, () => Product][] = [
  ['a copy with an addon of its own', anotherCopy],
  ['a copy of the face alone', anotherFace],
  ['a copy in a vm context', () => inContext().product],
  [
    'a copy in a vm context without the globals of Node.js',
    () => inContext({ bare: true }).product,
  ],
];

describe.each(COPIES)('%s', (_, copy) => {
  it('is another one, and works by itself', async () => {
    const other = copy();
    expect(other.RuntimeCore).not.toBe(product.RuntimeCore);
    const core = coreOf(other);
    const stopped: string[] = [];
    const { claim, generation } = running(core, 's', 'a', () => stopped.push('onStop'));
    claim.stopSignal.addEventListener('abort', () => stopped.push('abort'));
    const updates: unknown[] = [];
    const turn = core.openSteeringTurn('s', 't', ({ steering }) => updates.push([...steering]));
    core.steer('s', 'x');
    expect(turn.pull().map(({ content }) => content.text)).toEqual(['x']);
    const errors = core.stopSession('s', {}, async (stop) => {
      const operation = stop.retain(claim, { lineage: {}, terminal: true });
      claim.settle(OK);
      stopped.push(...(await stop.drained()).map(String));
      operation.pendingDeliveries()[0]?.settle(OK);
      for (const member of operation.members()) member.terminalDone();
      for (let next = operation.nextProjection(); next; next = operation.nextProjection())
        next.done();
      expect(operation.complete(operation.members())).toBe(true);
    });
    await errors;
    expect([stopped, updates]).toEqual([['onStop', 'abort'], [['x']]]);
    turn.release();
    claim.leaveGeneration();
    await generation.dispose(async () => {});
    expect(await core.mutateSessions(['s'], () => 'mutated')).toBe('mutated');
    expect(await core.serialize('s', 'lane', async () => 'serialized')).toBe('serialized');
    core.drainFollowup('s');
    expect(core.stats()).toEqual({ sessions: 0, admissions: 0 });
  });

  it('ends its handles by `using`', () => {
    const other = copy();
    const core = coreOf(other);
    const claim = core.claimExecution('s');
    claim[DISPOSE]();
    expect(claim.phase).toBe('released');
    core[DISPOSE]();
    expect(() => core.stats()).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }));
    expect(Object.getOwnPropertyNames(other.RuntimeCore.prototype)).not.toContain('undefined');
  });

  it('shares a scope: a stop reaches the other copy’s turn, and an error crosses by its code', async () => {
    const scope = freshScope();
    const other = copy();
    const one = coreOf(product, { scope });
    const parts: unknown[] = [];
    const two = coreOf(other, {
      scope,
      onForeignStop: async (stop: { input: unknown; activeClaims(): unknown[] }) => {
        parts.push(stop.input, stop.activeClaims().length);
        throw Object.assign(new Error('cannot stop'), { code: 'ERR_MINE' });
      },
    });
    const told: string[] = [];
    const { claim } = running(two, 's', 'b', () => told.push('onStop'));
    expect(one.hasActiveRun('s', 'run-b')).toBe(true);
    let errors: unknown[] = [];
    const stopped = one.stopSession('s', { why: 'asked' }, async (stop) => {
      const drained = stop.drained();
      await delivered();
      claim.settle({ ok: false, error: Object.assign(new Error('ended'), { code: 'ERR_THEIRS' }) });
      errors = await drained;
    });
    await stopped;
    expect(told).toEqual(['onStop']);
    expect(JSON.parse(JSON.stringify(parts))).toEqual([{ why: 'asked' }, 1]);
    expect(errors.map((error) => (error as { code: unknown }).code)).toEqual([
      'ERR_THEIRS',
      'ERR_MINE',
    ]);
    expect(errors.every((error) => error instanceof Error)).toBe(true);
    expect(claim.stopSignal.aborted).toBe(true);
  });

  it('shares a scope: messages, mutations and admission cross, either way', async () => {
    const scope = freshScope();
    const other = copy();
    for (const [here, there] of [
      [product, other],
      [other, product],
    ] as const) {
      const [one, two] = [coreOf(here, { scope }), coreOf(there, { scope })];
      const snapshots: unknown[] = [];
      const turn = one.openSteeringTurn('s', 't', (snapshot) =>
        snapshots.push(snapshot.steering.length),
      );
      expect(two.steer('s', 'from the other')).toBe(true);
      await delivered();
      expect(snapshots).toEqual([1]);
      expect(turn.pull().map(({ content }) => content.text)).toEqual(['from the other']);
      turn.release();
      two.drainFollowup('s');
      const order: string[] = [];
      let open = nothing;
      const first = one.mutateSessions(
        ['s'],
        () => new Promise<void>((resolve) => (open = resolve)),
      );
      const second = two.mutateSessions(['s'], () => void order.push('second'));
      const entered = two.claimExecution('s').enter();
      await delivered();
      expect(order).toEqual([]);
      open();
      await Promise.all([first, second, entered]);
      const lease = one.operations.reserve({
        operationId: 'o',
        ownerId: 'w',
        exclusivityKeys: ['k'],
      });
      const busy = await refusalOf(() =>
        two.operations.reserve({ operationId: 'p', ownerId: 'w', exclusivityKeys: ['k'] }),
      );
      expect(busy).toMatchObject({
        code: 'ERR_OPERATION_BUSY',
        type: 'ApplicationOperationBusyError',
      });
      lease.release();
      one.close();
      two.close();
    }
  });

  it('refuses the other’s handles by a code, and does nothing', async () => {
    const other = copy();
    const [here, there] = [coreOf(product), coreOf(other)];
    const foreign = running(there, 's', 'f');
    const claim = here.claimExecution('s');
    claim.attach(run('s', 'a'), nothing);
    const codes = new Set(['ERR_CLAIM_FOREIGN', 'ERR_GENERATION_FOREIGN', 'ERR_INVALID_ARG_TYPE']);
    for (const ask of [
      () => here.claimExecution('s', there.claimExecution('s')),
      () => here.createGeneration(foreign.claim as never, undefined, {}, {}),
      () => claim.reserve(foreign.generation as never),
    ]) {
      const { how, code } = await refusalOf(ask);
      expect([how, codes.has(code as string)]).toEqual(['threw', true]);
    }
    expect([claim.phase, here.generations('s').length, foreign.generation.activeRuns.size]).toEqual(
      ['attached', 0, 1],
    );
  });

  it('gives errors that are told by their code, whoever’s class they are of', async () => {
    const core = coreOf(copy());
    const error = await refusalOf(() => core.claimExecution(7 as never));
    expect(error).toMatchObject({ type: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    core.claimExecution('b');
    core.claimExecution('a');
    const busy = await core
      .mutateSessions(['b', 'a'], nothing, { quiescent: true })
      .catch((e) => e);
    expect({ name: busy.name, code: busy.code, ids: [...busy.sessionIds] }).toEqual({
      name: 'SessionBusyError',
      code: 'ERR_SESSION_BUSY',
      ids: ['a', 'b'],
    });
  });
});

describe('values of a vm context', () => {
  const { evaluate } = inContext();

  it('an AbortSignal made there serves a limiter here', async () => {
    const controller = evaluate('new AbortController()') as AbortController;
    const reason = evaluate('new Error("given up")');
    const limiter = new product.AdmissionLimiter(1);
    const permit = await limiter.acquire(controller.signal);
    const waiting = limiter.acquire(controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(limiter.acquire(controller.signal)).rejects.toBe(reason);
    permit.release();
    expect([limiter.activeCount, limiter.waitingCount]).toEqual([0, 0]);
  });

  it('a signal that only has its shape serves, too', async () => {
    const target = evaluate(`({
      aborted: false, reason: undefined, listeners: [],
      addEventListener(_, listener) { this.listeners.push(listener); },
      removeEventListener(_, listener) { this.listeners = this.listeners.filter((each) => each !== listener); },
      abort(reason) { this.aborted = true; this.reason = reason; for (const each of [...this.listeners]) each(); },
    })`) as AbortSignal & { listeners: unknown[]; abort(reason: unknown): void };
    const limiter = new product.AdmissionLimiter(1);
    await limiter.acquire();
    const waiting = limiter.acquire(target);
    target.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(target.listeners).toEqual([]);
  });

  it('objects, arrays, functions and errors made there are taken', async () => {
    const core = coreOf(product);
    const claim = core.claimExecution('s');
    claim.attach(
      evaluate('({ sessionId: "s", runId: "r", turnId: "t" })') as never,
      evaluate('() => {}') as never,
    );
    expect(
      await core.mutateSessions(
        evaluate('["s", "t"]') as string[],
        evaluate('async () => 7') as never,
      ),
    ).toBe(7);
    const limiter = new product.AdmissionLimiter(1);
    const error = evaluate('new Error("closed there")') as Error;
    limiter.close(error);
    await expect(limiter.acquire()).rejects.toBe(error);
    expect(
      await core
        .serialize('s', 'lane', evaluate('async () => { throw 1; }') as never)
        .catch(String),
    ).toBe('1');
    const registration = core.operations.reserve(
      evaluate(
        'Object.assign(Object.create(null), { operationId: "o", ownerId: "w", exclusivityKeys: ["k"] })',
      ) as never,
    );
    expect(registration.registration).toEqual({ operationId: 'o', ownerId: 'w', sessionId: null });
  });
});
