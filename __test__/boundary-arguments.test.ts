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
  OK,
  call,
  facts,
  makeWholeWorld,
  promises,
  refusalOf,
  run,
} from './fixtures/boundary/kit.js';

const STRINGS = [undefined, null, 7, 7n, true, Symbol('s'), {}, [], () => 's', new String('s')];
const IDS = [...STRINGS, ''];
const OPTIONAL_STRINGS = STRINGS.slice(1);
const FUNCTIONS = [undefined, null, 7, 'f', {}, []];
const OBJECTS = [undefined, null, 7, 'o', 7n, true, Symbol('o')];
const BOOLEANS = [null, 0, 1, '', 'true', {}];

/** Argument by argument: what it is called, and what it must not be. */
type Bad = readonly [place: number, name: string, values: readonly unknown[]];
interface Row {
  readonly on: keyof typeof CLASSES;
  readonly method: string;
  /** Which handle of the world, if not the one of its class. */
  readonly handle?: 'pending' | 'attached';
  readonly good: readonly unknown[];
  readonly bad: readonly Bad[];
}

const nothing = () => {};
const never = () => new Promise<never>(nothing);
const good = run('pending', 'good');
const bound = run('running', 'a');
const request = { operationId: 'o', ownerId: 'w', sessionId: null, exclusivityKeys: ['k'] };

/** An object that is right but for one field. */
const but = (whole: object, field: string, values: readonly unknown[]) =>
  values.map((value) => ({ ...whole, [field]: value }));

const runs = (whole: object, name: string): Bad[] =>
  ['sessionId', 'runId', 'turnId'].map((field) => [0, `${name}.${field}`, but(whole, field, STRINGS)]);

const outcomes: Bad[] = [
  [0, 'outcome', OBJECTS],
  [0, 'outcome.ok', but({ error: 1 }, 'ok', [undefined, ...BOOLEANS])],
];

const sessionOnly = (...methods: string[]): Row[] =>
  methods.map((method) => ({
    on: 'RuntimeCore',
    method,
    good: ['new'],
    bad: [[0, 'sessionId', IDS]],
  }));

