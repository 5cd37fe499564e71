// Processes that are killed at any moment: nothing acknowledged is lost, and nothing is done twice.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DONE, backend, startRunner } from './fixtures/operations/backend.js';
import { startChild } from './fixtures/operations/child.js';
import { JOURNALS, Oracle } from './fixtures/operations/oracle.js';
import {
  kindOf,
  moment,
  newPath,
  openJournal,
  randomOf,
  temporary,
  walk,
} from './operations-kit.js';

/** Journals that are crashed: five by each kill. */
const ROUNDS = Number(process.env['TENURE_CRASH_ROUNDS'] ?? 200);
const SEED = Number(process.env['TENURE_CRASH_SEED'] ?? Date.now() % 1_000_000);
const LANES = 3;
/** How often the same five are crashed one after the other. */
const LIVES = 5;
const LIMIT = 60_000 + ROUNDS * 1_000;

describe('a process that is killed at any moment', () => {
  it(
    `has lost nothing that was acknowledged, and did nothing twice (seed ${SEED})`,
    async () => {
      const kills = Math.ceil(ROUNDS / JOURNALS);
      const root = temporary();
      const random = randomOf(SEED);
      let left = kills;
      const lane = async (name: number) => {
        for (let folder = 0; left > 0; folder += 1) {
          const oracle = new Oracle(path.join(root, `${name}-${folder}`));
          for (let life = 0; life < LIVES && left > 0; life += 1) {
            left -= 1;
            await crash(oracle, life, random);
          }
        }
      };
      await Promise.all(Array.from({ length: LANES }, (_, name) => lane(name)));
    },
    LIMIT,
  );
});

async function crash(oracle: Oracle, life: number, random: ReturnType<typeof randomOf>) {
  const seed = 1 + random.below(1_000_000);
  const child = startChild('crasher', { args: [oracle.folder, `${life}`, `${seed}`] });
  // One in eight dies while it opens its files, or makes them.
  const opening = random.below(8) === 0;
  await child.heard(opening ? 1 : 2);
  // One in four lives long enough for what is written late.
  const longest = random.below(4) === 0 ? 500 : 100;
  await moment(random.below(opening ? 30 : longest));
  const { signal, errors } = await child.kill();
  expect([signal, errors]).toEqual(['SIGKILL', '']);
  try {
    await oracle.check();
  } catch (error) {
    throw new Error(`life ${life} of ${oracle.folder}, seed ${seed}`, { cause: error });
  }
}

describe('a process that is killed inside a call of its adapter', () => {
  it.each([
    ['submit, before the backend heard of it', 'interrupted/uncertain'],
    ['submit, after the backend heard of it', 'interrupted/uncertain'],
    ['observe', 'interrupted/accepted'],
    ['cancel', 'interrupted/accepted'],
  ])(
    'in %s: nothing is sent twice, and each operation goes on or waits for a person',
    async (where, kind) => {
      const at = newPath();
      const file = path.join(temporary(), 'backend');
      const child = startChild('dying', { args: [where, at, temporary(), file] });
      expect((await child.gone).signal).toBe('SIGKILL');
      const sent = () => readFileSync(file, 'utf8').trimEnd().split('\n');
      const before = sent();
      const journal = await openJournal(at);
      expect(journal.status('op-0')?.state).toBe('succeeded');
      expect(kindOf(journal.status('op-1')!)).toBe(kind);
      expect(journal.status('op-1')?.stale).toBe(true);
      expect(journal.cancelRequested('op-1')).toBe(where === 'cancel');
      for (const id of ['op-2', 'op-3']) expect(kindOf(journal.status(id)!)).toBe('queued/pending');
      const adapter = backend({
        submit: (id) => {
          appendFileSync(file, `submit ${id}\n`);
          return `job-${id}`;
        },
        observe: () => (adapter.of('cancel').length > 0 ? { state: 'cancelled' } : DONE),
      });
      const { reach, status } = await startRunner(adapter, { journal });
      await reach('op-3', where === 'cancel' ? 'cancelled' : 'succeeded');
      expect(new Set(sent()).size).toBe(sent().length);
      expect(adapter.of('submit')).toEqual(['op-2', 'op-3']);
      if (kind === 'interrupted/accepted') {
        expect(status('op-1').state).toBe(where === 'cancel' ? 'cancelled' : 'succeeded');
        expect(adapter.of('cancel')).toEqual(where === 'cancel' ? ['job-op-1'] : []);
      } else {
        expect(before.includes('submit op-1')).toBe(where.includes('after'));
        expect(status('op-1').state).toBe('interrupted');
        expect(journal.resolveSync('op-1', { state: 'failed', note: 'gone' }).error).toBe('gone');
      }
    },
  );
});

describe('what was written', () => {
  it('with durability eventual is on the disk soon afterwards, also when the process is killed', async () => {
    const at = newPath();
    const child = startChild('counting', { args: [at, 'eventual', '100'] });
    await child.heard();
    // Many times as long as it promises.
    await moment(3_000);
    await child.kill();
    expect(walk(await openJournal(at, { bounds: { pageSize: 1_000 } }))).toHaveLength(100);
  });

  it('after a verification is there, though the process is killed, again and again', async () => {
    const at = newPath();
    for (let time = 1; time <= 4; time += 1) {
      const child = startChild('counting', { args: [at, 'immediate', '50', 'verifies'] });
      await child.heard();
      await child.kill();
      const journal = await openJournal(at, { bounds: { pageSize: 1_000 } });
      expect(walk(journal)).toHaveLength(50 * time);
      expect(await journal.verify()).toEqual({ ok: true, problems: [] });
      await journal.close();
    }
  });
});
