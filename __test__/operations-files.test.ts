// The file of a journal: whose it is, and what it is called.
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from './fixtures/operations/child.js';
import {
  DIGEST,
  moment,
  newPath,
  openJournal,
  rejection,
  reopened,
  rowIn,
  temporary,
  walk,
} from './operations-kit.js';

const isPosix = process.platform !== 'win32';

interface Holding {
  readonly opened?: boolean;
  readonly code?: string;
  readonly path?: string;
  readonly pid?: number;
  readonly isOurs?: boolean;
  readonly own: number;
  readonly took: number;
}

describe('opening', () => {
  it('makes a file where there is none, and takes an empty one', async () => {
    const at = newPath();
    writeFileSync(at, '');
    for (const where of [at, newPath()]) {
      const journal = await openJournal(where);
      journal.reserveSync('a', DIGEST, {});
      expect(walk(await reopened(journal, where))).toEqual(['a']);
      expect(readdirSync(path.dirname(where))).toEqual(['journal']);
    }
  });

  it.runIf(isPosix)('makes it for the eyes of its owner only', async () => {
    const at = newPath();
    await openJournal(at);
    expect(statSync(at).mode & 0o777).toBe(0o600);
  });

  it('of what is no file, or has no directory, is refused, and makes nothing', async () => {
    const directory = temporary();
    await rejection('ERR_JOURNAL_IO', () => openJournal(directory), { path: directory });
    const missing = path.join(directory, 'missing', 'journal');
    const error = await rejection('ERR_JOURNAL_IO', () => openJournal(missing), { path: missing });
    expect(error.cause).toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(directory)).toEqual([]);
  });

  it.runIf(isPosix)('of a pipe, a device or a loop of links is refused at once', async () => {
    const directory = temporary();
    const fifo = path.join(directory, 'fifo');
    execFileSync('mkfifo', [fifo]);
    await rejection('ERR_JOURNAL_CORRUPT', () => openJournal(fifo));
    await rejection('ERR_JOURNAL_CORRUPT', () => openJournal('/dev/null'));
    const loop = path.join(directory, 'loop');
    symlinkSync('loop', loop);
    await rejection('ERR_JOURNAL_IO', () => openJournal(loop));
    expect(readdirSync(directory).sort()).toEqual(['fifo', 'loop']);
  });
});

describe('one file in one process', () => {
  it('is one journal, whatever it is called, each handle with a clock of its own', async () => {
    const at = newPath();
    const directory = path.dirname(at);
    const first = await openJournal(at, { clock: () => 1 });
    const link = path.join(directory, 'link');
    symlinkSync('journal', link);
    mkdirSync(path.join(directory, 'sub'));
    rowIn(first, 'a', 'running/accepted');
    const names = [
      path.relative(process.cwd(), at),
      `${directory}/sub/..//journal`,
      link,
      path.join(directory, '.', 'link'),
    ];
    for (const [index, name] of names.entries()) {
      const other = await openJournal(name, { clock: () => 500 + index });
      expect(other.status('a')?.state).toBe('running');
      const { status } = other.reserveSync(`of ${index}`, DIGEST, {});
      expect(status.submittedAt).toBe(500 + index);
      await other.close();
    }
    expect(walk(first)).toEqual(['of 3', 'of 2', 'of 1', 'of 0', 'a']);
    expect(first.status('a')?.state).toBe('running');
  });

  it.runIf(isPosix)(
    'is found by a hard link, and under a new name after it was moved',
    async () => {
      const at = newPath();
      const journal = await openJournal(at);
      rowIn(journal, 'a', 'running/accepted');
      const [hard, moved] = [`${at} hard`, `${at} moved`];
      linkSync(at, hard);
      renameSync(at, moved);
      for (const name of [hard, moved])
        expect((await openJournal(name)).status('a')?.state).toBe('running');
      const another = await openJournal(at);
      expect([another.status('a'), walk(journal)]).toEqual([null, ['a']]);
    },
  );

  it('is let go with its last handle, and not before', async () => {
    const at = newPath();
    const handles = await Promise.all([openJournal(at), openJournal(at), openJournal(at)]);
    rowIn(handles[0], 'a', 'running/accepted');
    for (const [index, handle] of handles.entries()) {
      await handle.close();
      const after = await openJournal(at);
      expect(after.status('a')?.state).toBe(index < 2 ? 'running' : 'interrupted');
      await after.close();
    }
  });

  it('may be opened, closed and opened by many at once', async () => {
    const at = newPath();
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        await moment(index % 7);
        const journal = await openJournal(at);
        const { outcome } = await journal.reserve(`${index % 20}`, DIGEST, {});
        await journal.close();
        return outcome;
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(20);
    expect(walk(await openJournal(at))).toHaveLength(20);
  });

  it('takes no other bounds or durability than those it is open with; none given will do', async () => {
    const at = newPath();
    const first = await openJournal(at, { bounds: { retain: 5 } });
    for (const options of [
      { bounds: { retain: 6 } },
      { bounds: {} },
      { bounds: { retain: 5, pageSize: 7 } },
      { durability: 'eventual' } as const,
    ])
      await rejection('ERR_JOURNAL_OPTIONS', () => openJournal(at, options), { path: at });
    const second = await openJournal(at, { bounds: { retain: 5 }, durability: 'immediate' });
    const third = await openJournal(at);
    expect([second.bounds, third.bounds]).toEqual([first.bounds, first.bounds]);
    await Promise.all([first, second, third].map((journal) => journal.close()));
    expect((await openJournal(at, { bounds: { retain: 6 } })).bounds.retain).toBe(6);
  });
});

describe('a file that another process has open', () => {
  it('is refused at once, with who has it, and is untouched; a killed holder holds nothing', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    journal.reserveSync('a', DIGEST, {});
    const bytes = readFileSync(at);
    const refused = await startChild<Holding>('holder', { args: [at] }).heard();
    expect(refused).toMatchObject({ code: 'ERR_JOURNAL_LOCKED', path: at, isOurs: true });
    expect([process.pid, undefined]).toContain(refused.pid);
    expect(refused.took).toBeLessThan(10_000);
    expect(readFileSync(at).equals(bytes)).toBe(true);
    expect(journal.reserveSync('b', DIGEST, {}).outcome).toBe('created');
    await journal.close();
    const holder = startChild<Holding>('holder', { args: [at] });
    expect(await holder.heard()).toMatchObject({ opened: true, rows: 2 });
    const error = await rejection('ERR_JOURNAL_LOCKED', () => openJournal(at), { path: at });
    expect([holder.process.pid, undefined]).toContain(error.pid);
    await holder.kill();
    expect(walk(await openJournal(at))).toEqual(['b', 'a']);
  });

  it('is so under every name, and an opening that was refused takes nothing away', async () => {
    const at = newPath();
    const holder = startChild<Holding>('holder', { args: [at] });
    await holder.heard();
    const link = path.join(path.dirname(at), 'link');
    symlinkSync(at, link);
    for (let round = 0; round < 5; round += 1)
      for (const name of [at, link]) await rejection('ERR_JOURNAL_LOCKED', () => openJournal(name));
    const third = await startChild<Holding>('holder', { args: [link] }).heard();
    expect(third.code).toBe('ERR_JOURNAL_LOCKED');
    await holder.kill();
    expect((await openJournal(link)).page().active).toBe(0);
  });
});
