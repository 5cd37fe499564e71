// Looking after a journal: counts, verification, compaction, copies, and its close.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DISPOSE_ASYNC } from './fixtures/operations/symbols.js';
import {
  DIGEST,
  ask,
  expectError,
  idsOf,
  inMemory,
  newPath,
  openJournal,
  openLogs,
  outcomeOf,
  refusal,
  rejection,
  reopened,
  rowIn,
  temporary,
  walk,
} from './operations-kit.js';

const KINDS = [
  ...['queued/pending', 'running/accepted', 'interrupted/uncertain', 'succeeded/accepted'],
  ...['failed/refused', 'cancelled/pending'],
];
const SOUND = { ok: true, problems: [] };

describe('stats', () => {
  it('count the rows of each scope by state, and the fence', () => {
    const journal = inMemory({ maxReservations: 10, retain: 3 });
    expect(journal.stats()).toMatchObject({ scopes: [], fence: { used: 0, free: 10 } });
    for (const kind of KINDS) rowIn(journal, kind, kind, 's');
    rowIn(journal, 'x', 'queued/pending', '__proto__');
    const { scopes, fence, fileBytes, health } = journal.stats();
    const none = { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, interrupted: 0 };
    expect(new Map(scopes.map((each) => [each.scope, each]))).toEqual(
      new Map([
        [
          's',
          {
            ...{ scope: 's', queued: 1, running: 1, succeeded: 1 },
            ...{ failed: 1, cancelled: 1, interrupted: 1 },
          },
        ],
        ['__proto__', { ...none, scope: '__proto__', queued: 1 }],
      ]),
    );
    expect([fence, fileBytes, health]).toEqual([{ used: 7, free: 3 }, 0, 'ok']);
  });

  it('show that calls made in one tick share a commit, and what that saves', async () => {
    const journal = await openJournal();
    await journal.reserve('first', DIGEST, {});
    const before = journal.stats();
    const ids = Array.from({ length: 200 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, { id })));
    const after = journal.stats();
    expect(after.commits - before.commits).toBe(1);
    expect(after.fsyncs - before.fsyncs).toBeGreaterThan(0);
    expect(after.fsyncs - before.fsyncs).toBeLessThan(5);
    expect(after.largestBatch).toBe(200);
    expect(after.fileBytes).toBeGreaterThan(0);
  });

  it('count no commit for a call that changed nothing', async () => {
    const journal = await openJournal();
    await journal.reserve('a', DIGEST, {});
    const { commits, fsyncs } = journal.stats();
    await journal.reserve('a', DIGEST, {});
    await rejection('ERR_OPERATION_CONFLICT', () => journal.reserve('a', 'other', {}));
    await rejection('ERR_OPERATION_UNKNOWN', () => journal.update('none', {}));
    expect(await journal.forget({ finishedBefore: 1 })).toBe(0);
    expect(journal.stats()).toMatchObject({ commits, fsyncs });
  });

  it('give the size of the file, which does not grow for ever', async () => {
    const at = newPath();
    const journal = await openJournal(at, { durability: 'eventual', bounds: { retain: 10 } });
    const sizes: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      const ids = Array.from({ length: 50 }, (_, index) => `${round}-${index}`);
      await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, { text: 'x'.repeat(500) })));
      await Promise.all(ids.map((id) => journal.update(id, { state: 'cancelled' })));
      await journal.forget({ finishedBefore: Number.MAX_SAFE_INTEGER });
      await journal.drainRetired();
      sizes.push(journal.stats().fileBytes);
    }
    const highest = (from: number, to: number) => Math.max(...sizes.slice(from, to));
    expect(highest(30, 60)).toBeLessThanOrEqual(2 * highest(10, 30));
    await journal.close();
    expect(statSync(at).size).toBeLessThanOrEqual(2 * highest(0, 60));
  });
});

describe('a hundred rows', () => {
  it('that are observed fifty thousand times, while somebody looks on, stay a small file', async () => {
    const at = newPath();
    const journal = await openJournal(at, { durability: 'eventual' });
    const watch = journal.watch();
    const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, { text: 'x'.repeat(500) })));
    const sizes: number[] = [];
    for (let round = 0; round < 500; round += 1) {
      const patch = {
        state: 'running',
        stage: `${round}`,
        result: { text: 'y'.repeat(500) },
      } as const;
      await Promise.all(ids.map((id) => journal.update(id, patch)));
      // Its reader takes its time.
      if (round % 50 === 0) await watch.next();
      sizes.push(statSync(at).size);
    }
    const highest = (from: number, to: number) => Math.max(...sizes.slice(from, to));
    expect(highest(250, 500)).toBeLessThanOrEqual(1.5 * highest(50, 250));
    // Of some hundred kilobytes that are in it.
    expect(highest(0, 500)).toBeLessThan(20 * 200_000);
  }, 120_000);
});

