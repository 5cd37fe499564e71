// What a journal's file holds: everything, across any number of openings.
import { describe, expect, it } from 'vitest';
import type { OperationJournal } from '../index.js';
import { startChild } from './fixtures/operations/child.js';
import {
  DIGEST,
  OTHER_DIGEST,
  handClock,
  inMemory,
  newPath,
  openJournal,
  refusal,
  reopened,
  rowIn,
  walk,
} from './operations-kit.js';

const KINDS = [
  ...['queued/pending', 'queued/uncertain', 'queued/accepted', 'running/pending'],
  ...['running/uncertain', 'running/accepted', 'interrupted/pending', 'interrupted/uncertain'],
  ...['interrupted/accepted', 'succeeded/accepted', 'succeeded/uncertain', 'failed/refused'],
  ...['failed/uncertain', 'failed/pending', 'cancelled/pending', 'cancelled/accepted'],
];

/** Whether a process that ends may leave a job of it behind. */
const isLeft = (kind: string) =>
  kind.startsWith('running') || (kind.startsWith('queued') && kind !== 'queued/pending');

const facts = (journal: OperationJournal, id: string) => ({
  status: journal.status(id, 's'),
  startedAt: journal.startedAt(id, 's'),
  payload: journal.payload(id, 's'),
  intent: journal.cancelRequested(id, 's'),
});

