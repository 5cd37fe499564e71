// Reserving: one operation for an id, one queue for a scope, one fence for all.
import { describe, expect, it } from 'vitest';
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
} from './operations-kit.js';

const own = { operationId: 'a', scope: '' };

describe('a reservation', () => {
  it('creates the operation, and then returns it as it is', async () => {
    const journal = inMemory();
    expect((await journal.reserve('a', DIGEST, { x: 1 })).outcome).toBe('created');
    journal.updateSync('a', { state: 'running', progress: 0.5 });
    const again = await journal.reserve('a', DIGEST, { x: 1 });
    expect(again).toEqual({ outcome: 'existing', status: journal.status('a') });
    expect(again.status.progress).toBe(0.5);
  });

  it('under another digest is a conflict, and leaves the operation as it was', async () => {
    const journal = inMemory();
    journal.reserveSync('a', DIGEST, { x: 1 });
    const before = journal.status('a');
    const other = () => journal.reserveSync('a', OTHER_DIGEST, { x: 2 });
    refusal('ERR_OPERATION_CONFLICT', other, own);
    const same = () => journal.reserve('a', OTHER_DIGEST, { x: 1 });
    await rejection('ERR_OPERATION_CONFLICT', same, own);
    expect([journal.status('a'), journal.payload('a')]).toEqual([before, { x: 1 }]);
  });

  it('is told by the digest alone, whatever the payload', () => {
    const journal = inMemory();
    journal.reserveSync('a', 'any text', { x: 1 });
    expect(journal.reserveSync('a', 'any text', { y: 2 }).outcome).toBe('existing');
    expect(journal.payload('a')).toEqual({ x: 1 });
  });

  it('is made by exactly one of a hundred calls at once: the first', async () => {
    const journal = inMemory();
    const calls = Array.from({ length: 100 }, () => journal.reserve('a', DIGEST, {}));
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['created', ...Array(99).fill('existing')]);
    const digests = ['x', 'y', 'x', 'y'].map((digest) => journal.reserve('b', digest, {}));
    const ended = await Promise.allSettled(digests);
    expect(
      ended.map((each) => (each.status === 'fulfilled' ? each.value.outcome : each.reason.code)),
    ).toEqual(['created', 'ERR_OPERATION_CONFLICT', 'existing', 'ERR_OPERATION_CONFLICT']);
  });

  it('that is refused among others at once undoes itself only', async () => {
    const journal = await openJournal(newPath(), { bounds: { inputBytes: 20 } });
    const calls = Array.from({ length: 60 }, (_, index) =>
      journal.reserve(`${index}`, DIGEST, index % 3 === 1 ? { text: 'x'.repeat(20) } : {}),
    );
    const ended = (await Promise.allSettled(calls)).map(({ status }) => status);
    expect(ended).toEqual(
      Array.from({ length: 60 }, (_, index) => (index % 3 === 1 ? 'rejected' : 'fulfilled')),
    );
    expect(journal.stats().fence.used).toBe(40);
    expect(journal.page().active).toBe(40);
  });

  it('is judged in the order of the contract', async () => {
    const journal = inMemory({ maxQueued: 1, maxReservations: 1, inputBytes: 8 });
    journal.reserveSync('a', DIGEST, {});
    const [small, large] = [{}, { text: 'long' }];
    refusal('ERR_INPUT_REFUSED', () => journal.reserveSync('a', OTHER_DIGEST, { x: NaN }), {
      path: '/x',
    });
    refusal('ERR_OPERATION_CONFLICT', () => journal.reserveSync('a', OTHER_DIGEST, large), own);
    expect(journal.reserveSync('a', DIGEST, large).outcome).toBe('existing');
    refusal('ERR_INPUT_REFUSED', () => journal.reserveSync('b', DIGEST, large), { limit: 8 });
    refusal('ERR_QUEUE_FULL', () => journal.reserveSync('b', DIGEST, small));
    journal.updateSync('a', { state: 'running' });
    refusal('ERR_FENCE_FULL', () => journal.reserveSync('b', DIGEST, small));
    expect([journal.status('b'), journal.stats().fence.used]).toEqual([null, 1]);
  });
});

