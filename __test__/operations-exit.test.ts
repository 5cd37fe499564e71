// The end of a process: what it waits for, and that nothing of ours disturbs it. And its sleep.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild, type Child } from './fixtures/operations/child.js';
import { moment, newPath, openJournal, rejection, temporary, walk } from './operations-kit.js';

const LIMIT = 120_000;
const WELL = { code: 0, signal: null, errors: '' };

function alone(mode: string): { at: string; child: Child<unknown> } {
  const at = newPath();
  return { at, child: startChild('alone', { args: [mode, at, temporary()] }) };
}

describe('a process', () => {
  it('ends by itself whatever handles, watchers and followers it holds', async () => {
    const { child } = alone('handles');
    expect([await child.gone, child.said]).toEqual([WELL, ['exit']]);
  });

  it('ends once the calls that it made are done, awaited or not', async () => {
    const { at, child } = alone('calls');
    expect([await child.gone, child.said]).toEqual([WELL, [{ ok: true }, 'exit']]);
    const journal = await openJournal(at, { bounds: { pageSize: 1_000 } });
    expect(walk(journal)).toHaveLength(500);
  });

  it('ends once what it opens is open', async () => {
    const { child } = alone('opening');
    expect([await child.gone, child.said]).toEqual([WELL, ['opened', 'exit']]);
  });

  it('stays while a runner is started, and ends when it has stopped', async () => {
    const { child } = alone('runner');
    await child.heard();
    // A second, after which one that nothing keeps would long have gone.
    await moment(1_000);
    expect([child.process.exitCode, child.said]).toEqual([null, ['started']]);
    child.tell('stop');
    expect([await child.gone, child.said]).toEqual([WELL, ['started', 'told', 'exit']]);
  });

  it('has nothing of ours in its loop once all is stopped and closed', async () => {
    const { child } = alone('closed');
    expect([await child.gone, child.said]).toEqual([WELL, [{ left: [] }, 'exit']]);
  });
});

describe('a process that leaves with a thousand calls under way', () => {
  const leave = async (how: string, after: number) => {
    const at = newPath();
    const { code, signal, errors } = await startChild('leaving', {
      args: [how, `${after}`, at, temporary()],
    }).gone;
    const journal = await openJournal(at, { bounds: { pageSize: 1_000 } });
    const { ok } = await journal.verify();
    // In the order of the calls: none without all that were made before.
    const rows = walk(journal).reverse();
    const inOrder = rows.every((id, index) => id === `${index}`);
    await journal.close();
    return { code, signal, errors, ok, inOrder };
  };
  const moments = Array.from({ length: 8 }, (_, round) => round * round);

  it.each(['exit', 'close'])(
    'by %s ends well, at whatever moment, and leaves a sound journal',
    async (how) => {
      for (let at = 0; at < moments.length; at += 2) {
        const some = moments.slice(at, at + 2).map((after) => leave(how, after));
        for (const left of await Promise.all(some))
          expect(left).toEqual({ ...WELL, ok: true, inOrder: true });
      }
    },
    LIMIT,
  );

  it('by an uncaught exception says so, and nothing else', async () => {
    for (const after of [0, 3, 20]) {
      const { errors, ...left } = await leave('uncaught', after);
      expect(left).toEqual({ code: 1, signal: null, ok: true, inOrder: true });
      expect(errors).toContain('Error: the end');
      expect(errors).not.toMatch(/panic|fatal|abort/i);
    }
  });
});

describe.runIf(process.platform !== 'win32')('a process that is put to sleep', () => {
  it('is still the owner of its journal, goes on when it wakes, and sends nothing twice', async () => {
    const at = newPath();
    const file = path.join(temporary(), 'backend');
    const child = startChild('suspended', { args: [at, temporary(), file] });
    expect(await child.heard()).toBe('busy');
    child.process.kill('SIGSTOP');
    await rejection('ERR_JOURNAL_LOCKED', () => openJournal(at));
    await moment(2_500);
    await rejection('ERR_JOURNAL_LOCKED', () => openJournal(at));
    child.process.kill('SIGCONT');
    expect(await child.gone).toEqual(WELL);
    const sent = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(new Set(sent).size).toBe(sent.length);
    // What was in flight may have taken too long: then a person decides.
    const ends = child.said[1] as string[];
    expect(ends).toHaveLength(10);
    for (const [id, end] of ends.entries())
      expect(['succeeded/accepted', 'interrupted/uncertain'], `${id}`).toContain(end);
    expect(ends.filter((end) => end === 'succeeded/accepted').length).toBeGreaterThan(3);
  });
});
