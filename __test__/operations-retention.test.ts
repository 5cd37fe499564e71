// What leaves the history, what leaves the fence, and who is told.
import { describe, expect, it } from 'vitest';
import type { OperationJournal } from '../index.js';
import {
  DIGEST,
  OTHER_DIGEST,
  handClock,
  idsOf,
  inMemory,
  newPath,
  openJournal,
  refusal,
  rejection,
  reopened,
  rowIn,
  walk,
} from './operations-kit.js';

const END_OF_TIME = Number.MAX_SAFE_INTEGER;
const end = (journal: OperationJournal, ...ids: string[]) => {
  for (const id of ids) journal.updateSync(id, { state: 'failed' });
};

describe('the history of a scope', () => {
  it('over retain loses the rows that ended first, by order of ending and not by clock', () => {
    const clock = handClock(1_000);
    const journal = inMemory({ retain: 2 }, () => (clock.now -= 1));
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) journal.reserveSync(id, DIGEST, {});
    end(journal, 'f', 'b', 'a');
    expect(walk(journal)).toEqual(['g', 'e', 'd', 'c', 'b', 'a']);
    expect(journal.drainRetiredSync()).toEqual([['', 'f']]);
    journal.updateSync('c', { state: 'running', submission: 'accepted', backendReference: 'r' });
    journal.updateSync('d', { state: 'interrupted' });
    end(journal, 'g');
    expect(walk(journal)).toEqual(['g', 'e', 'd', 'c', 'a']);
    // A row that has just ended can be read.
    expect(journal.updateSync('c', { state: 'succeeded' }).state).toBe('succeeded');
    expect(walk(journal)).toEqual(['g', 'e', 'd', 'c']);
    expect(journal.drainRetiredSync()).toEqual([
      ['', 'b'],
      ['', 'a'],
    ]);
  });

  it('keeps exactly retain rows that have ended', () => {
    const journal = inMemory({ retain: 3 });
    for (const id of ['a', 'b', 'c']) rowIn(journal, id, 'succeeded/accepted');
    journal.reserveSync('d', DIGEST, {});
    expect(walk(journal)).toEqual(['d', 'c', 'b', 'a']);
    end(journal, 'd');
    expect(walk(journal)).toEqual(['d', 'c', 'b']);
  });

  it('never loses what has not ended, however old, nor what may have been sent', () => {
    const clock = handClock(0);
    const journal = inMemory({ retain: 1 }, clock.read);
    const kept = [
      ...['queued/pending', 'queued/uncertain', 'queued/accepted', 'running/uncertain'],
      ...['running/accepted', 'interrupted/uncertain', 'interrupted/accepted'],
      ...['failed/uncertain', 'succeeded/uncertain', 'cancelled/uncertain'],
    ];
    for (const kind of kept) rowIn(journal, kind, kind);
    journal.requestCancelSync('running/accepted');
    clock.now = 400 * 86_400_000;
    for (const id of ['x', 'y', 'z']) rowIn(journal, id, 'succeeded/accepted');
    expect(walk(journal)).toEqual(['z', ...[...kept].reverse()]);
    expect(journal.drainRetiredSync()).toEqual([
      ['', 'x'],
      ['', 'y'],
    ]);
    expect(journal.cancelRequested('running/accepted')).toBe(true);
  });

  it('of what was pruned can nothing be read, and its id is retired', async () => {
    const journal = inMemory({ retain: 1 });
    for (const id of ['a', 'b']) rowIn(journal, id, 'succeeded/accepted');
    const own = { operationId: 'a', scope: '' };
    const again = () => journal.reserve('a', DIGEST, { of: 'a' });
    await rejection('ERR_OPERATION_RETIRED', again, own);
    const other = () => journal.reserveSync('a', OTHER_DIGEST, {});
    refusal('ERR_OPERATION_CONFLICT', other, own);
    expect([journal.status('a'), journal.startedAt('a'), journal.payload('a')]).toEqual([
      ...[null, null, null],
    ]);
    expect(journal.cancelRequested('a')).toBe(false);
    for (const call of [
      () => journal.updateSync('a', {}),
      () => journal.requestCancelSync('a'),
      () => journal.resolveSync('a', { state: 'failed' }),
    ])
      refusal('ERR_OPERATION_UNKNOWN', call, own);
    expect(journal.stats().fence.used).toBe(2);
  });

  it('is pruned at once when it is opened with a lower retain', async () => {
    const at = newPath();
    let journal = await openJournal(at);
    for (const id of ['a', 'b', 'c', 'd']) rowIn(journal, id, 'cancelled/pending', 's');
    journal = await reopened(journal, at, { bounds: { retain: 1 } });
    expect(walk(journal, 's')).toEqual(['d']);
    expect(journal.drainRetiredSync()).toEqual([
      ['s', 'a'],
      ['s', 'b'],
      ['s', 'c'],
    ]);
    journal = await reopened(journal, at);
    refusal('ERR_OPERATION_RETIRED', () => journal.reserveSync('a', DIGEST, {}, 's'));
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
  });
});

