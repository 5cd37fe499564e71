// Cancelling: now while it waits, by asking the backend once it was sent, and the backend's word stands.
import { describe, expect, it } from 'vitest';
import {
  DONE,
  RUNNING,
  backend,
  endless,
  makeRunner,
  startRunner,
} from './fixtures/operations/backend.js';
import {
  DIGEST,
  gate,
  inMemory,
  kindOf,
  newPath,
  openJournal,
  rejection,
  reopened,
  rowIn,
  until,
} from './operations-kit.js';

const own = (operationId: string) => ({ operationId, scope: '' });

describe('an operation that waits', () => {
  it('is cancelled when requestCancel fulfils, and never sent', async () => {
    const answer = gate<string>();
    const adapter = backend({ submit: (id) => (id === 'a' ? answer.promise : `ref-${id}`) });
    const { runner, put, reach } = await startRunner(adapter);
    await put('a', 'b', 'c');
    await until(() => adapter.of('submit').length === 1);
    const status = await runner.requestCancel('b');
    expect(status).toMatchObject({ state: 'cancelled', submission: 'pending' });
    expect(status.finishedAt).toBe(status.updatedAt);
    expect(await runner.requestCancel('b')).toEqual(status);
    answer.open('ref-a');
    await reach('c', 'succeeded');
    expect([adapter.of('submit'), adapter.of('cancel')]).toEqual([['a', 'c'], []]);
  });

  it('is so without a started runner, durably', async () => {
    const at = newPath();
    let journal = await openJournal(at);
    const { runner, put } = await makeRunner(backend(), { journal });
    await put('a');
    expect((await runner.requestCancel('a')).state).toBe('cancelled');
    journal = await reopened(journal, at);
    expect(journal.status('a')?.state).toBe('cancelled');
  });

  it('is cancelled instead of being sent where the journal holds an intent, also after a reopen', async () => {
    const at = newPath();
    let journal = await openJournal(at);
    for (const id of ['a', 'b', 'c']) journal.reserveSync(id, DIGEST, {});
    for (const id of ['a', 'b']) journal.requestCancelSync(id);
    journal = await reopened(journal, at);
    const adapter = backend();
    const { reach, status } = await startRunner(adapter, { journal });
    await reach('c', 'succeeded');
    expect(adapter.of('submit')).toEqual(['c']);
    expect(['a', 'b'].map((id) => kindOf(status(id)))).toEqual(Array(2).fill('cancelled/pending'));
  });

  it('that is cancelled while the runner comes to it is either never sent, or asked of the backend', async () => {
    const adapter = endless();
    const { journal, runner, put } = await startRunner(adapter, { concurrency: 8 });
    const ids = Array.from({ length: 200 }, (_, index) => `${index}`);
    for (let at = 0; at < ids.length; at += 8) {
      const some = ids.slice(at, at + 8);
      await Promise.all(some.map((id) => journal.reserve(id, DIGEST, {})));
      runner.enqueue();
      for (let turn = at % 3; turn > 0; turn -= 1) await put();
      await Promise.all(some.map((id) => journal.requestCancel(id)));
      await until(() => journal.page().active === 0);
    }
    const sent = new Set(adapter.of('submit'));
    for (const id of ids)
      expect(kindOf(journal.status(id)!)).toBe(
        sent.has(id) ? 'cancelled/accepted' : 'cancelled/pending',
      );
    expect(new Set(adapter.of('cancel'))).toEqual(new Set([...sent].map((id) => `ref-${id}`)));
  });
});

