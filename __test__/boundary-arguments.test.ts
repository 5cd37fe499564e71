// Wrong arguments, of every public method: a TypeError that names the argument, and nothing done.
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  AdmissionLimiter,
  ApplicationOperationService,
  RuntimeCore,
  sessionOperationExclusivityKey,
  setLogger,
} from '../index.js';
import {
  CLASSES,
  binding,
  call,
  facts,
  macrotask,
  makeCore,
  makeWholeWorld,
  promises,
  refusalOf,
} from './fixtures/boundary/kit.js';
import { CLAIM, FUNCTIONS, IDS, OBJECTS, ROWS, STRINGS, but } from './fixtures/boundary/wrong.js';

const cases = ROWS.flatMap((row) =>
  row.bad.map(([place, name, values]) => ({ ...row, place, name, values })),
);

/** Which of the wrong values it was. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `given ${Object.keys(value).length} keys, ${String(Object.values(value).at(-1)?.constructor)}`
    : `given ${String(value)}`;

const wrong = (name: string) => ({
  how: 'threw',
  code: 'ERR_INVALID_ARG_TYPE',
  type: 'TypeError',
  message: expect.stringContaining(`"${name}"`),
});

describe('a wrong argument is a TypeError that names it, and nothing is done', () => {
  it.each(cases)(
    '$on $method: $name',
    async ({ on, method, handle, good, place, name, values }) => {
      const world = await makeWholeWorld();
      onTestFinished(() => world.core.close());
      const receiver = world[handle ?? CLASSES[on][1]];
      const before = facts(world);
      for (const value of values) {
        const given = good.map((each) => (each === CLAIM ? world.claim : each));
        while (given.length <= place) given.push(undefined);
        given[place] = value;
        const refused = await refusalOf(() => call(receiver, method, receiver, given));
        expect(refused, shown(value)).toEqual({
          how: promises(on, method) ? 'rejected' : 'threw',
          code: 'ERR_INVALID_ARG_TYPE',
          type: 'TypeError',
          message: expect.stringContaining(`"${name}"`),
        });
        expect(facts(world), shown(value)).toEqual(before);
      }
    },
  );

  it('also by a core that has been asked for nothing yet', async () => {
    const other = makeCore();
    onTestFinished(() => other.close());
    const claim = other.claimExecution('s');
    for (const id of IDS) {
      const core = makeCore();
      for (const method of ['claimExecution', 'drainFollowup', 'invalidate', 'generations'])
        expect(await refusalOf(() => call(core, method, core, [id]))).toEqual(wrong('sessionId'));
      expect(core.stats()).toEqual({ sessions: 0, admissions: 0 });
      core.close();
    }
    expect([claim.isExclusive(), other.stats().sessions]).toEqual([true, 1]);
  });

  it('also by a core that is closed, and no later one is touched', async () => {
    const core = makeCore();
    core.claimExecution('s');
    core.close();
    const world = await makeWholeWorld();
    onTestFinished(() => world.core.close());
    const before = facts(world);
    for (const id of IDS) {
      for (const method of ['claimExecution', 'drainFollowup', 'invalidate', 'generations']) {
        const { code } = await refusalOf(() => call(core, method, core, [id]));
        expect(['ERR_CLOSED', 'ERR_INVALID_ARG_TYPE']).toContain(code);
      }
    }
    expect(facts(world)).toEqual(before);
  });
});

const construct = (of: unknown, ...args: unknown[]) => Reflect.construct(of as () => void, args);

describe('a constructor refuses in the same way', () => {
  const options = { newId: () => 'id', now: () => 1 };

  it.each<[string, readonly unknown[]]>([
    ['options', OBJECTS],
    ['options.newId', but(options, 'newId', FUNCTIONS)],
    ['options.now', but(options, 'now', FUNCTIONS)],
    ['options.scope', but(options, 'scope', [null, 7, '', {}, Symbol('s')])],
    ['options.onForeignStop', but({ ...options, scope: 's' }, 'onForeignStop', [null, 7, {}])],
  ])('of a core: %s', async (name, values) => {
    const handles = binding.handleCount();
    for (const value of values)
      expect(await refusalOf(() => construct(RuntimeCore, value))).toEqual(wrong(name));
    expect(binding.handleCount()).toBe(handles);
  });

  it.each<[string, readonly unknown[]]>([
    ['options', OBJECTS.slice(1)],
    ['options.scope', but({}, 'scope', [null, 7, '', {}])],
  ])('of an admission service: %s', async (name, values) => {
    for (const value of values)
      expect(await refusalOf(() => construct(ApplicationOperationService, value))).toEqual(
        wrong(name),
      );
  });

  it('of a limiter: a RangeError for whatever is no positive safe integer', async () => {
    const bad = [undefined, null, 0, -1, 1.5, NaN, Infinity, 2 ** 53, '1', 1n, {}, [1]];
    for (const capacity of bad)
      expect(await refusalOf(() => construct(AdmissionLimiter, capacity))).toEqual({
        how: 'threw',
        code: 'ERR_OUT_OF_RANGE',
        type: 'RangeError',
        message: 'capacity must be a positive safe integer',
      });
  });

  it('of a limiter: takes the largest safe integer as it is', async () => {
    const limiter = new AdmissionLimiter(Number.MAX_SAFE_INTEGER);
    expect(limiter.capacity).toBe(Number.MAX_SAFE_INTEGER);
    await limiter.acquire();
    expect([limiter.activeCount, limiter.waitingCount]).toEqual([1, 0]);
  });
});

describe('a function refuses in the same way', () => {
  it('sessionOperationExclusivityKey: sessionId', async () => {
    for (const id of IDS)
      expect(
        await refusalOf(() => call({ f: sessionOperationExclusivityKey }, 'f', undefined, [id])),
      ).toEqual(wrong('sessionId'));
  });

  const heard: unknown[] = [];
  const options = { level: 'debug', onEvent: (events: unknown[]) => heard.push(...events) };

  it.each<[string, string, readonly unknown[]]>([
    ['options', 'ERR_INVALID_ARG_TYPE', OBJECTS.slice(2)],
    ['options.level', 'ERR_INVALID_ARG_TYPE', but(options, 'level', STRINGS)],
    [
      'options.level',
      'ERR_INVALID_ARG_VALUE',
      but(options, 'level', ['', 'verbose', 'DEBUG', 'off']),
    ],
    ['options.onEvent', 'ERR_INVALID_ARG_TYPE', but(options, 'onEvent', FUNCTIONS)],
  ])('setLogger: %s (%s), and the logger that was set goes on', async (name, code, values) => {
    setLogger(options as Parameters<typeof setLogger>[0]);
    onTestFinished(() => setLogger());
    for (const value of values) {
      heard.length = 0;
      const refused = await refusalOf(() => call({ setLogger }, 'setLogger', undefined, [value]));
      expect(refused).toEqual({ ...wrong(name), code });
      const core = makeCore();
      core.claimExecution('s').release();
      core.close();
      await macrotask();
      await macrotask();
      expect(heard.length).toBeGreaterThan(0);
    }
  });
});