describe('forget', () => {
  it('takes what ended before a time off the fence, pruned or not, and says how many', async () => {
    const clock = handClock(0);
    const journal = inMemory({ retain: 2, maxReservations: 6 }, clock.read);
    for (const id of ['a', 'b', 'c', 'd']) {
      journal.reserveSync(id, DIGEST, {});
      clock.now += 10;
      if (id !== 'd') end(journal, id);
    }
    rowIn(journal, 'out', 'interrupted/uncertain');
    rowIn(journal, 'other', 'cancelled/pending', 's');
    refusal('ERR_FENCE_FULL', () => journal.reserveSync('e', DIGEST, {}));
    expect(await journal.forget({ finishedBefore: 10 })).toBe(0);
    expect(await journal.forget({ finishedBefore: 21 })).toBe(2);
    expect(walk(journal)).toEqual(['out', 'd', 'c']);
    expect(journal.stats().fence).toEqual({ used: 4, free: 2 });
    expect(journal.drainRetiredSync()).toEqual([
      ['', 'a'],
      ['', 'b'],
    ]);
  });

  it('leaves what has not ended, and other scopes', () => {
    const journal = inMemory();
    for (const kind of ['queued/pending', 'running/accepted', 'interrupted/uncertain'])
      rowIn(journal, kind, kind);
    rowIn(journal, 'ended', 'failed/uncertain');
    rowIn(journal, 'ended', 'cancelled/pending', 's');
    expect(journal.forgetSync({ finishedBefore: END_OF_TIME })).toBe(1);
    expect(walk(journal)).toEqual(['interrupted/uncertain', 'running/accepted', 'queued/pending']);
    expect(journal.status('ended', 's')?.state).toBe('cancelled');
    expect(journal.forgetSync({ finishedBefore: END_OF_TIME, scope: 's' })).toBe(1);
    expect(journal.forgetSync({ finishedBefore: END_OF_TIME, scope: 's' })).toBe(0);
    expect(journal.stats().scopes.map(({ scope }) => scope)).toEqual(['']);
  });

  it('frees an id for a new operation, which is another one', async () => {
    const at = newPath();
    let journal = await openJournal(at, { clock: () => 50 });
    rowIn(journal, 'a', 'succeeded/accepted');
    journal.updateSync(rowIn(journal, 'b', 'running/accepted').operationId, {});
    expect(journal.forgetSync({ finishedBefore: 51 })).toBe(1);
    expect(journal.reserveSync('a', OTHER_DIGEST, { anew: true })).toMatchObject({
      outcome: 'created',
      status: { state: 'queued', backendReference: null, result: null },
    });
    expect(idsOf(journal.page())).toEqual(['a', 'b']);
    expect(journal.startedAt('a')).toBe(null);
    journal = await reopened(journal, at);
    expect([journal.payload('a'), idsOf(journal.page())]).toEqual([{ anew: true }, ['a', 'b']]);
  });

  it('of thousands at once is one step, also on disk', async () => {
    const at = newPath();
    let journal = await openJournal(at, { durability: 'eventual', bounds: { retain: 100 } });
    const ids = Array.from({ length: 2_000 }, (_, index) => `${index}`);
    for (const part of [ids.slice(0, 1_000), ids.slice(1_000)]) {
      await Promise.all(part.map((id) => journal.reserve(id, DIGEST, {})));
      await Promise.all(part.map((id) => journal.update(id, { state: 'failed' })));
    }
    expect(walk(journal)).toEqual(ids.slice(-100).reverse());
    expect(await journal.forget({ finishedBefore: END_OF_TIME })).toBe(2_000);
    expect(journal.stats()).toMatchObject({ fence: { used: 0 }, scopes: [] });
    expect((await journal.drainRetired()).map(([, id]) => id)).toEqual(ids);
    journal = await reopened(journal, at);
    expect(journal.stats()).toMatchObject({ fence: { used: 0 }, scopes: [] });
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
  });
});

