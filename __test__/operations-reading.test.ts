// Reading arguments runs other people's code: it may throw, and it may call the same journal.
import { describe, expect, it } from 'vitest';
import { OperationJournal, inputDigest, operationDescriptor } from '../index.js';
import {
  DIGEST,
  ask,
  handClock,
  inMemory,
  newPath,
  openJournal,
  openLogs,
  reopened,
  rowIn,
} from './operations-kit.js';

const failure = new RangeError('mine');
const fails = () => {
  throw failure;
};
/** An object whose only member throws when it is read. */
const trap = (name: string) => Object.defineProperty({}, name, { get: fails, enumerable: true });

const PAYLOADS: [string, () => object][] = [
  ['a getter', () => trap('x')],
  ['a getter far down', () => ({ a: [{ b: trap('x') }] })],
  ['a toJSON', () => ({ x: { toJSON: fails } })],
  ['a toJSON of the whole', () => ({ toJSON: fails })],
  ['a proxy that lists nothing', () => ({ x: new Proxy({}, { ownKeys: fails }) })],
  ['a proxy that gives nothing', () => new Proxy({ a: 1 }, { get: fails })],
  ['a boxed number', () => ({ x: Object.assign(Object(1), { valueOf: fails }) })],
];

describe('what is thrown while an argument is read', () => {
  it.each(PAYLOADS)('by %s reaches the caller unchanged, and nothing is done', async (_, make) => {
    const journal = inMemory();
    const before = rowIn(journal, 'r', 'running/accepted');
    expect(() => journal.reserveSync('a', DIGEST, make())).toThrow(failure);
    await expect(journal.reserve('a', DIGEST, make())).rejects.toBe(failure);
    expect(() => inputDigest('', make())).toThrow(failure);
    expect(() => journal.updateSync('r', { progress: 0.5, result: make() })).toThrow(failure);
    await expect(journal.update('r', { state: 'succeeded', result: make() })).rejects.toBe(failure);
    expect([journal.status('a'), journal.status('r')]).toEqual([null, before]);
    expect(journal.reserveSync('a', DIGEST, {}).outcome).toBe('created');
  });

  it.each([
    ['updateSync', 'state', (options: object) => ['r', options]],
    ['updateSync', 'submission', (options: object) => ['r', options]],
    ['updateSync', 'progress', (options: object) => ['r', options]],
    ['updateSync', 'stage', (options: object) => ['r', options]],
    ['updateSync', 'error', (options: object) => ['r', options]],
    ['updateSync', 'backendReference', (options: object) => ['r', options]],
    ['updateSync', 'result', (options: object) => ['r', options]],
    ['resolveSync', 'state', (options: object) => ['r', options]],
    [
      'resolveSync',
      'note',
      (options: object) => ['r', Object.assign(options, { state: 'failed' })],
    ],
    ['forgetSync', 'finishedBefore', (options: object) => [options]],
    ['page', 'offset', (options: object) => ['', options]],
    ['page', 'state', (options: object) => ['', options]],
    ['watch', 'id', (options: object) => [options]],
    ['watch', 'scope', (options: object) => [options]],
    ['watch', 'signal', (options: object) => [options]],
  ])('%s, by its member %s, reaches the caller unchanged', (method, member, args) => {
    const journal = inMemory();
    const before = rowIn(journal, 'r', 'running/accepted');
    expect(() => ask(journal, method, ...args(trap(member)))).toThrow(failure);
    expect(journal.status('r')).toEqual(before);
  });

  it('by the options of an opening, of logs and of a descriptor reaches the caller, too', async () => {
    const logs = await openLogs();
    for (const member of ['bounds', 'durability', 'clock'])
      await expect(OperationJournal.open('never', trap(member))).rejects.toBe(failure);
    expect(() => OperationJournal.inMemory({ bounds: trap('retain') })).toThrow(failure);
    for (const member of ['offset', 'signal', 'scope'])
      expect(() => logs.follow('a', trap(member))).toThrow(failure);
    for (const member of ['id', 'version', 'title', 'description', 'inputSchema', 'resultSchema'])
      expect(() => operationDescriptor(trap(member) as never)).toThrow(failure);
  });

  it('by a revoked proxy is a TypeError, and the next call works', () => {
    const journal = inMemory();
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const call of [
      () => journal.reserveSync('a', DIGEST, { x: revoked.proxy }),
      () => journal.reserveSync('a', DIGEST, revoked.proxy),
      () => journal.page('', revoked.proxy),
      () => journal.watch(revoked.proxy),
      () => inputDigest('', revoked.proxy),
    ])
      expect(call).toThrow(TypeError);
    expect(journal.reserveSync('a', DIGEST, {}).outcome).toBe('created');
  });
});

