// A service: six verbs, exactly their fields, two authorities, and nothing beyond its scope.
import { describe, expect, it } from 'vitest';
import { backend, endless } from './fixtures/operations/backend.js';
import {
  ADMITTED,
  INPUT_SCHEMA,
  MISSHAPEN,
  UNFIT,
  digestIn,
  makeService,
} from './fixtures/operations/service.js';
import { DIGEST, idsOf, inMemory, openLogs, refusal, rejection, until } from './operations-kit.js';

const EFFECTS: unknown[] = [
  { op: 'start', operationId: 'b', input: { n: 1 } },
  { op: 'start', operationId: 'a', input: { n: 1 } },
  { op: 'start', operationId: 'b', input: { n: NaN } },
  { op: 'cancel', operationId: 'a' },
  { op: 'cancel', operationId: 'none' },
  { op: 'plan', input: { n: 1 } },
];

describe('the verb', () => {
  it('start reserves under the digest of its input, wakes the runner, and may be repeated', async () => {
    const adapter = endless();
    const { call, begin, journal, polls } = await makeService({
      adapter,
      start: true,
      pollSeconds: 600,
    });
    const started = await begin('a', { b: 1, a: 2 });
    expect(started).toMatchObject({ operationId: 'a', input: { b: 1, a: 2 } });
    expect(started.inputDigest).toBe(digestIn('s', { a: 2, b: 1 }));
    await polls(1);
    expect(await begin('a', { a: 2, b: 1 })).toEqual(journal.status('a', 's'));
    const other = () => begin('a', { a: 3 });
    await rejection('ERR_OPERATION_CONFLICT', other, { operationId: 'a', scope: 's' });
    expect(adapter.of('submit')).toEqual(['a']);
    await call({ op: 'cancel', operationId: 'a' });
  });

  it('status is the full record', async () => {
    const { call, begin, journal } = await makeService();
    await begin('a', { x: [1] });
    expect(await call({ op: 'status', operationId: 'a' }, 'read')).toEqual(
      journal.status('a', 's'),
    );
  });

  it('list is a page of the scope, from an offset', async () => {
    const { call, begin, journal } = await makeService({ bounds: { pageSize: 2 } });
    for (const id of ['a', 'b', 'c']) await begin(id, {});
    journal.reserveSync('elsewhere', DIGEST, {});
    const page = journal.page('s');
    expect(await call({ op: 'list' })).toEqual(page);
    expect(await call({ op: 'list', offset: null })).toEqual(page);
    const rest = await call({ op: 'list', offset: page.nextOffset });
    expect([idsOf(rest as never), (rest as typeof page).nextOffset]).toEqual([['a'], null]);
  });

  it('log is a slice, from an offset; an unknown log is empty', async () => {
    const { call, logs } = await makeService();
    logs.appendSync('a', 'line one', 's');
    logs.appendSync('a', 'elsewhere');
    expect(await call({ op: 'log', operationId: 'a' })).toEqual(logs.read('a', 0, 's'));
    expect(await call({ op: 'log', operationId: 'a', offset: 5 })).toMatchObject({ text: 'one\n' });
    expect(await call({ op: 'log', operationId: 'none' })).toMatchObject({ text: '', offset: 0 });
  });

  it('cancel is that of the runner', async () => {
    const adapter = endless();
    const { call, begin, reach, polls, runner } = await makeService({ adapter, start: true });
    await begin('a', {});
    await polls();
    expect(await call({ op: 'cancel', operationId: 'a' })).toMatchObject({ operationId: 'a' });
    await reach('a', 'cancelled');
    expect(adapter.of('cancel')).toEqual(['ref-a']);
    await runner.stop();
    await begin('b', {});
    expect(await call({ op: 'cancel', operationId: 'b' })).toMatchObject({ state: 'cancelled' });
  });

  it.each(['status', 'cancel'])(
    '%s of an operation that there is not is ERR_OPERATION_UNKNOWN',
    async (op) => {
      const { call } = await makeService();
      const asked = () => call({ op, operationId: 'none' });
      await rejection('ERR_OPERATION_UNKNOWN', asked, { operationId: 'none', scope: 's' });
    },
  );

  it('start is refused as reserve refuses', async () => {
    const bounds = { maxQueued: 1, inputBytes: 20, maxReservations: 2, retain: 1 };
    const { begin, journal } = await makeService({ bounds });
    const of = (operationId: string) => ({ operationId, scope: 's' });
    await begin('a', {});
    await rejection('ERR_QUEUE_FULL', () => begin('b', {}), { ...of('b'), limit: 1 });
    const large = () => begin('b', { text: 'x'.repeat(20) });
    await rejection('ERR_INPUT_REFUSED', large, { ...of('b'), path: '', limit: 20 });
    await rejection('ERR_INPUT_REFUSED', () => begin('b', { x: NaN }), { ...of('b'), path: '/x' });
    journal.updateSync('a', { state: 'cancelled' }, 's');
    await begin('b', {});
    journal.updateSync('b', { state: 'cancelled' }, 's');
    await rejection('ERR_FENCE_FULL', () => begin('c', {}), of('c'));
    await rejection('ERR_OPERATION_RETIRED', () => begin('a', {}), of('a'));
  });
});

