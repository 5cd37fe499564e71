// Watching: the newest state of each row that changes, to readers of any pace.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { OperationJournal, OperationStatus } from '../index.js';
import {
  DIGEST,
  gate,
  inMemory,
  newPath,
  openJournal,
  refusal,
  rejection,
  rowIn,
} from './operations-kit.js';

const OVER = { value: undefined, done: true };

/** The next statuses that a watcher gives, shortly. */
async function take(watch: AsyncIterator<OperationStatus>, count: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    const { value } = await watch.next();
    seen.push([value.operationId, value.state, value.progress]);
  }
  return seen;
}

/** Nothing is left for it: what is done now is what it gives next. */
async function expectNothing(journal: OperationJournal, watch: AsyncIterator<OperationStatus>) {
  const id = `mark ${performance.now()}`;
  journal.reserveSync(id, DIGEST, {});
  expect((await watch.next()).value.operationId).toBe(id);
}

describe('a watcher', () => {
  it('gives what changes in its scope from the call on, as the status has it', async () => {
    const journal = inMemory();
    journal.reserveSync('before', DIGEST, {});
    const [all, one, other] = [
      journal.watch(),
      journal.watch({ id: 'b' }),
      journal.watch({ scope: 's' }),
    ];
    journal.reserveSync('a', DIGEST, { x: 1 });
    expect(await all.next()).toEqual({ value: journal.status('a'), done: false });
    const waiting = all.next();
    journal.reserveSync('b', DIGEST, {});
    expect((await waiting).value).toEqual(journal.status('b'));
    const updated = await journal.update('b', { state: 'running', progress: 0.5 });
    expect((await all.next()).value).toEqual(updated);
    expect((await one.next()).value).toEqual(updated);
    journal.reserveSync('b', DIGEST, {}, 's');
    expect((await other.next()).value).toEqual(journal.status('b', 's'));
    await expectNothing(journal, all);
  });

  it('may name an operation that is not there yet', async () => {
    const journal = inMemory();
    const waiting = journal.watch({ id: 'later', scope: 's' }).next();
    journal.reserveSync('sooner', DIGEST, {}, 's');
    journal.reserveSync('later', DIGEST, {});
    journal.reserveSync('later', DIGEST, { of: 's' }, 's');
    expect((await waiting).value.input).toEqual({ of: 's' });
  });

  it('is told of every kind of change, and of nothing else', async () => {
    const journal = inMemory({ retain: 1 });
    rowIn(journal, 'a', 'running/accepted');
    const watch = journal.watch();
    refusal('ERR_RESULT_REFUSED', () => journal.updateSync('a', { progress: 2 }));
    refusal('ERR_OPERATION_TRANSITION', () => journal.updateSync('a', { submission: 'pending' }));
    await rejection('ERR_OPERATION_CONFLICT', () => journal.reserve('a', 'other', {}));
    expect(journal.reserveSync('a', DIGEST, {}).outcome).toBe('existing');
    journal.requestCancelSync('a');
    await expectNothing(journal, watch);
    journal.updateSync('a', { state: 'interrupted' });
    expect(await take(watch, 1)).toEqual([['a', 'interrupted', null]]);
    journal.resolveSync('a', { state: 'failed' });
    expect(await take(watch, 1)).toEqual([['a', 'failed', null]]);
    journal.forgetSync({ finishedBefore: Number.MAX_SAFE_INTEGER });
    await expectNothing(journal, watch);
  });

  it('that is slow gets the newest state of each row once, the oldest undelivered change first', async () => {
    const journal = inMemory();
    const watch = journal.watch();
    for (const id of ['a', 'b', 'c']) journal.reserveSync(id, DIGEST, {});
    for (let step = 0; step <= 100; step += 1)
      for (const id of ['c', 'a'])
        journal.updateSync(id, { state: 'running', progress: step / 100 });
    expect(await take(watch, 3)).toEqual([
      ['a', 'running', 1],
      ['b', 'queued', null],
      ['c', 'running', 1],
    ]);
    journal.updateSync('b', { state: 'running' });
    journal.updateSync('a', { progress: 0.5 });
    expect(await take(watch, 2)).toEqual([
      ['b', 'running', null],
      ['a', 'running', 0.5],
    ]);
    await expectNothing(journal, watch);
  });

  it('leaves out a row that left the history before it was given', async () => {
    const journal = inMemory({ retain: 1 });
    const watch = journal.watch();
    for (const id of ['a', 'b']) rowIn(journal, id, 'cancelled/pending');
    expect(await take(watch, 1)).toEqual([['b', 'cancelled', null]]);
    await expectNothing(journal, watch);
  });

  it('answers steps that wait in the order they were asked for', async () => {
    const journal = inMemory();
    const watch = journal.watch();
    const waiting = ['a', 'b', 'c'].map(() => watch.next());
    for (const id of ['a', 'b', 'c']) await journal.reserve(id, DIGEST, {});
    const given = await Promise.all(waiting);
    expect(given.map(({ value }) => value.operationId)).toEqual(['a', 'b', 'c']);
  });

  it('is one of many, each with its own pace', async () => {
    const journal = inMemory();
    const watches = Array.from({ length: 50 }, () => journal.watch());
    for (const id of ['a', 'b']) journal.reserveSync(id, DIGEST, {});
    for (const watch of watches.slice(0, 25))
      expect((await watch.next()).value.operationId).toBe('a');
    journal.updateSync('a', { state: 'running' });
    const left = watches.map((watch) => take(watch, 2));
    expect((await Promise.all(left)).map((each) => (each as [string][]).map(([id]) => id))).toEqual(
      [...Array(25).fill(['b', 'a']), ...Array(25).fill(['a', 'b'])],
    );
  });

  it('of one handle sees what is done through another one', async () => {
    const at = newPath();
    const [one, two] = [await openJournal(at), await openJournal(at)];
    const watch = one.watch();
    await two.reserve('a', DIGEST, {});
    expect((await watch.next()).value.operationId).toBe('a');
    await two.close();
    await expectNothing(one, watch);
  });
});