describe('verify', () => {
  it('finds nothing wrong with a good journal, in memory, on disk, and while it is written', async () => {
    for (const journal of [inMemory({ retain: 2 }), await openJournal(newPath())]) {
      for (const kind of KINDS) rowIn(journal, kind, kind);
      for (const id of ['x', 'y', 'z']) rowIn(journal, id, 'succeeded/accepted', 's');
      journal.requestCancelSync('running/accepted');
      journal.forgetSync({ finishedBefore: Number.MAX_SAFE_INTEGER });
      const writing = Array.from({ length: 100 }, (_, index) =>
        journal.reserve(`meanwhile ${index}`, DIGEST, { text: 'x'.repeat(500) }),
      );
      const verifying = [journal.verify(), journal.verify()];
      expect(await Promise.all(verifying)).toEqual([SOUND, SOUND]);
      await Promise.all(writing);
      expect(await journal.verify()).toEqual(SOUND);
    }
  });
});

describe('compact', () => {
  it('gives space back, and keeps every row, also those written meanwhile', async () => {
    const at = newPath();
    let journal = await openJournal(at, { durability: 'eventual' });
    const text = 'x'.repeat(20_000);
    const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, { text }, 'gone')));
    await Promise.all(ids.map((id) => journal.update(id, { state: 'failed' }, 'gone')));
    await journal.forget({ finishedBefore: Number.MAX_SAFE_INTEGER, scope: 'gone' });
    for (const kind of KINDS) rowIn(journal, kind, kind);
    const rows = walk(journal).map((id) => journal.status(id));
    const watch = journal.watch();
    const compacting = journal.compact();
    const writing = journal.reserve('meanwhile', DIGEST, {});
    const { before, after } = await compacting;
    await writing;
    expect(after).toBeLessThan(before / 4);
    expect((await watch.next()).value.operationId).toBe('meanwhile');
    expect(
      walk(journal)
        .slice(1)
        .map((id) => journal.status(id)),
    ).toEqual(rows);
    expect(await journal.verify()).toEqual(SOUND);
    expect(readdirSync(path.dirname(at))).toEqual([path.basename(at)]);
    journal = await reopened(journal, at);
    expect(walk(journal)).toEqual(['meanwhile', ...[...KINDS].reverse()]);
    expect(journal.drainRetiredSync()).toHaveLength(100);
  });

  it('of a journal in memory, of an empty one, and again at once, does no harm', async () => {
    for (const journal of [inMemory(), await openJournal(newPath())]) {
      const done = await Promise.all([journal.compact(), journal.compact()]);
      for (const { before, after } of done)
        expect(Number.isSafeInteger(before) && after <= before).toBe(true);
      rowIn(journal, 'a', 'running/accepted');
      await journal.compact();
      expect(journal.status('a')?.state).toBe('running');
    }
  });

  it('leaves the file to who has it open: a second handle goes on, and the lock holds', async () => {
    const at = newPath();
    const [one, two] = [await openJournal(at), await openJournal(at)];
    rowIn(one, 'a', 'running/accepted');
    await one.compact();
    expect(two.updateSync('a', { progress: 0.5 }).progress).toBe(0.5);
    const third = await openJournal(at);
    expect(third.status('a')?.state).toBe('running');
    await Promise.all([one.close(), two.close()]);
    expect((await reopened(third, at)).status('a')?.state).toBe('interrupted');
  });
});