describe('the shape of a call', () => {
  it.each(MISSHAPEN)(
    '%j is refused with the path of what is wrong, whatever the authority',
    async (asked, path) => {
      const { call, journal, planned } = await makeService();
      for (const authority of ['effect', 'read'] as const)
        await rejection('ERR_CALL_SHAPE', () => call(asked, authority), { path });
      expect([journal.stats().fence.used, planned]).toEqual([0, []]);
    },
  );

  it.each(ADMITTED)('%j is admitted', async (asked) => {
    const { call, begin } = await makeService({ inputSchema: INPUT_SCHEMA });
    await begin('a', { n: 1 });
    const ended = await call(asked).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    expect(['done', 'ERR_OPERATION_UNKNOWN']).toContain(ended);
  });

  it('has each of its fields read once, and what they throw is thrown on', async () => {
    const { call } = await makeService();
    const read: string[] = [];
    const asked = {
      get op() {
        return (read.push('op'), 'status');
      },
      get operationId() {
        return (read.push('operationId'), 'none');
      },
    };
    await rejection('ERR_OPERATION_UNKNOWN', () => call(asked));
    expect(read).toEqual(['op', 'operationId']);
    const failure = new Error('mine');
    const trap = {
      op: 'status',
      get operationId() {
        throw failure;
      },
    };
    await expect(call(trap)).rejects.toBe(failure);
  });

  it('admits no field of a prototype', async () => {
    const { call } = await makeService();
    const asked = Object.create(
      { operationId: 'a' },
      { op: { value: 'status', enumerable: true } },
    );
    await rejection('ERR_CALL_SHAPE', () => call(asked), { path: '/operationId' });
    const polluted = JSON.parse('{"op":"list","__proto__":{"offset":1}}');
    await rejection('ERR_CALL_SHAPE', () => call(polluted), { path: '/__proto__' });
  });
});

describe('under the authority to read', () => {
  it('a verb that has effects is refused before anything is looked at or called', async () => {
    const adapter = endless();
    const { call, begin, journal, planned, polls } = await makeService({
      adapter,
      start: true,
      inputSchema: INPUT_SCHEMA,
    });
    await begin('a', { n: 1 });
    await polls();
    const before = journal.stats().fence;
    const sizes = [planned.length, adapter.of('cancel').length];
    for (const asked of EFFECTS) await rejection('ERR_AUTHORITY', () => call(asked, 'read'));
    expect(journal.stats().fence).toEqual(before);
    expect([planned.length, adapter.of('cancel').length]).toEqual(sizes);
    expect(journal.cancelRequested('a', 's')).toBe(false);
  });

  it('the others do as always', async () => {
    const { call, begin } = await makeService();
    await begin('a', {});
    for (const asked of [
      { op: 'status', operationId: 'a' },
      { op: 'list' },
      { op: 'log', operationId: 'a' },
    ])
      expect(await call(asked, 'read')).toEqual(await call(asked));
  });

  it('is spelt as it is declared, or it is none', async () => {
    const { call } = await makeService();
    for (const wrong of ['write', '', 'EFFECT', 'toString'])
      await rejection('ERR_INVALID_ARG_VALUE', () => call({ op: 'list' }, wrong as never));
    for (const wrong of [null, 5, {}, true])
      await rejection('ERR_INVALID_ARG_TYPE', () => call({ op: 'list' }, wrong as never));
  });
});