describe('a journal that is opened again', () => {
  it('has every row as it was, but for those that nobody watches any more: they are interrupted', async () => {
    const clock = handClock(1_000);
    const options = { clock: () => (clock.now += 1) };
    const at = newPath();
    let journal = await openJournal(at, options);
    for (const kind of KINDS) rowIn(journal, kind, kind, 's');
    const known = { progress: 0.5, stage: 'é', error: 'soft', result: { part: 1 } };
    journal.updateSync('running/accepted', known, 's');
    for (const kind of ['queued/pending', 'running/accepted', 'interrupted/uncertain'])
      journal.requestCancelSync(kind, 's');
    const before = KINDS.map((kind) => facts(journal, kind));
    const order = walk(journal, 's');
    journal = await reopened(journal, at, options);
    for (const [index, kind] of KINDS.entries()) {
      const { status, ...rest } = facts(journal, kind);
      const was = before[index]!;
      expect(rest, kind).toEqual({
        startedAt: was.startedAt,
        payload: was.payload,
        intent: was.intent,
      });
      const interrupted = isLeft(kind)
        ? { state: 'interrupted', updatedAt: expect.any(Number) }
        : {};
      const stale = isLeft(kind) || kind.startsWith('interrupted');
      expect(status, kind).toEqual({ ...was.status, ...interrupted, stale });
      expect(status!.updatedAt).toBeGreaterThanOrEqual(was.status!.updatedAt);
    }
    expect(walk(journal, 's')).toEqual(order);
    expect(journal.page('s')).toMatchObject({ active: 1, outstanding: 8 });
    expect(journal.nextQueued('s')).toBe('queued/pending');
    expect(journal.interruptedAccepted('s').map(([id]) => id)).toEqual(
      KINDS.filter((kind) => /^(queued|running|interrupted)\/accepted$/.test(kind)),
    );
    const again = journal.reserveSync('running/accepted', DIGEST, {}, 's');
    expect(again.outcome).toBe('existing');
    const other = () => journal.reserveSync('running/accepted', OTHER_DIGEST, {}, 's');
    refusal('ERR_OPERATION_CONFLICT', other);
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
  });

  it('changes nothing by being opened a second and a third time', async () => {
    const at = newPath();
    let journal = await openJournal(at);
    for (const kind of KINDS) rowIn(journal, kind, kind, 's');
    journal = await reopened(journal, at);
    const before = KINDS.map((kind) => facts(journal, kind));
    for (let time = 0; time < 2; time += 1) journal = await reopened(journal, at);
    expect(KINDS.map((kind) => facts(journal, kind))).toEqual(before);
    expect(journal.stats().commits).toBe(0);
  });

  it('has rows that are stale until they are observed', async () => {
    const at = newPath();
    let journal = await openJournal(at);
    rowIn(journal, 'a', 'running/accepted');
    rowIn(journal, 'b', 'interrupted/uncertain');
    rowIn(journal, 'c', 'queued/pending');
    const stale = () => ['a', 'b', 'c'].map((id) => journal.status(id)?.stale);
    expect(stale()).toEqual([false, false, false]);
    journal = await reopened(journal, at);
    expect(stale()).toEqual([true, true, false]);
    expect(journal.page().operations.map((row) => row.stale)).toEqual([false, true, true]);
    expect(journal.updateSync('a', { state: 'running', progress: 0.1 }).stale).toBe(false);
    expect(journal.resolveSync('b', { state: 'failed' }).stale).toBe(false);
    journal.updateSync('c', { state: 'running' });
    expect(stale()).toEqual([false, false, false]);
    journal = await reopened(journal, at);
    expect(stale()).toEqual([true, false, true]);
  });

  it('keeps the order of reservation, of ending and of retirement, though its clock went back', async () => {
    const at = newPath();
    const bounds = { retain: 2 };
    let journal = await openJournal(at, { clock: () => 5_000, bounds });
    for (const id of ['a', 'b', 'c', 'd', 'e']) journal.reserveSync(id, DIGEST, {});
    for (const id of ['d', 'b']) journal.updateSync(id, { state: 'failed' });
    journal = await reopened(journal, at, { clock: () => 100, bounds });
    expect(journal.nextQueued()).toBe('a');
    journal.updateSync('a', { state: 'failed' });
    expect(walk(journal)).toEqual(['e', 'c', 'b', 'a']);
    journal.updateSync('e', { state: 'failed' });
    journal = await reopened(journal, at, { bounds });
    expect(walk(journal)).toEqual(['e', 'c', 'a']);
    expect(journal.drainRetiredSync()).toEqual([
      ['', 'd'],
      ['', 'b'],
    ]);
  });

  it('keeps the fence, and what was forgotten stays forgotten', async () => {
    const at = newPath();
    let journal = await openJournal(at, { bounds: { retain: 1 }, clock: () => 50 });
    for (const id of ['a', 'b', 'c']) rowIn(journal, id, 'cancelled/pending');
    journal = await reopened(journal, at, { clock: () => 50 });
    expect(journal.stats().fence.used).toBe(3);
    refusal('ERR_OPERATION_RETIRED', () => journal.reserveSync('a', DIGEST, {}));
    expect(journal.forgetSync({ finishedBefore: 51 })).toBe(3);
    journal = await reopened(journal, at);
    expect([journal.stats().fence.used, walk(journal)]).toEqual([0, []]);
    expect(journal.reserveSync('a', OTHER_DIGEST, {}).outcome).toBe('created');
  });

  it('keeps the pairs that left the history until it is known that they arrived', async () => {
    const at = newPath();
    let journal = await openJournal(at, { bounds: { retain: 1 } });
    for (const id of ['a', 'b', 'c']) rowIn(journal, id, 'cancelled/pending');
    await journal.close();
    const pairs = [
      ['', 'a'],
      ['', 'b'],
    ];
    const dying = startChild('drainer', { args: [at] });
    expect(await dying.heard()).toEqual(pairs);
    expect((await dying.gone).signal).toBe('SIGKILL');
    journal = await openJournal(at);
    expect(journal.drainRetiredSync()).toEqual(pairs);
    journal = await reopened(journal, at);
    expect(journal.drainRetiredSync()).toEqual([]);
  });

  it('is as large as what it holds, after thousands of operations', async () => {
    const at = newPath();
    let journal = await openJournal(at, { durability: 'eventual', bounds: { maxQueued: 5_000 } });
    const ids = Array.from({ length: 3_000 }, (_, index) => `operation ${index}`);
    await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, { id })));
    await Promise.all(ids.map((id) => journal.update(id, { state: 'interrupted' })));
    journal = await reopened(journal, at, { bounds: { pageSize: 1_000 } });
    expect(walk(journal)).toEqual([...ids].reverse());
    expect(journal.stats().fileBytes).toBeLessThan(3_000 * 4_096);
  });
});

describe('a journal in memory', () => {
  it('is one of its own, and nothing outlives it', async () => {
    const [one, other] = [inMemory(), inMemory()];
    one.reserveSync('a', DIGEST, {});
    expect(other.status('a')).toBe(null);
    await one.close();
    expect(inMemory().status('a')).toBe(null);
  });
});
