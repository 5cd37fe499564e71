// Objects of the caller, read as arguments: getters and proxies that throw, or that call the core.
import { describe, expect, it, onTestFinished } from 'vitest';
import { RuntimeCore, setLogger } from '../index.js';
import { PLACES, ask, request, watched, type Place } from './fixtures/boundary/places.js';
import {
  OK,
  answerOf,
  binding,
  call,
  facts,
  freshScope,
  makeCore,
  makeWorld,
  promises,
  refusalOf,
  run,
  running,
  type World,
} from './fixtures/boundary/kit.js';

const nothing = () => {};
const never = () => new Promise<never>(nothing);

/** A world in which the one permit is taken, so that who asks for another has to wait. */
function closing(): World {
  const world = makeWorld();
  void world.limiter.acquire();
  onTestFinished(() => world.core.close());
  return world;
}

async function readsOf(each: Place): Promise<string[]> {
  const reads: string[] = [];
  await ask(each, closing(), (what) => reads.push(what));
  return reads;
}

describe.each(PLACES)('$name', (each) => {
  const owner = each.on === 'operations' ? 'ApplicationOperationService' : '';
  const refusing = promises(owner, each.method) ? 'rejected' : 'threw';

  it('is read: what throws at a read reaches the caller unchanged, and nothing is done', async () => {
    const reads = await readsOf(each);
    expect(reads.length).toBeGreaterThan(0);
    const world = closing();
    const before = facts(world);
    for (const [index, what] of reads.entries()) {
      const thrown = new Error(what);
      let left = index;
      const answer = await ask(each, world, () => {
        if (left === 0) throw thrown;
        left -= 1;
      });
      expect(answer.value, what).toBe(thrown);
      expect(answer.how, what).toBe(refusing);
      expect(facts(world), what).toEqual(before);
    }
  });

  it('is no use as a revoked proxy, and nothing is done', async () => {
    const world = closing();
    const before = facts(world);
    const { proxy, revoke } = Proxy.revocable(each.object(world), {});
    revoke();
    const given = each.args(proxy, world);
    const refused = await refusalOf(() => call(world[each.on], each.method, world[each.on], given));
    expect(refused).toMatchObject({ how: refusing, type: 'TypeError' });
    expect(facts(world)).toEqual(before);
  });

  it.each<[string, (world: World) => void]>([
    [
      'ends the claims',
      ({ pending, attached, claim, halted }) => {
        pending.release();
        attached.release();
        claim.settle(OK);
        claim.leaveGeneration();
        halted.settle(OK);
        halted.leaveGeneration();
      },
    ],
    [
      'takes what was to be taken',
      ({ core, pending, claim, limiter }) => {
        pending.attach(run('pending', 'first'), nothing);
        claim.bindInteraction(run('running', 'a'));
        core.operations.reserve({ ...request, operationId: 'first' });
        void limiter.acquire();
        void core.mutateSessions(['next'], never);
      },
    ],
    ['gives the queue up', ({ turn }) => turn.release()],
    [
      'stops the sessions',
      ({ core }) => {
        for (const id of ['running', 'pending', 'attached', 'typed'])
          void core.stopSession(id, {}, never);
      },
    ],
    [
      'pays what the operation owes',
      ({ operation, delivery, member }) => {
        delivery.settle(OK);
        member.terminalDone();
        for (let next = operation.nextProjection(); next; next = operation.nextProjection())
          next.done();
        operation.complete([member]);
      },
    ],
  ])('may call the core while it is read, as if before: it %s', async (_, inner) => {
    const reads = await readsOf(each);
    const serial = closing();
    inner(serial);
    const due = await ask(each, serial, nothing);
    const expected = told(serial);
    for (const [index, what] of reads.entries()) {
      const world = closing();
      let left = index;
      const answer = await ask(each, world, () => {
        left -= 1;
        if (left === -1) inner(world);
      });
      const code = (answered: unknown) => (answered as { code?: unknown } | undefined)?.code;
      expect([answer.how, code(answer.value)], what).toEqual([due.how, code(due.value)]);
      expect(told(world), what).toEqual(expected);
    }
  });

  it('may close the core while it is read: the call finds it closed, and no later one', async () => {
    const reads = await readsOf(each);
    const serial = closing();
    serial.core.close();
    const due = await ask(each, serial, nothing);
    for (const [index, what] of reads.entries()) {
      const world = closing();
      let [left, later, before] = [index, undefined as World | undefined, undefined as unknown];
      const answer = await ask(each, world, () => {
        left -= 1;
        if (left !== -1) return;
        world.core.close();
        later = closing();
        before = facts(later);
      });
      const code = (answered: unknown) => (answered as { code?: unknown } | undefined)?.code;
      expect([answer.how, code(answer.value)], what).toEqual([due.how, code(due.value)]);
      expect(facts(later as World), what).toEqual(before);
    }
  });
});

/** The facts that two worlds have in common: how many handles there are is of the process. */
const told = (world: World): unknown => ({ ...(facts(world) as object), handles: undefined });