describe('the queue of a scope', () => {
  it('takes maxQueued waiting rows, and those that were sent or have ended make room', () => {
    const journal = inMemory({ maxQueued: 2 });
    journal.reserveSync('a', DIGEST, {});
    journal.reserveSync('b', DIGEST, {});
    const full = { operationId: 'c', scope: '', limit: 2, actual: 2 };
    const reserve = (id: string) => journal.reserveSync(id, DIGEST, {});
    refusal('ERR_QUEUE_FULL', () => reserve('c'), full);
    expect([journal.status('c'), journal.stats().fence.used]).toEqual([null, 2]);
    expect(reserve('a').outcome).toBe('existing');
    refusal('ERR_OPERATION_CONFLICT', () => journal.reserveSync('a', OTHER_DIGEST, {}), own);
    journal.updateSync('a', { submission: 'accepted', backendReference: 'r' });
    expect(reserve('c').outcome).toBe('created');
    refusal('ERR_QUEUE_FULL', () => reserve('d'));
    journal.updateSync('b', { state: 'cancelled' });
    expect(reserve('d').outcome).toBe('created');
    refusal('ERR_QUEUE_FULL', () => reserve('e'));
    journal.updateSync('c', { submission: 'uncertain' });
    expect(reserve('e').outcome).toBe('created');
  });

  it('goes by the order of reservation, never by the clock', () => {
    const clock = handClock(10_000);
    const journal = inMemory({}, () => (clock.now -= 1_000));
    const ids = ['z', 'm', 'a', 'k'];
    for (const id of ids) journal.reserveSync(id, DIGEST, {});
    const positions = () => ids.map((id) => journal.status(id)?.queuePosition);
    expect([journal.nextQueued(), positions()]).toEqual(['z', [0, 1, 2, 3]]);
    journal.updateSync('m', { state: 'cancelled' });
    expect([journal.nextQueued(), positions()]).toEqual(['z', [0, null, 1, 2]]);
    journal.updateSync('z', { submission: 'uncertain' });
    expect([journal.nextQueued(), positions()]).toEqual(['a', [null, null, 0, 1]]);
    journal.updateSync('a', { submission: 'accepted', backendReference: 'r' });
    expect([journal.nextQueued(), positions()]).toEqual(['k', [null, null, null, 0]]);
    journal.updateSync('k', { state: 'running' });
    expect([journal.nextQueued(), positions()]).toEqual([null, [null, null, null, null]]);
    expect(idsOf(journal.page())).toEqual(['k', 'a', 'm', 'z']);
  });

  it('holds a row with an intent to cancel until a runner, or somebody, ends it', () => {
    const journal = inMemory();
    for (const id of ['a', 'b']) journal.reserveSync(id, DIGEST, {});
    journal.requestCancelSync('a');
    expect(journal.nextQueued()).toBe('a');
    journal.updateSync('a', { state: 'cancelled' });
    expect(journal.nextQueued()).toBe('b');
  });

  it('is never entered again by a row that was sent', () => {
    const journal = inMemory();
    for (const kind of ['running/uncertain', 'interrupted/uncertain', 'interrupted/pending']) {
      rowIn(journal, kind, kind);
      refusal('ERR_OPERATION_TRANSITION', () => journal.updateSync(kind, { state: 'queued' }));
    }
    expect(journal.nextQueued()).toBe(null);
  });
});

describe('interruptedAccepted', () => {
  it('lists the interrupted rows of the scope that have a reference, oldest reservation first', () => {
    const journal = inMemory();
    for (const id of ['z', 'y', 'x']) rowIn(journal, id, 'running/accepted');
    rowIn(journal, 'w', 'interrupted/uncertain');
    rowIn(journal, 'other', 'interrupted/accepted', 's');
    expect(journal.interruptedAccepted()).toEqual([]);
    for (const id of ['x', 'z']) journal.updateSync(id, { state: 'interrupted' });
    expect(journal.interruptedAccepted()).toEqual([
      ['z', 'ref-z'],
      ['x', 'ref-x'],
    ]);
    expect(journal.interruptedAccepted('s')).toEqual([['other', 'ref-other']]);
    journal.updateSync('x', { state: 'running' });
    expect(journal.interruptedAccepted()).toEqual([['z', 'ref-z']]);
  });
});

describe('calls', () => {
  it('take effect in the order made, awaited or not, twins included', async () => {
    const journal = await openJournal();
    const first = [
      journal.reserve('first', DIGEST, {}),
      journal.update('first', { state: 'running' }),
      journal.reserve('second', DIGEST, {}),
    ];
    expect(journal.reserveSync('third', DIGEST, {}).status.queuePosition).toBe(1);
    const failing = journal.update('first', { state: 'failed' });
    expect(journal.requestCancelSync('first').outcome).toBe('terminal');
    expect(journal.status('first')?.state).toBe('failed');
    const [reserved, running] = await Promise.all(first);
    expect([reserved, running, await failing]).toMatchObject([
      { outcome: 'created' },
      { state: 'running' },
      { state: 'failed' },
    ]);
    expect(idsOf(journal.page())).toEqual(['third', 'second', 'first']);
  });

  it('of many hundred, refused ones among them, are answered each with its own', async () => {
    const journal = await openJournal();
    const ids = Array.from({ length: 400 }, (_, index) => `${index}`);
    const created = await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, { id })));
    expect(created.map(({ status }) => status.operationId)).toEqual(ids);
    const moved = await Promise.allSettled(
      ids.map((id) => journal.update(id, { state: Number(id) % 2 ? 'running' : 'succeeded' })),
    );
    for (const [index, each] of moved.entries())
      expect(each.status === 'fulfilled' ? each.value.operationId : each.reason.operationId).toBe(
        ids[index],
      );
    expect(moved.filter(({ status }) => status === 'rejected')).toHaveLength(200);
  });
});

