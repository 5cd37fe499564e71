// More than one copy of the package in one thread, and copies in vm contexts, over one journal.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as product from '../index.js';
import { anotherCopy, anotherFace, inContext, type Product } from './fixtures/boundary/copies.js';
import {
  DIGEST,
  expectError,
  newPath,
  openJournal,
  openLogs,
  outcomeOf,
  temporary,
  until,
} from './operations-kit.js';

const COPIES: [string, () => Product][] = [
  ['a copy with an addon of its own', anotherCopy],
  ['a copy of the face alone', anotherFace],
  ['a copy in a vm context', () => inContext().product],
  [
    'a copy in a vm context without the globals of Node.js',
    () => inContext({ bare: true }).product,
  ],
];

const ADAPTER = {
  submit: async (id: string) => `ref-${id}`,
  observe: async () => ({ state: 'succeeded', result: {} }) as const,
  cancel: async () => {},
};

async function openWith({ OperationJournal }: Product, at: string) {
  const journal = await OperationJournal.open(at);
  onTestFinished(() => journal.close());
  return journal;
}

const codeOf = async (call: () => unknown) =>
  ((await outcomeOf(call)) as { code?: string } | undefined)?.code;

/** What comes of another copy, as this one would have made it. */
const own = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(COPIES)('%s', (_, copy) => {
  it('is another one, and works by itself', async () => {
    const other = copy();
    expect(other.OperationJournal).not.toBe(product.OperationJournal);
    const at = newPath();
    const journal = await openWith(other, at);
    const watch = journal.watch();
    expect((await journal.reserve('a', DIGEST, { x: [1] })).outcome).toBe('created');
    expect((await watch.next()).value.operationId).toBe('a');
    expect(journal.updateSync('a', { state: 'running' }).state).toBe('running');
    const logs = await other.OperationLogs.open(temporary());
    const following = logs.follow('a').next();
    await logs.append('a', 'line');
    expect((await following).value.text).toBe('line\n');
    const runner = new other.OperationRunner(journal, logs, ADAPTER, { resultSchema: true });
    runner.start();
    await journal.reserve('b', DIGEST, {});
    runner.enqueue();
    await until(() => journal.status('b')?.state === 'succeeded');
    const plan = async () => ({ summary: 'plan', expiresAt: 1 });
    const service = new other.OperationService({ scope: '', journal, logs, runner, plan });
    const status = await service.dispatch({ op: 'status', operationId: 'b' }, 'read');
    expect(status.state).toBe('succeeded');
    await runner.stop();
    expect(other.inputDigest('s', { a: 1 })).toBe(product.inputDigest('s', { a: 1 }));
    await Promise.all([journal.close(), logs.close()]);
    expect((await openJournal(at)).status('b')?.state).toBe('succeeded');
  });

  it('shares the file of a journal: rows, watchers, bounds and the scope of a runner', async () => {
    const at = newPath();
    const mine = await openJournal(at, { bounds: { retain: 7 } });
    const other = copy();
    const theirs = await openWith(other, at);
    expect(own(theirs.bounds)).toEqual(mine.bounds);
    const [here, there] = [mine.watch(), theirs.watch()];
    const reserving = [mine, theirs, mine, theirs].map((each) => each.reserve('a', DIGEST, {}));
    const outcomes = (await Promise.all(reserving)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
    for (const watch of [here, there]) expect((await watch.next()).value.operationId).toBe('a');
    theirs.updateSync('a', { state: 'running', progress: 0.5 });
    expect(mine.status('a')).toMatchObject({ state: 'running', progress: 0.5 });
    expect(own(theirs.status('a'))).toEqual(mine.status('a'));
    const logs = await openLogs();
    const options = { scope: 's', resultSchema: true };
    const runner = new product.OperationRunner(mine, logs, ADAPTER, options);
    onTestFinished(() => runner.stop());
    runner.start();
    const otherLogs = await other.OperationLogs.open(temporary());
    const twin = new other.OperationRunner(theirs, otherLogs, ADAPTER, options);
    expect(await codeOf(() => twin.start())).toBe('ERR_SCOPE_OWNED');
    await theirs.reserve('b', DIGEST, {}, 's');
    runner.enqueue();
    await until(() => theirs.status('b', 's')?.state === 'succeeded');
    await mine.close();
    twin.start();
    await theirs.reserve('c', DIGEST, {}, 's');
    twin.enqueue();
    await until(() => theirs.status('c', 's')?.state === 'succeeded');
    await twin.stop();
    await Promise.all([theirs.close(), otherLogs.close()]);
    expect((await openJournal(at)).status('a')?.state).toBe('interrupted');
  });

  it('leaves the calls of this one alone, however they are mixed', async () => {
    const at = newPath();
    const mine = await openJournal(at);
    const before = Array.from({ length: 50 }, (_, index) => mine.reserve(`b${index}`, DIGEST, {}));
    const theirs = await openWith(copy(), at);
    const after = Array.from({ length: 100 }, (_, index) =>
      (index % 2 ? mine : theirs).reserve(`a${index}`, DIGEST, { index }),
    );
    const given = await Promise.all([...before, ...after]);
    expect(given.map(({ status }) => status.operationId)).toEqual([
      ...before.map((_, index) => `b${index}`),
      ...after.map((_, index) => `a${index}`),
    ]);
    expect(mine.page().active).toBe(150);
  });

  it('has handles that are none here, and errors that are told by their code', async () => {
    const other = copy();
    const theirs = other.OperationJournal.inMemory();
    const logs = await openLogs();
    const make = () =>
      new product.OperationRunner(theirs as never, logs, ADAPTER, { resultSchema: true });
    expectError(await outcomeOf(make), 'ERR_INVALID_ARG_TYPE');
    const { reserve } = product.OperationJournal.prototype;
    expect(await codeOf(() => reserve.call(theirs, 'a', DIGEST, {}))).toBe('ERR_INVALID_THIS');
    expect(await codeOf(() => theirs.updateSync('none', {}))).toBe('ERR_OPERATION_UNKNOWN');
    expect(await codeOf(() => theirs.reserve(5 as never, DIGEST, {}))).toBe('ERR_INVALID_ARG_TYPE');
    expect(await codeOf(() => theirs.reserve('a', DIGEST, { x: NaN }))).toBe('ERR_INPUT_REFUSED');
    await theirs.close();
    expect(await codeOf(() => theirs.page())).toBe('ERR_CLOSED');
  });

  it('ends its handles by `await using`', async () => {
    const other = copy();
    for (const type of [other.OperationJournal, other.OperationLogs])
      expect(Object.getOwnPropertyNames(type.prototype)).not.toContain('undefined');
  });
});

describe('a test runner that resets its modules', () => {
  it('finds the journal that was opened before, and neither is disturbed', async () => {
    const at = newPath();
    const before = await openJournal(at);
    const pending = before.reserve('before', DIGEST, {});
    const watch = before.watch();
    for (let round = 0; round < 3; round += 1) {
      vi.resetModules();
      const after = await openWith(await import('../index.js'), at);
      expect((await after.reserve(`after ${round}`, DIGEST, {})).outcome).toBe('created');
      await after.close();
    }
    expect((await pending).outcome).toBe('created');
    expect((await watch.next()).value.operationId).toBe('before');
    expect(before.page().active).toBe(4);
  });
});

describe('values of a vm context', () => {
  const { evaluate } = inContext();

  it('are taken as payload, patch, options and bounds', async () => {
    const bounds = evaluate('({ retain: 3 })') as object;
    const journal = product.OperationJournal.inMemory({ bounds });
    expect(journal.bounds.retain).toBe(3);
    const payload = evaluate('({ list: [1, { deep: null }], at: new Date(0), n: 1.5 })') as object;
    expect((await journal.reserve('a', DIGEST, payload)).status.input).toEqual({
      list: [1, { deep: null }],
      at: '1970-01-01T00:00:00.000Z',
      n: 1.5,
    });
    const patch = evaluate('({ state: "running", result: { ok: [true] } })') as object;
    expect(journal.updateSync('a', patch)).toMatchObject({ result: { ok: [true] } });
    expect(journal.page('', evaluate('({ offset: 0 })') as object).active).toBe(1);
    for (const wrong of ['new Map()', 'new Set()', '/x/', 'new Error("x")', 'new Uint8Array(1)']) {
      const value = evaluate(`({ wrong: ${wrong} })`) as object;
      expect(await codeOf(() => journal.reserveSync('b', DIGEST, value))).toBe('ERR_INPUT_REFUSED');
    }
  });

  it('an AbortSignal made there ends watching and following', async () => {
    const controller = evaluate('new AbortController()') as AbortController;
    const journal = product.OperationJournal.inMemory();
    const logs = await openLogs();
    const { signal } = controller;
    const waiting = [journal.watch({ signal }).next(), logs.follow('a', { signal }).next()];
    controller.abort();
    const over = { value: undefined, done: true };
    expect(await Promise.all(waiting)).toEqual([over, over]);
  });
});