const ROWS: Row[] = [
  ...sessionOnly('hasActiveRuns', 'activeTurnIds', 'requests', 'drainFollowup', 'retractQueue'),
  ...sessionOnly('generations', 'invalidate', 'invalidation', 'dueInvalidation', 'storeCheckpoint'),
  {
    on: 'RuntimeCore',
    method: 'claimExecution',
    good: ['new'],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'pending', OBJECTS.slice(1)],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'hasActiveRun',
    good: ['running', 'run-a', 'turn-a'],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'runId', STRINGS],
      [2, 'turnId', OPTIONAL_STRINGS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'runForTurn',
    good: ['running', undefined, 'turn-a'],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'route', OPTIONAL_STRINGS],
      [2, 'turnId', STRINGS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'activeRun',
    good: ['running', undefined, 'run-a'],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'route', OPTIONAL_STRINGS],
      [2, 'runId', STRINGS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'mutateSessions',
    good: [['new'], nothing],
    bad: [
      [0, 'sessionIds', [undefined, null, 's', 7, {}, [], new Set(['s'])]],
      [0, 'sessionIds[1]', IDS.map((id) => ['new', id])],
      [1, 'task', FUNCTIONS],
      [2, 'options', OBJECTS.slice(1)],
      [2, 'options.quiescent', but({}, 'quiescent', BOOLEANS)],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'request',
    good: ['running', 'request'],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'requestId', STRINGS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'stopSession',
    good: ['running', {}, never],
    bad: [
      [0, 'sessionId', IDS],
      [2, 'attempt', FUNCTIONS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'openSteeringTurn',
    good: ['typed', 'another', nothing],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'turnId', STRINGS],
      [2, 'onUpdate', FUNCTIONS.slice(1)],
    ],
  },
  ...['steer', 'queueMessage'].map<Row>((method) => ({
    on: 'RuntimeCore',
    method,
    good: ['typed', 'text'],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'text', STRINGS],
    ],
  })),
  {
    on: 'RuntimeCore',
    method: 'currentGeneration',
    good: ['running', undefined],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'route', OPTIONAL_STRINGS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'activate',
    good: ['new', undefined, never],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'route', OPTIONAL_STRINGS],
      [2, 'build', FUNCTIONS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'createGeneration',
    good: ['a claim of the world', undefined, {}, {}],
    bad: [
      [0, 'claim', [...OBJECTS, {}, nothing]],
      [1, 'route', OPTIONAL_STRINGS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'loadCheckpoint',
    good: ['new', never],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'load', FUNCTIONS],
    ],
  },
  {
    on: 'RuntimeCore',
    method: 'serialize',
    good: ['new', 'lane', never],
    bad: [
      [0, 'sessionId', IDS],
      [1, 'lane', STRINGS],
      [2, 'task', FUNCTIONS],
    ],
  },
  {
    on: 'ApplicationOperationService',
    method: 'reserve',
    good: [request],
    bad: [
      [0, 'request', OBJECTS],
      [0, 'request.operationId', but(request, 'operationId', IDS)],
      [0, 'request.ownerId', but(request, 'ownerId', STRINGS)],
      [0, 'request.sessionId', but(request, 'sessionId', [7, '', {}, []])],
      [0, 'request.exclusivityKeys', but(request, 'exclusivityKeys', [undefined, 'k', {}, 7])],
      [0, 'request.exclusivityKeys[1]', IDS.map((key) => ({ ...request, exclusivityKeys: ['k', key] }))],
    ],
  },
  { on: 'ApplicationOperationService', method: 'get', good: ['o'], bad: [[0, 'operationId', IDS]] },
  {
    on: 'ApplicationOperationService',
    method: 'listActive',
    good: [{}],
    bad: [
      [0, 'filter', OBJECTS.slice(1)],
      [0, 'filter.sessionId', but({}, 'sessionId', [7, '', {}])],
      [0, 'filter.ownerId', but({}, 'ownerId', [null, 7, {}])],
    ],
  },
  {
    on: 'ExecutionClaim',
    method: 'attach',
    handle: 'pending',
    good: [good, nothing],
    bad: [[0, 'run', OBJECTS], ...runs(good, 'run'), [1, 'onStop', FUNCTIONS]],
  },
  {
    on: 'ExecutionClaim',
    method: 'reserve',
    handle: 'attached',
    good: [{}],
    bad: [[0, 'generation', [...OBJECTS, {}, nothing]]],
  },
  { on: 'ExecutionClaim', method: 'settle', good: [OK], bad: outcomes },
  { on: 'ExecutionClaim', method: 'finalize', handle: 'attached', good: [OK], bad: outcomes },
  {
    on: 'ExecutionClaim',
    method: 'commitStart',
    handle: 'attached',
    good: [never],
    bad: [[0, 'commit', FUNCTIONS]],
  },
  {
    on: 'ExecutionClaim',
    method: 'openRequest',
    good: ['q', {}],
    bad: [[0, 'requestId', STRINGS]],
  },
  {
    on: 'ExecutionClaim',
    method: 'bindInteraction',
    good: [bound],
    bad: [[0, 'binding', OBJECTS], ...runs(bound, 'binding')],
  },
  {
    on: 'StopAttempt',
    method: 'retain',
    good: ['a claim of the world', {}],
    bad: [
      [0, 'claim', [...OBJECTS, {}, nothing]],
      [1, 'owed', OBJECTS.slice(1)],
      [1, 'owed.terminal', but({}, 'terminal', BOOLEANS)],
    ],
  },
  { on: 'StopOperation', method: 'enqueue', good: [never], bad: [[0, 'task', FUNCTIONS]] },
  {
    on: 'StopOperation',
    method: 'complete',
    good: [[]],
    bad: [
      [0, 'members', [...OBJECTS, {}]],
      [0, 'members[0]', [...OBJECTS, {}].map((member) => [member])],
    ],
  },
  {
    on: 'StopOperation',
    method: 'releaseRun',
    good: ['a claim of the world'],
    bad: [[0, 'claim', [...OBJECTS, {}, nothing]]],
  },
  { on: 'StopDelivery', method: 'settle', good: [OK], bad: outcomes },
  ...['ack', 'nack'].map<Row>((method) => ({
    on: 'SteeringTurn',
    method,
    good: [['id']],
    bad: [
      [0, 'leaseIds', [undefined, null, 'id', 7, {}, new Set(['id'])]],
      [0, 'leaseIds[1]', STRINGS.map((id) => ['id', id])],
    ],
  })),
  {
    on: 'AdmissionLimiter',
    method: 'acquire',
    good: [undefined],
    bad: [[0, 'signal', [null, 7, 's', {}, nothing, new EventTarget()]]],
  },
  {
    on: 'AdmissionLimiter',
    method: 'close',
    good: [new Error('closed')],
    bad: [[0, 'error', OBJECTS]],
  },
  ...(['stop', 'dispose'] as const).map<Row>((method) => ({
    on: 'BackendGeneration',
    method,
    good: [never],
    bad: [[0, 'task', FUNCTIONS]],
  })),
  { on: 'BackendInvalidation', method: 'dispose', good: [never], bad: [[0, 'task', FUNCTIONS]] },
];