describe('what is read', () => {
  it('is read once, before the call returns', async () => {
    const journal = inMemory();
    rowIn(journal, 'r', 'running/accepted');
    const read: string[] = [];
    const counted = (members: Record<string, unknown>) => {
      const object = {};
      for (const [name, value] of Object.entries(members))
        Object.defineProperty(object, name, {
          get: () => (read.push(name), value),
          enumerable: true,
        });
      return object;
    };
    const reserving = journal.reserve('a', DIGEST, counted({ x: 1, y: counted({ z: 2 }) }));
    expect(read).toEqual(['x', 'y', 'z']);
    await reserving;
    read.length = 0;
    const patch = { state: 'running', progress: 0.5, stage: 's', error: 'e', result: {} };
    const updating = journal.update('r', counted(patch));
    expect(read.sort()).toEqual(Object.keys(patch).sort());
    await updating;
    read.length = 0;
    journal.page('', counted({ offset: 0, state: 'queued' }));
    expect(read).toEqual(['offset', 'state']);
  });

  it('is the value of that moment: what is changed afterwards changes nothing', async () => {
    const journal = inMemory();
    const payload = { list: [1, { deep: 'as it was' }] };
    const reserving = journal.reserve('a', DIGEST, payload);
    payload.list.length = 1;
    (payload as Record<string, unknown>)['more'] = true;
    await reserving;
    const result = { n: 1 };
    const patch: Record<string, unknown> = { state: 'running', result };
    const updating = journal.update('a', patch);
    Object.assign(patch, { state: 'failed', error: 'late' });
    result.n = 2;
    await updating;
    expect(journal.payload('a')).toEqual({ list: [1, { deep: 'as it was' }] });
    expect(journal.status('a')).toMatchObject({ state: 'running', error: null, result: { n: 1 } });
  });

  it('is given as a copy: who changes an answer changes nothing else', () => {
    const journal = inMemory();
    const { status } = journal.reserveSync('a', DIGEST, { list: [1] });
    (status.input!['list'] as number[]).push(2);
    (journal.payload('a')!['list'] as number[]).push(3);
    journal.page().operations.pop();
    journal.stats().scopes.pop();
    Object.assign(journal.status('a') as object, { state: 'failed' });
    expect(journal.status('a')).toMatchObject({ state: 'queued', input: { list: [1] } });
    expect([journal.page().operations.length, journal.stats().scopes.length]).toEqual([1, 1]);
    expect(Object.isFrozen(journal.bounds)).toBe(true);
  });
});

