// A runner drains its queue: in order, each step durable before the next, nothing sent twice.
import { describe, expect, it } from 'vitest';
import type { OperationJournal, OperationStatus } from '../index.js';
import { DONE, RUNNING, backend, makeRunner, startRunner } from './fixtures/operations/backend.js';
import {
  DIGEST,
  expectError,
  gate,
  inMemory,
  moment,
  newPath,
  openJournal,
  refusal,
  rowIn,
  until,
} from './operations-kit.js';

describe('an operation in the queue of a started runner', () => {
  it('is uncertain before it is sent, accepted with its reference, and observed until it has ended', async () => {
    const journal = inMemory();
    const seen: OperationStatus[] = [];
    const adapter = backend({
      submit: (id, payload) => {
        seen.push(journal.status(id)!);
        expect(payload).toEqual({ of: id });
        return `ref-${id}`;
      },
      observe: (_, time) => {
        seen.push(journal.status('a')!);
        if (time === 1) return { state: 'running', progress: 0.5, stage: 'half' };
        return time === 2 ? RUNNING : { ...DONE, progress: 1, stage: 'all', result: { n: 1 } };
      },
    });
    const { put, reach } = await startRunner(adapter, { journal });
    await put('a');
    seen.push(await reach('a', 'succeeded'));
    const sent = { submission: 'accepted', backendReference: 'ref-a', stale: false };
    expect(seen).toMatchObject([
      { state: 'running', submission: 'uncertain', backendReference: null, progress: null },
      { state: 'running', ...sent, progress: null, stage: null },
      { state: 'running', ...sent, progress: 0.5, stage: 'half' },
      { state: 'running', ...sent, progress: 0.5, stage: 'half' },
      { state: 'succeeded', ...sent, progress: 1, stage: 'all', result: { n: 1 }, error: null },
    ]);
    expect(adapter.calls.map(([verb]) => verb)).toEqual(['submit', ...Array(3).fill('observe')]);
    expect(journal.startedAt('a')).not.toBe(null);
  });

  it('comes after those that were reserved before it, and each is sent once', async () => {
    const adapter = backend({ observe: (_, time) => (time < 2 ? RUNNING : DONE) });
    const { put, reach } = await startRunner(adapter);
    const ids = ['z', 'm', 'a', 'k', 'b'];
    for (const id of ids) await put(id);
    await reach('b', 'succeeded');
    expect(adapter.calls).toEqual(
      ids.flatMap((id) => [
        ['submit', id],
        ['observe', `ref-${id}`],
        ['observe', `ref-${id}`],
      ]),
    );
  });

  it.each(['succeeded', 'failed', 'cancelled'])(
    'ends as the backend says: %s, with its words',
    async (state) => {
      const answer = { state, error: 'why not', result: { r: 1 }, stage: 'last', progress: 0.25 };
      const { put, reach } = await startRunner(backend({ observe: () => answer }));
      await put('a');
      expect(await reach('a', state)).toMatchObject(answer);
    },
  );

  it('may wait in the queue of the backend, again and again, and then do anything', async () => {
    const answers = ['queued', 'queued', 'running', 'queued', 'interrupted', 'running'];
    const seen: string[] = [];
    const journal = inMemory();
    const adapter = backend({
      observe: (_, time) => {
        seen.push(journal.status('a')!.state);
        return { state: answers[time - 1] ?? 'failed' };
      },
    });
    const { put, reach } = await startRunner(adapter, { journal });
    await put('a');
    expect((await reach('a', 'failed')).queuePosition).toBe(null);
    expect(seen).toEqual(['running', ...answers]);
    expect(adapter.of('submit')).toEqual(['a']);
  });

  it('is begun when enqueue says so, and otherwise within pollSeconds', async () => {
    const slow = await startRunner(backend(), { pollSeconds: 3_600 });
    await slow.put('a');
    await slow.reach('a', 'succeeded');
    await slow.journal.reserve('b', DIGEST, {});
    await slow.put('c');
    await slow.reach('c', 'succeeded');
    expect(slow.status('b').state).toBe('succeeded');
    const quick = await startRunner(backend(), { pollSeconds: 0.01 });
    await quick.journal.reserve('a', DIGEST, {});
    await quick.reach('a', 'succeeded');
  });

  it('may be answered for without a promise', async () => {
    const plain = {
      submit: (id: string) => `ref-${id}`,
      observe: () => DONE,
      cancel: () => {},
    };
    const adapter = Object.assign(plain, { calls: [], of: () => [] });
    const { put, reach } = await startRunner(adapter as never);
    await put('a');
    await reach('a', 'succeeded');
  });

  it('is asked of an adapter whose methods know it by `this`', async () => {
    class Own {
      readonly calls = [];
      readonly of = () => [];
      readonly #prefix = 'own';
      submit(id: string) {
        return `${this.#prefix}-${id}`;
      }
      observe(reference: string) {
        return { state: 'succeeded', result: { reference, prefix: this.#prefix } };
      }
      cancel() {}
    }
    const { put, reach } = await startRunner(new Own() as never);
    await put('a');
    expect((await reach('a', 'succeeded')).result).toEqual({ reference: 'own-a', prefix: 'own' });
  });
});

describe('concurrency', () => {
  it.each([1, 3, 20])(
    '%i: never more are sent and unfinished, and each goes its own way',
    async (concurrency) => {
      let open = 0;
      let most = 0;
      const adapter = backend({
        submit: async (id) => {
          open += 1;
          most = Math.max(most, open);
          await moment(2);
          return `ref-${id}`;
        },
        observe: (reference, time) => {
          if (time < 3) return RUNNING;
          open -= 1;
          return { state: 'succeeded', result: { reference } };
        },
      });
      const { journal, put, status } = await makeRunner(adapter, { concurrency });
      const ids = Array.from({ length: 40 }, (_, index) => `${index}`);
      await put(...ids);
      const { runner } = await startRunner(adapter, { journal, concurrency });
      await until(() => journal.page().active === 0);
      expect(most).toBe(concurrency);
      expect(adapter.of('submit')).toEqual(ids);
      for (const id of ids) expect(status(id).result).toEqual({ reference: `ref-${id}` });
      await runner.stop();
    },
  );
});

describe('a row that ends by other hands', () => {
  it('is let go: what the adapter still answers is dropped, and the queue goes on', async () => {
    const [observed, submitted] = [gate<unknown>(), gate<string>()];
    const adapter = backend({
      submit: (id) => (id === 'b' ? submitted.promise : `ref-${id}`),
      observe: (reference) => (reference === 'ref-a' ? observed.promise : DONE),
    });
    const { journal, put, reach, status } = await startRunner(adapter);
    await put('a', 'b', 'c');
    await until(() => adapter.of('observe').length === 1);
    const first = journal.updateSync('a', { state: 'cancelled', error: 'by hand' });
    await until(() => adapter.of('submit').includes('b'));
    observed.open({ ...DONE, result: { late: true } });
    const second = journal.updateSync('b', { state: 'failed', error: 'by hand' });
    await reach('c', 'succeeded');
    submitted.open('ref-b');
    await put('d');
    await reach('d', 'succeeded');
    expect([status('a'), status('b')]).toEqual([first, second]);
    expect(adapter.of('observe')).not.toContain('ref-b');
  });
});

describe('an adapter', () => {
  it('may use the journal in each of its calls, and changing its payload changes nothing', async () => {
    const adapter = backend({
      submit: async (id, payload) => {
        payload['of'] = 'changed';
        expect(journal.status(id)?.submission).toBe('uncertain');
        journal.reserveSync('twin', DIGEST, {}, 'elsewhere');
        const many = Array.from({ length: 50 }, (_, index) =>
          journal.reserve(`${index}`, DIGEST, {}, 'many'),
        );
        await Promise.all(many);
        return `ref-${id}`;
      },
      observe: async (reference) => {
        const id = reference.slice(4);
        journal.updateSync(id, { stage: 'of the adapter' });
        await journal.update(id, { progress: 0.5 });
        if (adapter.of('cancel').length > 0) return { state: 'cancelled' };
        if (!journal.cancelRequested(id)) await runner.requestCancel(id);
        return RUNNING;
      },
      cancel: async (reference) => {
        journal.page();
        await journal.requestCancel(reference.slice(4));
      },
    });
    const { journal, runner, put, reach } = await startRunner(adapter);
    await put('a');
    expect(await reach('a', 'cancelled')).toMatchObject({ stage: 'of the adapter', progress: 0.5 });
    expect(journal.payload('a')).toEqual({ of: 'a' });
    expect(journal.page('many').active).toBe(50);
  });

  it('may stop, and close, what it is called by', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    const adapter = backend({
      observe: async () => {
        void runner.stop();
        void journal.close();
        return DONE;
      },
    });
    const { runner, put } = await startRunner(adapter, { journal });
    await put('a');
    await until(() => adapter.of('observe').length > 0);
    await runner.stop();
    await journal.close();
    expect((await openJournal(at)).status('a')).toMatchObject({
      state: 'interrupted',
      backendReference: 'ref-a',
    });
  });
});

describe('a scope', () => {
  it('has one started runner in a journal, and is free again when that has stopped', async () => {
    const journal = inMemory();
    const { runner } = await startRunner(backend(), { journal, scope: 's' });
    const owned = (again: () => unknown) => refusal('ERR_SCOPE_OWNED', again, { scope: 's' });
    owned(() => runner.start());
    const twin = await makeRunner(backend(), { journal, scope: 's' });
    owned(() => twin.runner.start());
    const other = await startRunner(backend(), { journal, scope: 't' });
    await other.put('x');
    await other.reach('x', 'succeeded');
    await runner.stop();
    twin.runner.start();
    owned(() => runner.start());
    await twin.put('y');
    await twin.reach('y', 'succeeded');
    await twin.runner.stop();
    runner.start();
  });

  it('is one also through another handle of the journal, and free when that handle closes', async () => {
    const at = newPath();
    const [one, two] = [await openJournal(at), await openJournal(at)];
    await startRunner(backend(), { journal: one });
    const { runner, put, reach } = await makeRunner(backend(), { journal: two });
    refusal('ERR_SCOPE_OWNED', () => runner.start(), { scope: '' });
    await one.close();
    runner.start();
    await put('a');
    await reach('a', 'succeeded');
  });

  it('keeps its runner from the rows of the others', async () => {
    const journal = inMemory();
    for (const kind of ['queued/pending', 'interrupted/accepted', 'running/accepted'])
      rowIn(journal, kind, kind);
    const adapter = backend({ observe: (_, time) => (time < 4 ? RUNNING : DONE) });
    const { put, reach } = await startRunner(adapter, { journal, scope: 's' });
    await put('a');
    await reach('a', 'succeeded');
    expect(new Set(adapter.calls.map(([, what]) => what))).toEqual(new Set(['a', 'ref-a']));
    for (const kind of ['queued/pending', 'interrupted/accepted', 'running/accepted'])
      expect(kind).toMatch(journal.status(kind)!.state);
  });

  it('is each its own: fifty runners of one journal drain theirs', async () => {
    const journal = await openJournal(newPath(), { durability: 'eventual' });
    const scopes = Array.from({ length: 50 }, (_, index) => `scope ${index}`);
    const runners = await Promise.all(
      scopes.map(async (scope) => {
        const adapter = backend({ observe: (_, time) => (time < 3 ? RUNNING : DONE) });
        return { adapter, ...(await startRunner(adapter, { journal, scope, pollSeconds: 0.05 })) };
      }),
    );
    await Promise.all(runners.map(({ put }) => put('a', 'b')));
    for (const { adapter, reach } of runners) {
      await reach('b', 'succeeded');
      expect(adapter.of('submit')).toEqual(['a', 'b']);
    }
  });
});

describe('a record that the contract does not admit', () => {
  it('of a wrong shape of the schema is judged before anything starts', () => {
    const journal: OperationJournal = inMemory();
    return makeRunner(backend(), { journal, resultSchema: { type: 'objekt' } }).then(
      () => expect.unreachable('it was taken'),
      (error: unknown) => expectError(error, 'ERR_SCHEMA_INVALID'),
    );
  });
});
