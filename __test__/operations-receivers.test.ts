// Methods of durable operations, called on what is not their handle.
import { describe, expect, it, onTestFinished } from 'vitest';
import { OperationJournal, OperationLogs, OperationRunner, OperationService } from '../index.js';
import { DIGEST, inMemory, openLogs, outcomeOf } from './operations-kit.js';
import { DISPOSE_ASYNC } from './fixtures/operations/symbols.js';

interface World {
  readonly OperationJournal: OperationJournal;
  readonly OperationLogs: OperationLogs;
  readonly OperationRunner: OperationRunner;
  readonly OperationService: OperationService;
}
type Name = keyof World;

const CLASSES = { OperationJournal, OperationLogs, OperationRunner, OperationService };
const NAMES = Object.keys(CLASSES) as Name[];
const prototypeOf = (name: Name) =>
  CLASSES[name].prototype as unknown as Record<PropertyKey, (...args: unknown[]) => unknown>;

/** What each method takes. */
const METHODS: Record<Name, Record<PropertyKey, unknown[]>> = {
  OperationJournal: {
    ...twins('reserve', ['b', DIGEST, {}]),
    ...twins('update', ['a', { stage: 'changed' }]),
    ...twins('requestCancel', ['a']),
    ...twins('resolve', ['a', { state: 'failed' }]),
    ...twins('forget', [{ finishedBefore: Number.MAX_SAFE_INTEGER }]),
    ...twins('drainRetired', []),
    ...{ status: ['a'], startedAt: ['a'], payload: ['a'], cancelRequested: ['a'] },
    ...{ page: [], nextQueued: [], interruptedAccepted: [], stats: [], watch: [] },
    ...{ verify: [], compact: [], backup: ['/nowhere'], close: [], [DISPOSE_ASYNC]: [] },
  },
  OperationLogs: {
    ...twins('append', ['a', 'changed']),
    ...twins('retire', ['a']),
    ...{ read: ['a', 0], follow: ['a'], close: [], [DISPOSE_ASYNC]: [] },
  },
  OperationRunner: { start: [], stop: [], enqueue: [], requestCancel: ['a'] },
  OperationService: { dispatch: [{ op: 'list' }, 'read'] },
};

function twins(method: string, args: unknown[]): Record<string, unknown[]> {
  return { [method]: args, [`${method}Sync`]: args };
}

/** Those that give a promise, and so reject. */
const PROMISES: PropertyKey[] = [
  ...['reserve', 'update', 'requestCancel', 'resolve', 'forget', 'drainRetired', 'verify'],
  ...['compact', 'backup', 'close', DISPOSE_ASYNC, 'append', 'retire', 'stop', 'dispatch'],
];

async function makeWorld(): Promise<World> {
  const journal = inMemory({}, () => 1);
  const logs = await openLogs();
  const adapter = { submit: async () => 'ref', observe: async () => ({}), cancel: async () => {} };
  const runner = new OperationRunner(journal, logs, adapter as never, { resultSchema: true });
  onTestFinished(() => runner.stop());
  const plan = async () => ({ summary: 'plan', expiresAt: 1 });
  const service = new OperationService({ scope: '', journal, logs, runner, plan });
  journal.reserveSync('a', DIGEST, {});
  logs.appendSync('a', 'line');
  return {
    OperationJournal: journal,
    OperationLogs: logs,
    OperationRunner: runner,
    OperationService: service,
  };
}

/** How everything stands, if it still answers. */
const facts = ({ OperationJournal: journal, OperationLogs: logs }: World) => ({
  stats: journal.stats(),
  status: journal.status('a'),
  intent: journal.cancelRequested('a'),
  log: logs.read('a', 0),
});

describe('what is listed here is all there is', () => {
  it.each(NAMES)('of %s', (name) => {
    const found = Reflect.ownKeys(prototypeOf(name)).filter(
      (key) => key !== 'constructor' && !String(key).startsWith('_'),
    );
    expect(found.map(String).sort()).toEqual(Reflect.ownKeys(METHODS[name]).map(String).sort());
  });

  it.each(NAMES)('of the internal members of %s: none can be listed', (name) => {
    expect(Object.keys(prototypeOf(name))).toEqual([]);
  });
});

describe.each(NAMES)('%s', (name) => {
  it('says ERR_INVALID_THIS on what is not its handle, and does nothing', async () => {
    const world = await makeWorld();
    const before = facts(world);
    const prototype = prototypeOf(name);
    const strangers: [string, unknown][] = [
      ['nothing', undefined],
      ['null', null],
      ['a number', 7],
      ['a plain object', {}],
      ['a look-alike', { _number: 0, _runner: 0 }],
      ['a function', () => {}],
      ['the prototype', prototype],
      ['an object of the prototype', Object.create(prototype as object)],
      ...NAMES.filter((other) => other !== name).map((other): [string, unknown] => [
        other,
        world[other],
      ]),
    ];
    const strays: string[] = [];
    for (const [what, stranger] of strangers)
      for (const method of Reflect.ownKeys(METHODS[name])) {
        const args = METHODS[name][method] as unknown[];
        let how = 'threw';
        const error = await outcomeOf(() => {
          const given = Reflect.apply(prototype[method] as () => unknown, stranger, args);
          how = given instanceof Promise ? 'rejected' : 'returned';
          return given;
        });
        const { name: type, code } = (error ?? {}) as { name?: string; code?: string };
        const due = `${PROMISES.includes(method) || isAsyncCancel(name, method) ? 'rejected' : 'threw'} TypeError ERR_INVALID_THIS`;
        const answer = `${how} ${type} ${code}`;
        if (answer !== due) strays.push(`${String(method)} on ${what}: ${answer}`);
      }
    expect(strays).toEqual([]);
    expect(facts(world)).toEqual(before);
  });

  it('has methods that work apart from it when they are bound', async () => {
    const world = await makeWorld();
    const handle = world[name];
    for (const method of Reflect.ownKeys(METHODS[name])) {
      if (method === 'backup' || method === 'close' || method === DISPOSE_ASYNC) continue;
      const bound = (prototypeOf(name)[method] as () => unknown).bind(handle);
      const ended = await outcomeOf(() =>
        Reflect.apply(bound, undefined, METHODS[name][method] as []),
      );
      expect((ended as { code?: string } | undefined)?.code, String(method)).not.toBe(
        'ERR_INVALID_THIS',
      );
    }
  });
});

const isAsyncCancel = (name: Name, method: PropertyKey): boolean =>
  name === 'OperationRunner' && method === 'requestCancel';

describe.each(['OperationJournal', 'OperationLogs'] as const)('%s', (name) => {
  it('gives no working handle to a caller who constructs one', () => {
    expect(() => Reflect.construct(CLASSES[name] as never, [])).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'ERR_INVALID_THIS' }),
    );
  });
});