describe('drainRetired', () => {
  it('gives each pair once, in order of leaving, over all scopes', async () => {
    const journal = inMemory({ retain: 1 });
    const rows = [
      ['a', 's'],
      ['b', 't'],
      ['b', 's'],
      ['a', 't'],
      ['c', 's'],
    ] as const;
    for (const [id, scope] of rows) rowIn(journal, id, 'cancelled/pending', scope);
    expect(await journal.drainRetired()).toEqual([
      ['s', 'a'],
      ['t', 'b'],
      ['s', 'b'],
    ]);
    expect(await journal.drainRetired()).toEqual([]);
    rowIn(journal, 'd', 'cancelled/pending', 's');
    expect(journal.drainRetiredSync()).toEqual([['s', 'c']]);
    expect(journal.drainRetiredSync()).toEqual([]);
  });

  it('is told of what was forgotten while it was still in the history', () => {
    const journal = inMemory({ retain: 1 });
    for (const id of ['a', 'b']) rowIn(journal, id, 'cancelled/pending');
    journal.forgetSync({ finishedBefore: END_OF_TIME });
    expect(journal.drainRetiredSync()).toEqual([
      ['', 'a'],
      ['', 'b'],
    ]);
  });

  it('does not give a pair whose id was forgotten and reserved anew: its log is in use', async () => {
    const at = newPath();
    let journal = await openJournal(at, { bounds: { retain: 1 } });
    for (const id of ['a', 'b', 'c']) rowIn(journal, id, 'cancelled/pending');
    journal.forgetSync({ finishedBefore: END_OF_TIME });
    journal.reserveSync('a', DIGEST, {});
    journal = await reopened(journal, at);
    expect(journal.drainRetiredSync()).toEqual([
      ['', 'b'],
      ['', 'c'],
    ]);
  });

  it('gives them again after a reopen, until they were followed by another call or by close', async () => {
    const at = newPath();
    const options = { bounds: { retain: 1 } };
    let journal = await openJournal(at, options);
    for (const id of ['a', 'b', 'c']) rowIn(journal, id, 'cancelled/pending');
    journal = await reopened(journal, at, options);
    expect(journal.drainRetiredSync()).toHaveLength(2);
    rowIn(journal, 'd', 'cancelled/pending');
    expect(journal.drainRetiredSync()).toEqual([['', 'c']]);
    journal = await reopened(journal, at, options);
    expect(journal.drainRetiredSync()).toEqual([]);
  });

  it('of a handle hands out, and strikes, for that handle: another one is given the rest', async () => {
    const at = newPath();
    const [one, other] = [await openJournal(at, { bounds: { retain: 1 } }), await openJournal(at)];
    for (const id of ['a', 'b']) rowIn(one, id, 'cancelled/pending');
    expect(one.drainRetiredSync()).toEqual([['', 'a']]);
    rowIn(one, 'c', 'cancelled/pending');
    const given = other.drainRetiredSync().map(([, id]) => id);
    expect(given).toContain('b');
    await one.close();
    rowIn(other, 'd', 'cancelled/pending');
    expect(other.drainRetiredSync()).toEqual([['', 'c']]);
  });
});
