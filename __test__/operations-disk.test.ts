// A disk that is full: the write is refused, what was there is there, and all goes on once there is room.
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startChild } from './fixtures/operations/child.js';
import { newPath, openJournal, temporary, walk } from './operations-kit.js';

/** The size of a process' files can be limited, and the limit be lifted, while it runs. */
const canLimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;
const limit = (pid: number, soft: string) =>
  execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${soft}:unlimited`]);

describe.runIf(canLimit)('while no file can grow', () => {
  it('a write is refused as unknown, reads go on, and repeating it gives one operation', async () => {
    const at = newPath();
    const child = startChild<Record<string, unknown>>('filler', {
      args: [at],
      before: 'ulimit -S -f 24576',
    });
    const before = await child.heard(1);
    expect(before).toMatchObject({
      refusal: { code: 'ERR_JOURNAL_IO', cause: 'EFBIG' },
      ...{ reads: true, health: 'degraded' },
    });
    const acknowledged = before['acknowledged'] as string[];
    expect(acknowledged.length).toBeGreaterThan(3);
    limit(child.process.pid!, 'unlimited');
    child.tell('go on');
    const { outcomes, health } = (await child.heard(2)) as { outcomes: string[]; health: string };
    expect([['created', 'existing'], outcomes[1], health]).toEqual([
      expect.arrayContaining([outcomes[0]]),
      'existing',
      'ok',
    ]);
    expect(await child.gone).toMatchObject({ code: 0, errors: '' });
    const journal = await openJournal(at, { bounds: { pageSize: 1_000 } });
    expect(walk(journal).reverse()).toEqual([...acknowledged, `${acknowledged.length}`]);
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
  });

  it('nothing is sent, and what the backend answered is recorded once it can be', async () => {
    const child = startChild('broken', { args: [newPath(), temporary()] });
    await child.heard(1);
    limit(child.process.pid!, '1');
    child.tell('broken');
    expect(await child.heard(2)).toEqual({
      ...{ refused: 'ERR_JOURNAL_IO', submitted: ['gated'], observed: [] },
      ...{ waiting: 'queued/pending', sent: 'running/uncertain', health: 'degraded' },
    });
    limit(child.process.pid!, 'unlimited');
    child.tell('mended');
    expect(await child.heard(3)).toEqual({
      ...{ submitted: ['gated', 'a'], observed: ['ref-a', 'ref-gated'], reference: 'ref-gated' },
      ...{ outcome: 'created', health: 'ok', verified: { ok: true, problems: [] } },
    });
    expect(await child.gone).toMatchObject({ code: 0, errors: '' });
  });
});
