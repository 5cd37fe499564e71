// What a long life leaves behind. Each script runs its cycles in a process of its own, forces
// collections, and prints what it found.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

interface Findings {
  readonly cycles: number;
  readonly stats: { readonly sessions: number; readonly admissions: number };
  /** Bytes a cycle over the last half of the run, by least squares. */
  readonly slopes: { readonly rss: number; readonly heap: number };
  /** What keeps the process alive and did not before. */
  readonly resources: readonly string[];
  readonly [more: string]: unknown;
}

const MINUTES = 60_000;
// A small young generation, so that RSS follows what is kept and not what was used meanwhile.
const FLAGS = ['--expose-gc', '--max-semi-space-size=1'];
const NOTHING = { sessions: 0, admissions: 0 };

/** Rejects if the script fails, or has to be killed because it does not end by itself. */
async function findingsOf(script: string, timeout: number): Promise<Findings> {
  const path = fileURLToPath(new URL(`./fixtures/leak/${script}.mjs`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, path], { timeout });
  return JSON.parse(stdout) as Findings;
}

describe('nothing is left', () => {
  it(
    'of a million claims: no record, and less than 8 bytes each',
    async () => {
      const found = await findingsOf('claims', 5 * MINUTES);
      expect(found.cycles).toBe(1_000_000);
      expect(found['ended']).toEqual({ released: 1_000_000, failed: 0 });
      expect(found.stats).toEqual(NOTHING);
      expect(found.slopes.rss).toBeLessThan(8);
      expect(found.slopes.heap).toBeLessThan(4);
      expect(found.resources).toEqual([]);
    },
    5 * MINUTES,
  );

  it(
    'of a hundred thousand turns, steered and stopped: no record, and less than 48 bytes each',
    async () => {
      const found = await findingsOf('turns', 5 * MINUTES);
      expect(found.cycles).toBe(100_000);
      expect(found['seen']).toEqual({
        pulled: 100_000,
        aborted: 100_000,
        completed: 100_000,
        // a status, a turn and a note
        projected: 300_000,
        // every eighth, and at the end those that served the others
        disposed: 12_528,
        failures: 0,
      });
      expect(found.stats).toEqual(NOTHING);
      expect(found.slopes.rss).toBeLessThan(48);
      expect(found.slopes.heap).toBeLessThan(8);
      expect(found.resources).toEqual([]);
    },
    5 * MINUTES,
  );

  it(
    'of sixty thousand aborted signals: no listener, no waiter, and less than 64 bytes each',
    async () => {
      const found = await findingsOf('signals', 5 * MINUTES);
      expect(found.cycles).toBe(100_000);
      expect(found['seen']).toEqual({
        granted: 40_000,
        rejected: 50_000,
        stopped: 40_000,
        // on the shared signal, while one waited: so listeners are seen where they are
        listening: 1,
      });
      expect(found['limiter']).toEqual({ active: 0, waiting: 0 });
      expect(found['listeners']).toBe(0);
      expect(found.stats).toEqual(NOTHING);
      expect(found.slopes.rss).toBeLessThan(64);
      expect(found.slopes.heap).toBeLessThan(16);
      expect(found.resources).toEqual([]);
    },
    5 * MINUTES,
  );
});

describe('a process ends', () => {
  it('whatever is unfinished in it', async () => {
    const found = await findingsOf('unfinished', 20_000);
    expect(found['waiting']).toBe(1);
    expect(found['live']).toEqual({ sessions: 2, admissions: 1 });
    expect(found.resources).toEqual([]);
  });
});