describe('code that runs while an argument is read', () => {
  it('may read and write the same journal, as if before', () => {
    const journal = inMemory();
    const payload = {
      get x() {
        return journal.reserveSync('inner', DIGEST, { from: 'getter' }).status.state;
      },
      y: { toJSON: () => journal.updateSync('inner', { state: 'running' }).state },
    };
    expect(journal.reserveSync('outer', DIGEST, payload).status).toMatchObject({
      input: { x: 'queued', y: 'running' },
      queuePosition: 0,
    });
    const result = { toJSON: () => ({ rows: journal.page().operations.length }) };
    expect(journal.updateSync('outer', { state: 'running', result }).result).toEqual({ rows: 2 });
  });

  it('may end the row that is being updated: the update is then refused', () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted');
    const result = { toJSON: () => ({ by: journal.updateSync('a', { state: 'failed' }).state }) };
    expect(() => journal.updateSync('a', { state: 'succeeded', result })).toThrow(
      expect.objectContaining({ code: 'ERR_OPERATION_TERMINAL' }),
    );
    expect(journal.status('a')).toMatchObject({ state: 'failed', result: null });
  });

  it('may close the journal: the call was made before, and is done before the file is let go', async () => {
    const at = newPath();
    let journal = await openJournal(at);
    const closing = (id: string) => ({ id, toJSON: () => (void journal.close(), { id }) });
    expect(journal.reserveSync('a', DIGEST, closing('a')).outcome).toBe('created');
    expect(() => journal.status('a')).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }));
    journal = await reopened(journal, at);
    const reserving = journal.reserve('b', DIGEST, closing('b'));
    expect(() => journal.status('a')).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }));
    expect((await reserving).outcome).toBe('created');
    journal = await reopened(journal, at);
    expect([journal.payload('a'), journal.payload('b')]).toEqual([{ id: 'a' }, { id: 'b' }]);
  });
});

describe('a clock', () => {
  it('is asked once for each call that writes, before it returns, and not for one that reads', async () => {
    let asked = 0;
    const journal = inMemory({}, () => (asked += 1));
    expect(asked).toBe(0);
    const writing = journal.reserve('a', DIGEST, {});
    expect(asked).toBe(1);
    await writing;
    journal.updateSync('a', { state: 'running' });
    expect(asked).toBe(2);
    for (const read of ['status', 'startedAt', 'payload', 'cancelRequested'])
      ask(journal, read, 'a');
    for (const read of ['page', 'stats', 'nextQueued', 'interruptedAccepted']) ask(journal, read);
    journal.watch();
    expect(asked).toBe(2);
  });

  it('has its fractions cut off', () => {
    const clock = handClock(5.999);
    const journal = inMemory({}, clock.read);
    expect(journal.reserveSync('a', DIGEST, {}).status.submittedAt).toBe(5);
    clock.now = 0;
    expect(journal.reserveSync('b', DIGEST, {}).status.submittedAt).toBe(0);
    clock.now = Number.MAX_SAFE_INTEGER;
    expect(journal.reserveSync('c', DIGEST, {}).status.submittedAt).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([NaN, -1, -0.1, Infinity, 2 ** 53, '7', undefined, null, 7n])(
    'that gives %s is ERR_OUT_OF_RANGE, and nothing is done',
    async (wrong) => {
      let time: unknown = 1;
      const journal = inMemory({}, () => time as number);
      const { status } = journal.reserveSync('a', DIGEST, {});
      time = wrong;
      const range = expect.objectContaining({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
      expect(() => journal.updateSync('a', { state: 'running' })).toThrow(range);
      await expect(journal.reserve('b', DIGEST, {})).rejects.toEqual(range);
      expect([journal.status('a'), journal.status('b')]).toEqual([status, null]);
    },
  );

  it('that throws is heard unchanged, and nothing is done', async () => {
    let time = () => 1;
    const journal = inMemory({}, () => time());
    journal.reserveSync('a', DIGEST, {});
    time = fails;
    expect(() => journal.updateSync('a', { state: 'running' })).toThrow(failure);
    await expect(journal.reserve('b', DIGEST, {})).rejects.toBe(failure);
    expect([journal.status('a')?.state, journal.status('b')]).toEqual(['queued', null]);
  });

  it('may use its journal', () => {
    let inside = false;
    const journal: OperationJournal = inMemory({}, () => {
      if (inside) return 0;
      inside = true;
      journal.reserveSync('of the clock', DIGEST, {});
      return journal.page().active;
    });
    expect(journal.reserveSync('a', DIGEST, {}).status).toMatchObject({
      submittedAt: 1,
      queuePosition: 1,
    });
  });
});