describe('a backup', () => {
  it('is a journal of its own, with all that was called before', async () => {
    for (const journal of [await openJournal(newPath()), inMemory()]) {
      rowIn(journal, 'a', 'running/accepted');
      const copy = newPath();
      const before = journal.reserve('b', DIGEST, { of: 'b' }, 's');
      const copying = journal.backup(copy);
      expect(await copying).toBe(undefined);
      await before;
      journal.updateSync('a', { progress: 0.5 });
      const other = await openJournal(copy);
      expect(other.status('a')).toMatchObject({ state: 'interrupted', progress: null });
      expect(other.payload('b', 's')).toEqual({ of: 'b' });
      other.reserveSync('c', DIGEST, {});
      expect([journal.status('c'), journal.status('a')?.state]).toEqual([null, 'running']);
      expect(await other.verify()).toEqual(SOUND);
    }
  });

  it('is written over nothing that is there', async () => {
    const journal = await openJournal();
    const file = path.join(temporary(), 'file');
    writeFileSync(file, 'mine');
    for (const there of [file, path.dirname(file)])
      await rejection('ERR_BACKUP_EXISTS', () => journal.backup(there), { path: there });
    expect(statSync(file).size).toBe(4);
    const none = path.join(file, 'below');
    const error = await rejection('ERR_JOURNAL_IO', () => journal.backup(none));
    expect(error.cause).toBeInstanceOf(Error);
    expect(readdirSync(path.dirname(file))).toEqual(['file']);
    expect(journal.reserveSync('a', DIGEST, {}).outcome).toBe('created');
  });

  it('is consistent while others write', async () => {
    const journal = await openJournal(newPath(), { durability: 'eventual' });
    const copies: string[] = [];
    const writing = new AbortController();
    const written = (async () => {
      for (let round = 0; !writing.signal.aborted; round += 1) {
        await journal.reserve(`${round}`, DIGEST, { round });
        await journal.update(`${round}`, { state: 'running' });
        await journal.update(`${round}`, { state: 'succeeded', result: { round } });
      }
    })();
    for (let copy = 0; copy < 4; copy += 1) {
      copies.push(newPath());
      await journal.backup(copies[copy]!);
    }
    writing.abort();
    await written;
    for (const copy of copies) {
      const other = await openJournal(copy, { bounds: { pageSize: 1_000 } });
      expect(await other.verify()).toEqual(SOUND);
      // All but the newest were done with when the newest was begun.
      for (const id of walk(other).slice(1))
        expect(other.status(id)).toMatchObject({
          state: 'succeeded',
          result: { round: Number(id) },
        });
    }
  });
});

describe('close', () => {
  const READS = [
    ...['status', 'startedAt', 'payload', 'cancelRequested'].map((name) => [name, 'a']),
    ...['page', 'nextQueued', 'interruptedAccepted', 'stats', 'watch'].map((name) => [name]),
  ];
  const CALLS: unknown[][] = [
    ['reserve', 'b', DIGEST, {}],
    ['update', 'a', {}],
    ['requestCancel', 'a'],
    ['resolve', 'a', { state: 'failed' }],
    ['forget', { finishedBefore: 1 }],
    ['drainRetired'],
  ];

  it.each(['in memory', 'on disk'])(
    'of a journal %s refuses whatever comes, and does what was called before',
    async (where) => {
      const at = newPath();
      const journal = where === 'on disk' ? await openJournal(at) : inMemory();
      const writing = [journal.reserve('a', DIGEST, {}), journal.update('a', { state: 'running' })];
      const closing = journal.close();
      for (const [method, ...args] of [
        ...READS,
        ...CALLS.map(([name, ...args]) => [`${name}Sync`, ...args]),
      ])
        refusal('ERR_CLOSED', () => ask(journal, method as string, ...args));
      for (const [method, ...args] of [...CALLS, ['verify'], ['compact'], ['backup', '/x']])
        await rejection('ERR_CLOSED', () => ask(journal, method as string, ...args) as never);
      expect(await Promise.all(writing)).toMatchObject([
        { outcome: 'created' },
        { state: 'running' },
      ]);
      expect(await closing).toBe(undefined);
      await Promise.all([journal.close(), journal[DISPOSE_ASYNC]()]);
      refusal('ERR_CLOSED', () => journal.page());
      if (where === 'on disk')
        expect((await openJournal(at)).status('a')?.state).toBe('interrupted');
    },
  );

  it('waits for verification, compaction and copies that were asked for before', async () => {
    const journal = await openJournal();
    const copy = newPath();
    for (const kind of KINDS) rowIn(journal, kind, kind);
    const asked = [journal.verify(), journal.compact(), journal.backup(copy)];
    await journal.close();
    const ended = await Promise.all(asked);
    expect(ended[0]).toEqual(SOUND);
    expect(existsSync(copy)).toBe(true);
    expect(idsOf((await openJournal(copy)).page())).toHaveLength(KINDS.length);
  });

  it('is what `await using` does at the end of a block', async () => {
    for (const handle of [inMemory(), await openLogs()]) {
      expect(await handle[DISPOSE_ASYNC]()).toBe(undefined);
      const error = await outcomeOf(() =>
        ask(handle, 'stats' in handle ? 'stats' : 'read', 'a', 0),
      );
      expectError(error, 'ERR_CLOSED');
    }
  });

  it('of one handle is not that of another', async () => {
    const at = newPath();
    const [one, two] = [await openJournal(at), await openJournal(at)];
    rowIn(one, 'a', 'running/accepted');
    await one.close();
    refusal('ERR_CLOSED', () => one.page());
    expect(two.updateSync('a', { progress: 1 }).state).toBe('running');
  });
});
