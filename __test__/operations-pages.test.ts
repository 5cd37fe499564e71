// Listings: newest first, within their bounds, and steady while rows come and go.
import { describe, expect, it } from 'vitest';
import type { OperationPage } from '../index.js';
import { bytesOf } from './fixtures/operations/canonical.js';
import {
  DIGEST,
  idsOf,
  inMemory,
  newPath,
  openJournal,
  randomOf,
  reopened,
  rowIn,
  walk,
} from './operations-kit.js';

const KINDS = [
  ...['queued/pending', 'queued/accepted', 'running/accepted', 'interrupted/accepted'],
  ...['interrupted/uncertain', 'succeeded/accepted', 'failed/refused', 'cancelled/pending'],
];
const LAST = Number.MAX_SAFE_INTEGER;

describe('a page', () => {
  it('has the newest rows first, at most pageSize, and counts the whole scope', () => {
    const journal = inMemory({ pageSize: 3 });
    for (const kind of KINDS) rowIn(journal, kind, kind);
    rowIn(journal, 'elsewhere', 'running/accepted', 's');
    const page = journal.page();
    expect(idsOf(page)).toEqual(['cancelled/pending', 'failed/refused', 'succeeded/accepted']);
    expect([page.active, page.outstanding]).toEqual([3, 2]);
    const second = journal.page('', { offset: page.nextOffset! });
    expect([second.active, second.outstanding]).toEqual([3, 2]);
    expect(walk(journal)).toEqual([...KINDS].reverse());
  });

  it('has each row as its status has it, less input, result and reference', () => {
    const journal = inMemory();
    for (const kind of KINDS) rowIn(journal, kind, kind);
    journal.updateSync('running/accepted', { progress: 0.5, stage: 's', result: { r: 1 } });
    for (const row of journal.page().operations)
      expect(row).toEqual({
        ...journal.status(row.operationId),
        ...{ input: null, result: null, backendReference: null },
      });
  });

  it('says where the listing goes on, and null exactly when nothing more would come', () => {
    const journal = inMemory({ pageSize: 2 });
    for (const id of ['a', 'b']) journal.reserveSync(id, DIGEST, {});
    expect(journal.page().nextOffset).toBe(null);
    journal.reserveSync('c', DIGEST, {});
    const offset = journal.page().nextOffset!;
    expect(Number.isSafeInteger(offset) && offset > 0).toBe(true);
    expect(journal.page('', { offset })).toMatchObject({ nextOffset: null });
    expect(idsOf(journal.page('', { offset }))).toEqual(['a']);
  });

  it('of an offset that no page gave is of the rows that lie beyond it', () => {
    const journal = inMemory({ pageSize: 100 });
    for (let row = 0; row < 10; row += 1) journal.reserveSync(`${row}`, DIGEST, {});
    expect(idsOf(journal.page('', { offset: LAST }))).toHaveLength(10);
    const { nextOffset, ...rest } = journal.page('', { offset: 1 });
    expect([nextOffset, rest]).toEqual([null, { operations: [], active: 10, outstanding: 0 }]);
    const before = idsOf(journal.page('', { offset: 5 }));
    expect(before).toEqual(walk(journal).slice(10 - before.length));
  });

  it('of one state lists that state only, with offsets that serve under any filter', () => {
    const journal = inMemory({ pageSize: 2 });
    const kinds = ['queued/pending', 'cancelled/pending', 'interrupted/uncertain'] as const;
    for (let row = 0; row < 12; row += 1) rowIn(journal, `${row}`, kinds[row % 3]!);
    expect(walk(journal, '', { state: 'cancelled' })).toEqual(['10', '7', '4', '1']);
    expect(walk(journal, '', { state: 'succeeded' })).toEqual([]);
    const page = journal.page('', { state: 'queued' });
    expect([idsOf(page), page.active, page.outstanding]).toEqual([['9', '6'], 4, 4]);
    const offset = page.nextOffset!;
    expect(idsOf(journal.page('', { offset }))).toEqual(['5', '4']);
    const last = journal.page('', { offset, state: 'queued' });
    expect([idsOf(last), last.nextOffset]).toEqual([['3', '0'], null]);
    expect(idsOf(journal.page('s', { offset }))).toEqual([]);
  });
});

