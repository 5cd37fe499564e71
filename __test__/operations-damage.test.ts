// A journal's file that is damaged, cut off, or something else: refused, and left as it was.
import {
  appendFileSync,
  copyFileSync,
  lstatSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { backend, startRunner } from './fixtures/operations/backend.js';
import { startChild } from './fixtures/operations/child.js';
import {
  DIGEST,
  newPath,
  openJournal,
  randomOf,
  refusal,
  rejection,
  walk,
} from './operations-kit.js';

/** A sound journal with some rows in it, closed. */
async function written(rows = 20, text = 'x'.repeat(200)): Promise<string> {
  const at = newPath();
  const journal = await openJournal(at);
  await Promise.all(
    Array.from({ length: rows }, (_, row) => journal.reserve(`${row}`, DIGEST, { text })),
  );
  await journal.close();
  return at;
}

/** One that only a switch of the addon can make. */
async function spoiled(what: 'format' | 'row'): Promise<string> {
  const at = newPath();
  const env = { TENURE_TEST_FAULTS: '1' };
  const { code, errors } = await startChild('spoiled', { args: [what, at], env }).gone;
  expect([code, errors]).toEqual([0, '']);
  return at;
}

describe('a file that is no sound journal', () => {
  it('is refused and left as it was, again and again', async () => {
    const good = readFileSync(await written(50, 'x'.repeat(2_000)));
    const contents: [string, Buffer][] = [
      ['a text', Buffer.from('not a journal\n'.repeat(2_000))],
      ['one byte', Buffer.from('x')],
      ['zeroes', Buffer.alloc(65_536)],
      ['half of one', good.subarray(0, good.length >> 1)],
      ['a page of one', good.subarray(0, 4_096)],
      ['its first bytes', good.subarray(0, 100)],
      ['one behind a script', Buffer.concat([Buffer.from('#!/bin/sh\n'), good])],
    ];
    for (const [what, content] of contents) {
      const at = newPath();
      writeFileSync(at, content);
      const before = lstatSync(at).mtimeMs;
      for (let time = 0; time < 2; time += 1)
        await rejection('ERR_JOURNAL_CORRUPT', () => openJournal(at), { path: at });
      expect(readFileSync(at).equals(content), what).toBe(true);
      expect(lstatSync(at).mtimeMs, what).toBe(before);
      expect(readdirSync(path.dirname(at)), what).toEqual(['journal']);
    }
  });

  it('by a flipped bit either opens and can be used, or is refused and left as it was', async () => {
    const good = readFileSync(await written());
    const random = randomOf(4);
    const refused: string[] = [];
    for (let round = 0; round < 200; round += 1) {
      const at = newPath();
      const damaged = Buffer.from(good);
      // Half of them where everything begins.
      const place = random.below(round % 2 ? damaged.length : 512);
      damaged[place]! ^= 1 << random.below(8);
      writeFileSync(at, damaged);
      const journal = await openJournal(at).catch((error: { code: string }) => {
        refused.push(error.code);
        return undefined;
      });
      if (journal === undefined) {
        expect(readFileSync(at).equals(damaged)).toBe(true);
        continue;
      }
      walk(journal);
      await journal.verify();
      expect(journal.reserveSync('new', DIGEST, {}).outcome).toBe('created');
      await journal.close();
    }
    expect(refused.length).toBeGreaterThan(0);
    const due = ['ERR_JOURNAL_CORRUPT', 'ERR_JOURNAL_VERSION'];
    expect(refused.filter((code) => !due.includes(code))).toEqual([]);
  });

  it('cut off at any length is refused or opens, and never made anew', async () => {
    const good = readFileSync(await written());
    const random = randomOf(5);
    for (let round = 0; round < 200; round += 1) {
      const at = newPath();
      const cut = good.subarray(0, 1 + random.below(good.length - 1));
      writeFileSync(at, cut);
      const journal = await openJournal(at).catch(() => undefined);
      if (journal === undefined) expect(readFileSync(at).equals(cut)).toBe(true);
      else expect(walk(journal)).toHaveLength(20);
      await journal?.close();
    }
  });

  it('with more behind its end opens, or is refused and left as it was', async () => {
    const at = await written();
    appendFileSync(at, 'x'.repeat(5_000));
    const bytes = readFileSync(at);
    const journal = await openJournal(at).catch(() => undefined);
    if (journal === undefined) expect(readFileSync(at).equals(bytes)).toBe(true);
    else expect(walk(journal)).toHaveLength(20);
  });

  it('of a later format is refused as such, and left as it was', async () => {
    const at = await spoiled('format');
    const bytes = readFileSync(at);
    await rejection('ERR_JOURNAL_VERSION', () => openJournal(at), { path: at });
    expect(readFileSync(at).equals(bytes)).toBe(true);
  });

  it.each([
    [1, 'ERR_JOURNAL_CORRUPT'],
    [2, 'ERR_JOURNAL_CORRUPT'],
    [4, 'ERR_JOURNAL_VERSION'],
    [255, 'ERR_JOURNAL_VERSION'],
  ])(
    'of another version of the database below, such as %i, is refused and left as it was',
    async (version, code) => {
      const at = await written();
      const bytes = readFileSync(at);
      // Where each of the two last commits says it.
      for (const place of [64, 192]) bytes[place] = version;
      writeFileSync(at, bytes);
      await rejection(code, () => openJournal(at), { path: at });
      expect(readFileSync(at).equals(bytes)).toBe(true);
    },
  );

  it('of one record is reported by verify, kept, and stops no other row, scope, listing or runner', async () => {
    const at = await spoiled('row');
    for (let time = 0; time < 2; time += 1) {
      const found = await openJournal(at, { bounds: { pageSize: 1 } });
      const { ok, problems } = await found.verify();
      expect([ok, problems]).toMatchObject([false, [{ message: expect.stringMatching(/./) }]]);
      expect(['bad', null]).toContain(problems[0]!.operationId);
      expect(found.status('bad', 's')).toBe(null);
      expect(walk(found, 's').slice(-2)).toEqual(['good-2', 'good-1']);
      expect(found.nextQueued('s')).toBe('good-1');
      refusal('ERR_OPERATION_UNKNOWN', () => found.updateSync('bad', {}, 's'));
      found.updateSync('other', { state: time === 0 ? 'running' : 'failed' }, 't');
      expect(found.reserveSync(`new ${time}`, DIGEST, {}, 's').outcome).toBe('created');
      await found.compact();
      expect((await found.verify()).ok).toBe(false);
      if (time === 1) {
        const adapter = backend();
        const { reach } = await startRunner(adapter, { journal: found, scope: 's' });
        await reach('new 1', 'succeeded');
        expect(adapter.of('submit')).toEqual(['good-1', 'good-2', 'new 0', 'new 1']);
      }
      await found.close();
    }
  });

  it('was copied while it was open: the copy opens and has what was acknowledged', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    for (let row = 0; row < 30; row += 1) journal.reserveSync(`${row}`, DIGEST, {});
    const copy = newPath();
    copyFileSync(at, copy);
    expect(walk(await openJournal(copy))).toHaveLength(30);
  });
});