describe('a watcher ends', () => {
  it('by leaving a loop', async () => {
    const journal = inMemory();
    const seen: string[] = [];
    const started = gate();
    const reading = (async () => {
      const watch = journal.watch();
      started.open();
      for await (const { operationId } of watch) {
        seen.push(operationId);
        if (seen.length === 2) break;
      }
      expect(await watch.next()).toEqual(OVER);
    })();
    await started.promise;
    for (const id of ['a', 'b', 'c']) await journal.reserve(id, DIGEST, {});
    await reading;
    expect(seen).toEqual(['a', 'b']);
  });

  it('by return(), and whoever waits is told so', async () => {
    const journal = inMemory();
    const watch = journal.watch();
    const waiting = [watch.next(), watch.next()];
    expect(await watch.return!()).toEqual(OVER);
    expect(await Promise.all(waiting)).toEqual([OVER, OVER]);
    journal.reserveSync('a', DIGEST, {});
    expect([await watch.next(), await watch.return!()]).toEqual([OVER, OVER]);
  });

  it('by its signal, which may serve many, and whose own handlers still run', async () => {
    const journal = inMemory();
    const controller = new AbortController();
    const { signal } = controller;
    let own = 0;
    signal.onabort = () => (own += 1);
    const [first, second] = [journal.watch({ signal }), journal.watch({ signal })];
    await first.return!();
    const third = journal.watch({ signal });
    const waiting = [second.next(), third.next(), journal.watch({ signal, id: 'a' }).next()];
    controller.abort();
    expect(await Promise.all(waiting)).toEqual([OVER, OVER, OVER]);
    expect(own).toBe(1);
    journal.reserveSync('a', DIGEST, {});
    expect([await second.next(), await third.next()]).toEqual([OVER, OVER]);
    // That of the caller.
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });

  it('before it begins when its signal was aborted', async () => {
    const journal = inMemory();
    const watch = journal.watch({ signal: AbortSignal.abort(new Error('before')) });
    journal.reserveSync('a', DIGEST, {});
    expect(await watch.next()).toEqual(OVER);
  });

  it('takes its listener off a signal that lives on', async () => {
    const journal = inMemory();
    const { signal } = new AbortController();
    const before = getEventListeners(signal, 'abort').length;
    for (let round = 0; round < 20; round += 1) await journal.watch({ signal }).return!();
    expect(getEventListeners(signal, 'abort')).toHaveLength(before);
  });

  it('when its handle closes, though another one stays open', async () => {
    const at = newPath();
    const [one, two] = [await openJournal(at), await openJournal(at)];
    const [ending, staying] = [one.watch(), two.watch()];
    const waiting = ending.next();
    await one.close();
    expect([await waiting, await ending.next()]).toEqual([OVER, OVER]);
    await expectNothing(two, staying);
  });

  it('when the journal closes, whatever it had not given yet', async () => {
    const journal = inMemory();
    const [idle, behind] = [journal.watch(), journal.watch()];
    const waiting = idle.next();
    journal.reserveSync('a', DIGEST, {});
    await waiting;
    const closing = journal.close();
    expect([await idle.next(), await behind.next()]).toEqual([OVER, OVER]);
    await closing;
  });
});