describe('the input of start and plan', () => {
  it.each(UNFIT)(
    '%j is judged by the schema, with the path of what is wrong',
    async (input, path) => {
      const { call, begin, journal, planned } = await makeService({ inputSchema: INPUT_SCHEMA });
      const fields = { path, operationId: 'a', scope: 's' };
      await rejection('ERR_INPUT_REFUSED', () => begin('a', input), fields);
      await rejection('ERR_INPUT_REFUSED', () => call({ op: 'plan', input }), { path });
      expect([journal.stats().fence.used, planned]).toEqual([0, []]);
    },
  );

  it('may have no member that the schema does not admit, but for a planDigest', async () => {
    const { call, begin } = await makeService({ inputSchema: INPUT_SCHEMA });
    await rejection('ERR_INPUT_REFUSED', () => begin('a', { n: 1, more: 1 }));
    const plan = (await call({ op: 'plan', input: { n: 1, planDigest: 'old' } })) as {
      planDigest: string;
    };
    expect((await begin('a', { n: 1, planDigest: plan.planDigest })).state).toBe('queued');
  });

  it('that is no plain JSON is refused before the schema is asked', async () => {
    const { begin } = await makeService({ inputSchema: INPUT_SCHEMA });
    for (const [input, path] of [
      [{ n: NaN }, '/n'],
      [{ n: 1, tag: '\ud800' }, '/tag'],
      [{ n: 1, tag: 10n }, '/tag'],
    ] as const)
      await rejection('ERR_INPUT_REFUSED', () => begin('a', input), { path });
  });

  it('is known again after a reopen as the same, by its digest', async () => {
    const journal = inMemory();
    const one = await makeService({ journal });
    await one.begin('a', { n: 1.0, list: [1e21, 'é'] });
    const two = await makeService({ journal });
    expect((await two.begin('a', { list: [1e21, 'é'], n: 1 })).operationId).toBe('a');
    await rejection('ERR_OPERATION_CONFLICT', () =>
      two.begin('a', { n: 1, list: [1e21, 'e\u0301'] }),
    );
  });
});

describe('services that share a journal', () => {
  it('cannot see or stop the operations of one another', async () => {
    const [journal, logs] = [inMemory(), await openLogs()];
    const one = await makeService({ journal, logs, scope: 'one' });
    const two = await makeService({ journal, logs, scope: 'two' });
    await one.begin('a', { of: 'one' });
    logs.appendSync('a', 'line', 'one');
    for (const op of ['status', 'cancel'])
      await rejection('ERR_OPERATION_UNKNOWN', () => two.call({ op, operationId: 'a' }), {
        scope: 'two',
      });
    expect(await two.call({ op: 'list' })).toMatchObject({ operations: [], active: 0 });
    expect(await two.call({ op: 'log', operationId: 'a' })).toMatchObject({ text: '' });
    expect((await two.begin('a', { of: 'two' })).input).toEqual({ of: 'two' });
    expect(journal.payload('a', 'one')).toEqual({ of: 'one' });
  });
});

describe('after close', () => {
  it('every verb is ERR_CLOSED', async () => {
    const { call, journal, logs } = await makeService({ adapter: backend() });
    await Promise.all([journal.close(), logs.close()]);
    for (const asked of ADMITTED) await rejection('ERR_CLOSED', () => call(asked));
    refusal('ERR_CLOSED', () => journal.page());
  });

  it('a start that was called before is done', async () => {
    const { begin, journal } = await makeService();
    const starting = begin('a', {});
    await journal.close();
    expect((await starting).state).toBe('queued');
    await until(() => true);
  });
});