describe('two hundred writers at once', () => {
  it('each through several steps, twins among them, neither wait for ever nor disturb one another', async () => {
    const journal = await openJournal();
    const writers = Array.from({ length: 200 }, async (_, writer) => {
      const id = `${writer}`;
      await journal.reserve(id, DIGEST, { writer });
      for (let step = 1; step <= 5; step += 1) {
        const patch = { state: 'running', progress: step / 5 } as const;
        if (writer % 20 === 0) journal.updateSync(id, patch);
        else await journal.update(id, patch);
        expect(journal.status(id)?.progress).toBe(step / 5);
      }
      await journal.requestCancel(id);
      return journal.update(id, { state: 'succeeded', result: { writer } });
    });
    const ended = await Promise.all(writers);
    expect(ended.map(({ result }) => result)).toEqual(ended.map((_, writer) => ({ writer })));
    expect(journal.page().active).toBe(0);
  });
});

describe('the bounds of a journal', () => {
  /** Default, least, greatest. */
  const RANGES: Record<string, [initial: number | null, least: number, most: number]> = {
    maxQueued: [1_000, 1, 1_000_000],
    maxReservations: [100_000, 1, 10_000_000],
    retain: [1_000, 1, 1_000_000],
    inputBytes: [262_144, 2, 16_777_216],
    inputEchoBytes: [65_536, 0, 16_777_216],
    resultBytes: [262_144, 2, 16_777_216],
    referenceBytes: [512, 1, 4_096],
    pageSize: [50, 1, 1_000],
    frameBytes: [1_048_576, 8_192, 67_108_864],
    logBytes: [1_048_576, 1, 1_073_741_824],
    logSliceBytes: [65_536, 4, 16_777_216],
    maxRuntimeSeconds: [null, 1, 31_536_000],
  };

  it('have defaults, all of which can be seen', () => {
    const initial = Object.entries(RANGES).map(([name, [value]]) => [name, value]);
    expect(inMemory().bounds).toEqual(Object.fromEntries(initial));
  });

  it.each(Object.entries(RANGES))(
    '%s takes its least and its greatest value, and none beyond',
    (name, [initial, least, most]) => {
      const bound = (value: unknown) =>
        (inMemory({ [name]: value as number }).bounds as Record<string, unknown>)[name];
      for (const good of [least, most]) expect(bound(good)).toBe(good);
      expect(bound(undefined)).toBe(initial);
      for (const bad of [least - 1, most + 1, NaN, Infinity, -1])
        refusal('ERR_OUT_OF_RANGE', () => bound(bad));
      for (const bad of ['5', {}, true, 5n]) refusal('ERR_INVALID_ARG_TYPE', () => bound(bad));
      if (name === 'maxRuntimeSeconds') expect([bound(1.5), bound(null)]).toEqual([1.5, null]);
      else refusal('ERR_OUT_OF_RANGE', () => bound(least + 0.5));
    },
  );

  it('that are out of range open no file', async () => {
    const at = newPath();
    const options = { bounds: { retain: 0 } };
    await rejection('ERR_OUT_OF_RANGE', () => openJournal(at, options));
    const journal = await openJournal(at);
    expect(journal.bounds.retain).toBe(1_000);
  });

  it('belong to an opening, not to the file', async () => {
    const at = newPath();
    let journal = await openJournal(at, { bounds: { maxQueued: 1, pageSize: 7 } });
    journal.reserveSync('a', DIGEST, {});
    refusal('ERR_QUEUE_FULL', () => journal.reserveSync('b', DIGEST, {}));
    journal = await reopened(journal, at);
    expect([journal.bounds.maxQueued, journal.bounds.pageSize]).toEqual([1_000, 50]);
    expect(journal.reserveSync('b', DIGEST, {}).outcome).toBe('created');
    journal = await reopened(journal, at, { bounds: { maxQueued: 1 } });
    refusal('ERR_QUEUE_FULL', () => journal.reserveSync('c', DIGEST, {}), { limit: 1, actual: 2 });
    expect(journal.reserveSync('b', DIGEST, {}).outcome).toBe('existing');
  });
});