const cases = ROWS.flatMap((row) =>
  row.bad.map(([place, name, values]) => ({ ...row, place, name, values })),
);

describe('a wrong argument is a TypeError that names it, and nothing is done', () => {
  it.each(cases)('$on $method: $name', async ({ on, method, handle, good, place, name, values }) => {
    const world = await makeWholeWorld();
    onTestFinished(() => world.core.close());
    const receiver = world[handle ?? CLASSES[on][1]];
    const before = facts(world);
    for (const value of values) {
      const given = good.map((each) => (each === 'a claim of the world' ? world.claim : each));
      while (given.length <= place) given.push(undefined);
      given[place] = value;
      const refused = await refusalOf(() => call(receiver, method, receiver, given));
      expect(refused, describeValue(value)).toEqual({
        how: promises(on, method) ? 'rejected' : 'threw',
        code: 'ERR_INVALID_ARG_TYPE',
        type: 'TypeError',
        message: expect.stringContaining(`"${name}"`),
      });
      expect(facts(world), describeValue(value)).toEqual(before);
    }
  });
});

const describeValue = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `given ${Object.keys(value).length} keys, ${String(Object.values(value).at(-1)?.constructor)}`
    : `given ${String(value)}`;

const constructed = async (make: () => unknown) => refusalOf(make);
const wrong = (name: string) => ({
  how: 'threw',
  code: 'ERR_INVALID_ARG_TYPE',
  type: 'TypeError',
  message: expect.stringContaining(`"${name}"`),
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
    const handles = call({ of: count }, 'of', undefined, []);
    for (const value of values)
      expect(await constructed(() => construct(RuntimeCore, value))).toEqual(wrong(name));
    expect(count()).toBe(handles);
  });

  it.each<[string, readonly unknown[]]>([
    ['options', OBJECTS.slice(1)],
    ['options.scope', but({}, 'scope', [null, 7, '', {}])],
  ])('of an admission service: %s', async (name, values) => {
    for (const value of values)
      expect(await constructed(() => construct(ApplicationOperationService, value))).toEqual(
        wrong(name),
      );
  });

  it('of a limiter: a RangeError for whatever is no positive safe integer', async () => {
    const bad = [undefined, null, 0, -1, 1.5, NaN, Infinity, 2 ** 53, '1', 1n, {}, [1]];
    for (const capacity of bad)
      expect(await constructed(() => construct(AdmissionLimiter, capacity))).toEqual({
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

function count(): number {
  return new ApplicationOperationService().listActive().length;
}

describe('a function refuses in the same way', () => {
  it('sessionOperationExclusivityKey: sessionId', async () => {
    for (const id of IDS)
      expect(
        await refusalOf(() =>
          call({ f: sessionOperationExclusivityKey }, 'f', undefined, [id]),
        ),
      ).toEqual(wrong('sessionId'));
  });

  const heard: unknown[] = [];
  const options = { level: 'debug', onEvent: (events: unknown[]) => heard.push(...events) };

  it.each<[string, string, readonly unknown[]]>([
    ['options', 'ERR_INVALID_ARG_TYPE', OBJECTS.slice(2)],
    ['options.level', 'ERR_INVALID_ARG_TYPE', but(options, 'level', STRINGS)],
    ['options.level', 'ERR_INVALID_ARG_VALUE', but(options, 'level', ['', 'verbose', 'DEBUG', 'off'])],
    ['options.onEvent', 'ERR_INVALID_ARG_TYPE', but(options, 'onEvent', FUNCTIONS)],
  ])('setLogger: %s (%s), and the logger that was set goes on', async (name, code, values) => {
    setLogger(options as Parameters<typeof setLogger>[0]);
    onTestFinished(() => setLogger());
    for (const value of values) {
      heard.length = 0;
      const refused = await refusalOf(() => call({ setLogger }, 'setLogger', undefined, [value]));
      expect(refused).toEqual({ ...wrong(name), code });
      const core = new RuntimeCore({ newId: () => 'id', now: () => 1 });
      core.claimExecution('s').release();
      core.close();
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(heard.length).toBeGreaterThan(0);
    }
  });
});