describe('between two pages', () => {
  it('rows may be reserved: none appears twice, and none vanishes', () => {
    const random = randomOf(11);
    for (let round = 0; round < 30; round += 1) {
      const journal = inMemory({ pageSize: 1 + random.below(4) });
      const old = Array.from({ length: random.below(15) }, (_, index) => `old ${index}`);
      for (const id of old) journal.reserveSync(id, DIGEST, {}, 's');
      const seen: string[] = [];
      let added = 0;
      for (let offset: number | null = 0; offset !== null;) {
        const page: OperationPage = journal.page('s', { offset });
        seen.push(...idsOf(page));
        offset = page.nextOffset;
        for (let more = random.below(4); more > 0; more -= 1)
          journal.reserveSync(`new ${(added += 1)}`, DIGEST, {}, added % 3 ? 's' : 'elsewhere');
      }
      expect(seen).toEqual(old.reverse());
    }
  });

  it('rows may be pruned, forgotten and reserved anew: no other one appears twice or vanishes', () => {
    const journal = inMemory({ pageSize: 2, retain: 2 });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) journal.reserveSync(id, DIGEST, {});
    const end = (id: string) => journal.updateSync(id, { state: 'failed' });
    for (const id of ['c', 'd']) end(id);
    const first = journal.page();
    expect(idsOf(first)).toEqual(['f', 'e']);
    for (const id of ['e', 'a']) end(id);
    const second = journal.page('', { offset: first.nextOffset! });
    expect([idsOf(second), second.nextOffset]).toEqual([['b', 'a'], null]);
    journal.forgetSync({ finishedBefore: LAST });
    journal.reserveSync('a', DIGEST, {});
    expect(walk(journal)).toEqual(['a', 'f', 'b']);
    expect(idsOf(journal.page('', { offset: first.nextOffset! }))).toEqual(['b']);
  });

  it('the row at which a page ended may leave: the listing goes on behind it', () => {
    const journal = inMemory({ pageSize: 2, retain: 1 });
    for (const id of ['a', 'b', 'c', 'd']) journal.reserveSync(id, DIGEST, {});
    const { nextOffset } = journal.page();
    for (const id of ['c', 'd']) journal.updateSync(id, { state: 'failed' });
    expect(walk(journal)).toEqual(['d', 'b', 'a']);
    expect(idsOf(journal.page('', { offset: nextOffset! }))).toEqual(['b', 'a']);
  });

  it('the journal may be opened anew, and its clock may have gone back', async () => {
    const at = newPath();
    const bounds = { pageSize: 2 };
    let journal = await openJournal(at, { bounds, clock: () => 5_000 });
    for (const id of ['a', 'b', 'c', 'd', 'e']) journal.reserveSync(id, DIGEST, {});
    const { nextOffset } = journal.page();
    journal = await reopened(journal, at, { bounds, clock: () => 100 });
    journal.reserveSync('f', DIGEST, {});
    expect(journal.status('f')?.submittedAt).toBe(100);
    expect(walk(journal)).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
    expect(idsOf(journal.page('', { offset: nextOffset! }))).toEqual(['c', 'b']);
  });
});

describe('frameBytes', () => {
  it('is never passed, whatever the rows hold, and every row comes once', () => {
    const journal = inMemory({ frameBytes: 8_192, pageSize: 1_000 });
    const names: string[] = [];
    for (let row = 0; row < 40; row += 1) {
      // What is escaped in JSON, or takes more bytes than characters.
      const id = `${row}-${(row % 2 ? '"' : '😀').repeat(120)}`;
      names.push(id);
      journal.reserveSync(id, '\\'.repeat(128), { big: 'x'.repeat(1_000) }, 's');
      const shown = {
        stage: '\u0001'.repeat(64),
        error: (row % 3 ? '\u0002' : '😀').repeat(256),
      };
      const sent = { submission: 'accepted', backendReference: 'r'.repeat(512) } as const;
      journal.updateSync(id, { state: 'running', ...shown, ...sent, result: { b: 'y' } }, 's');
    }
    const seen: string[] = [];
    let most = 0;
    for (let offset: number | null = 0; offset !== null;) {
      const page: OperationPage = journal.page('s', { offset });
      expect(bytesOf(JSON.stringify(page))).toBeLessThanOrEqual(8_192);
      most = Math.max(most, page.operations.length);
      seen.push(...idsOf(page));
      offset = page.nextOffset;
    }
    expect(most).toBeGreaterThan(1);
    expect(seen).toEqual(names.reverse());
  });

  it('holds the largest row that there can be', () => {
    const journal = inMemory({ frameBytes: 8_192 });
    const id = '😀'.repeat(128);
    journal.reserveSync(id, '"'.repeat(128), {});
    journal.updateSync(id, { state: 'running', stage: '\u0001'.repeat(64), progress: 1 / 3 });
    journal.updateSync(id, { error: '\u0001'.repeat(256) });
    expect(idsOf(journal.page())).toEqual([id]);
    expect(bytesOf(JSON.stringify(journal.page()))).toBeLessThanOrEqual(8_192);
  });
});
