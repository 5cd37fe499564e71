// Durability `eventual`: what was acknowledged survives the orderly end of a process, without a close.
import { describe, expect, it } from 'vitest';
import { startChild } from './fixtures/operations/child.js';
import { DIGEST, newPath, openJournal, reopened, walk } from './operations-kit.js';

describe('an eventual journal has everything', () => {
  it.each([
    ['process.exit', 0],
    ['the end of its loop', 0],
    ['an uncaught exception', 1],
    ['an unhandled rejection', 1],
    ['SIGTERM, which it handles', 0],
    ['a worker that ends', 0],
  ])('after %s', async (how, code) => {
    const at = newPath();
    const child = startChild('orderly', { args: [how, at] });
    const ended = await child.gone;
    expect([ended.code, ended.signal, child.said]).toEqual([code, null, ['acknowledged']]);
    const journal = await openJournal(at, { bounds: { pageSize: 1_000 } });
    expect(walk(journal)).toHaveLength(200);
    expect(journal.status('0')).toMatchObject({ state: 'interrupted', backendReference: 'ref' });
    expect([journal.cancelRequested('1'), journal.status('2')?.state]).toEqual([true, 'cancelled']);
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
  });

  it('after a close, and after a close of its last handle only', async () => {
    const at = newPath();
    const other = await openJournal(at, { durability: 'eventual' });
    let journal = await openJournal(at);
    await Promise.all(
      Array.from({ length: 50 }, (_, row) => journal.reserve(`${row}`, DIGEST, { row })),
    );
    await other.close();
    journal = await reopened(journal, at);
    expect(journal.page().active).toBe(50);
  });

  it('is as quick as memory: it does not wait for the disk at each call', async () => {
    const journal = await openJournal(newPath(), { durability: 'eventual' });
    const before = journal.stats();
    for (let row = 0; row < 300; row += 1) await journal.reserve(`${row}`, DIGEST, { row });
    const { commits, fsyncs } = journal.stats();
    expect(commits - before.commits).toBe(300);
    expect(fsyncs - before.fsyncs).toBeLessThan(150);
  });
});