describe('an operation that runs', () => {
  it('has its intent recorded, then the backend is asked, once; acceptance is no end', async () => {
    const after: string[] = [];
    const journal = inMemory();
    const adapter = backend({
      observe: () => {
        if (adapter.of('cancel').length > 0) after.push(journal.status('a')!.state);
        return after.length > 3 ? { state: 'cancelled' } : RUNNING;
      },
      cancel: () => expect(journal.cancelRequested('a')).toBe(true),
    });
    const { runner, put, reach, polls } = await startRunner(adapter, { journal });
    await put('a');
    await polls(1);
    const asked = await Promise.all([1, 2, 3, 4, 5].map(() => runner.requestCancel('a')));
    expect(new Set(asked.map(({ state }) => state))).toEqual(new Set(['running']));
    await until(() => adapter.of('cancel').length > 0);
    await runner.requestCancel('a');
    await reach('a', 'cancelled');
    expect(after).toEqual(Array(4).fill('running'));
    expect([adapter.of('cancel'), journal.cancelRequested('a')]).toEqual([['ref-a'], false]);
  });

  it.each(['the runner', 'the journal'])(
    'is asked about by way of %s without waiting for the next poll',
    async (who) => {
      const adapter = endless();
      const { journal, runner, put, reach } = await startRunner(adapter, { pollSeconds: 600 });
      await put('a');
      await until(() => adapter.of('observe').length > 0);
      await (who === 'the runner' ? runner : journal).requestCancel('a');
      // It is observed again, to learn what came of it.
      await until(() => adapter.of('cancel').length > 0);
      if (who === 'the runner') await reach('a', 'cancelled');
    },
  );

  it.each([
    ['succeeded', 'before'],
    ['failed', 'before'],
    ['succeeded', 'during'],
    ['cancelled', 'during'],
  ])(
    'that has %s, asked %s the cancel, ends as the backend says, with its result',
    async (state, when) => {
      const [asked, answer] = [gate(), gate<unknown>()];
      const result = { real: true };
      const adapter = backend({
        observe: () => {
          asked.open();
          if (when === 'during') return answer.promise;
          return adapter.of('cancel').length > 0 ? { state, result } : RUNNING;
        },
      });
      const { runner, put, reach, status } = await startRunner(adapter);
      await put('a');
      await asked.promise;
      expect((await runner.requestCancel('a')).state).toBe('running');
      answer.open({ state, result });
      const last = await reach('a', state);
      expect(last.result).toEqual(result);
      expect(await runner.requestCancel('a')).toEqual(last);
      expect(status('a')).toEqual(last);
    },
  );

  it('whose cancel fails or hangs is asked again, and observed meanwhile', async () => {
    let tries = 0;
    const adapter = backend({
      observe: () => (tries >= 3 ? { state: 'cancelled' } : RUNNING),
      cancel: () => {
        tries += 1;
        if (tries === 1) throw new Error('secret');
        return tries === 2 ? new Promise(() => {}) : undefined;
      },
    });
    const { runner, put, reach, polls } = await startRunner(adapter, { adapterSeconds: 0.3 });
    await put('a');
    await polls(1);
    await runner.requestCancel('a');
    await until(() => tries === 2);
    await polls(5);
    expect(JSON.stringify(await reach('a', 'cancelled'))).not.toContain('secret');
    expect(tries).toBe(3);
  });

  it('whose cancel never answers ends all the same when the backend says so', async () => {
    const adapter = backend({
      observe: () => (adapter.of('cancel').length > 0 ? DONE : RUNNING),
      cancel: () => new Promise(() => {}),
    });
    const { runner, put, reach, polls } = await startRunner(adapter);
    await put('a');
    await polls(1);
    await runner.requestCancel('a');
    await reach('a', 'succeeded');
  });
});

describe('an operation that is being sent', () => {
  it('is asked to be cancelled once its reference is known', async () => {
    const answer = gate<string>();
    const adapter = endless({ submit: () => answer.promise });
    const { journal, runner, put, reach } = await startRunner(adapter);
    await put('a');
    await until(() => adapter.of('submit').length === 1);
    expect((await runner.requestCancel('a')).state).toBe('running');
    expect([journal.cancelRequested('a'), adapter.of('cancel')]).toEqual([true, []]);
    answer.open('ref-a');
    await reach('a', 'cancelled');
    expect(adapter.of('cancel')).toEqual(['ref-a']);
  });

  it('and whose submit fails is not taken for a cancelled one: a person decides', async () => {
    const adapter = backend({
      submit: async (id) => {
        await runner.requestCancel(id);
        throw new Error('lost');
      },
    });
    const { journal, runner, put, reach } = await startRunner(adapter);
    await put('a');
    expect(kindOf(await reach('a', 'interrupted'))).toBe('interrupted/uncertain');
    expect(journal.cancelRequested('a')).toBe(true);
    expect(journal.resolveSync('a', { state: 'cancelled' }).state).toBe('cancelled');
  });
});

describe('an intent of an earlier life', () => {
  it('is honoured when a runner takes the operation up', async () => {
    const at = newPath();
    let journal = await openJournal(at);
    rowIn(journal, 'a', 'running/accepted');
    journal.requestCancelSync('a');
    journal = await reopened(journal, at);
    const adapter = endless();
    const { reach } = await startRunner(adapter, { journal });
    await reach('a', 'cancelled');
    expect(adapter.of('cancel')).toEqual(['ref-a']);
  });

  it('may be given while nobody watches: requestCancel needs no started runner', async () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'interrupted/accepted');
    const adapter = endless();
    const { runner, reach } = await makeRunner(adapter, { journal });
    expect((await runner.requestCancel('a')).state).toBe('interrupted');
    expect(journal.cancelRequested('a')).toBe(true);
    runner.start();
    await reach('a', 'cancelled');
  });
});

describe('requestCancel', () => {
  it('of what there is not, or is no id, is refused', async () => {
    const { runner } = await makeRunner(backend());
    await rejection('ERR_OPERATION_UNKNOWN', () => runner.requestCancel('none'), own('none'));
    await rejection('ERR_INVALID_ARG_TYPE', () => runner.requestCancel(5 as never));
    await rejection('ERR_INVALID_ARG_VALUE', () => runner.requestCancel('a\n'));
  });

  it('keeps to its scope', async () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted');
    const { runner } = await makeRunner(backend(), { journal, scope: 's' });
    await rejection('ERR_OPERATION_UNKNOWN', () => runner.requestCancel('a'), {
      operationId: 'a',
      scope: 's',
    });
    expect(journal.cancelRequested('a')).toBe(false);
  });
});