describe('what is read is read once', () => {
  it.each(PLACES)('$name', async (each) => {
    const reads = (await readsOf(each)).filter(
      (what) => !/length|Symbol|has|abort|EventListener/.test(what),
    );
    expect(reads).toEqual([...new Set(reads)]);
  });

  it('the strings of a run: when it is attached, and never again', () => {
    const core = makeCore();
    onTestFinished(() => core.close());
    const reads: string[] = [];
    const identity = watched(run('s', 'a'), (what) => {
      reads.push(what);
      if (reads.length > 3) throw new Error(`read again: ${what}`);
    }) as ReturnType<typeof run>;
    const claim = core.claimExecution('s');
    claim.attach(identity, nothing);
    expect(reads).toEqual(['get sessionId', 'get runId', 'get turnId']);
    const generation = core.createGeneration(claim, undefined, {}, {});
    claim.reserve(generation);
    expect(claim.openRequest('q', {}).turnId).toBe('turn-a');
    void core.stopSession('s', {}, async (stop) => {
      const operation = stop.retain(claim, { lineage: { of: 's' } });
      expect(operation.members().map(({ runId }) => runId)).toEqual(['run-a']);
      operation.nextProjection()?.done();
      expect(operation.nextProjection()).toMatchObject({ kind: 'turn', turnId: 'turn-a' });
    });
    expect(claim.run).toBe(identity);
    expect(core.runForTurn('s', undefined, 'turn-a')).toBe(identity);
    expect(reads).toHaveLength(3);
  });

  it('a run that changes its strings later is found by those it was attached with', () => {
    const core = makeCore();
    onTestFinished(() => core.close());
    const identity = run('s', 'a');
    const claim = core.claimExecution('s');
    claim.attach(identity, nothing);
    claim.reserve(core.createGeneration(claim, undefined, {}, {}));
    Object.assign(identity, { runId: 'changed', turnId: 'changed' });
    expect(core.activeTurnIds('s')).toEqual(['turn-a']);
    expect(claim.openRequest('q', {}).turnId).toBe('turn-a');
    expect(core.runForTurn('s', undefined, 'turn-a')).toBe(identity);
  });

  it('other values of the caller are not read at all', async () => {
    const opaque = new Proxy(
      nothing,
      Object.fromEntries(
        Reflect.ownKeys(Reflect).map((trap) => [
          trap,
          () => {
            throw new Error(String(trap));
          },
        ]),
      ),
    ) as object;
    const { core, stop, halted, claim, pending } = closing();
    expect(core.createGeneration(pending, undefined, opaque, opaque).backend).toBe(opaque);
    core.storeCheckpoint('new', opaque);
    expect(claim.openRequest('opaque', opaque).value).toBe(opaque);
    expect(stop.retain(halted, { lineage: opaque }).sessionId).toBe('stopping');
    const fresh = running(core, 'new', 'n').claim;
    const operations: unknown[] = [];
    const stopped = core.stopSession('new', opaque, async (attempt) => {
      const operation = attempt.retain(fresh, { lineage: opaque });
      operation.nextProjection()?.done();
      operations.push(attempt.input, operation.input, operation.nextProjection());
    });
    await stopped;
    expect(operations[0]).toBe(opaque);
    expect(operations[1]).toBe(opaque);
    expect((operations[2] as { lineage: unknown }).lineage).toBe(opaque);
  });
});

describe('the input of a stop in a scope is carried as JSON', () => {
  function members() {
    const scope = freshScope();
    const [one, two] = [makeCore({ scope }), makeCore({ scope })];
    onTestFinished(() => [one, two].forEach((core) => core.close()));
    return { one, two, other: running(two, 's', 'b').claim };
  }

  it('a toJSON that throws rejects with that, and starts nothing', async () => {
    const { one, other } = members();
    const thrown = new Error('toJSON');
    const input = {
      toJSON: () => {
        throw thrown;
      },
    };
    expect(await answerOf(() => one.stopSession('s', input, never))).toEqual({
      how: 'rejected',
      value: thrown,
    });
    expect([other.isStopRequested(), one.claimExecution('s').phase]).toEqual([false, 'pending']);
  });

  it('a toJSON that closes the core finds it closed, and starts nothing', async () => {
    const { one, two, other } = members();
    const input = { toJSON: () => one.close() };
    expect(await refusalOf(() => one.stopSession('s', input, never))).toMatchObject({
      how: 'rejected',
      code: 'ERR_CLOSED',
    });
    expect([other.isStopRequested(), two.claimExecution('s').phase]).toEqual([false, 'pending']);
  });

  it('a toJSON that stops the session is joined', async () => {
    const { one, other } = members();
    let [inner, calls] = [undefined as Promise<void> | undefined, 0];
    const input = {
      toJSON: () =>
        void (inner ??= one.stopSession('s', {}, async () => {
          calls += 1;
        })),
    };
    const outer = one.stopSession('s', input, never);
    expect(outer).toBe(inner);
    expect([calls, other.isStopRequested()]).toEqual([1, true]);
  });
});

describe('options', () => {
  const core = { newId: () => 'id', now: () => 1, scope: 'never', onForeignStop: async () => {} };
  const logger = { level: 'debug', onEvent: nothing };

  it.each<[string, object, (options: never) => unknown]>([
    ['of a core', core, (options) => new RuntimeCore(options)],
    ['of a logger', logger, (options) => setLogger(options)],
  ])(
    '%s: what a getter throws reaches the caller, and nothing is made',
    async (_, options, take) => {
      const handles = binding.handleCount();
      for (const key of Object.keys(options)) {
        const thrown = new Error(key);
        const hostile = {
          ...options,
          get [key]() {
            throw thrown;
          },
        };
        expect(await answerOf(() => take(hostile as never))).toEqual({
          how: 'threw',
          value: thrown,
        });
      }
      expect(binding.handleCount()).toBe(handles);
    },
  );
});
