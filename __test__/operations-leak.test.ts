// What a long life of durable operations leaves behind. Each script runs its cycles in a process of its
// own, forces collections, and prints what it found.
import { describe, expect, it } from 'vitest';
import { startChild } from './fixtures/operations/child.js';
import { newPath, temporary } from './operations-kit.js';

interface Findings {
  /** Bytes a cycle over the last half of the run, by least squares. */
  readonly slopes: { readonly rss: number; readonly heap: number };
  /** What keeps the process alive and did not before. */
  readonly resources: readonly string[];
  readonly [more: string]: unknown;
}

const MINUTES = 60_000;
// A small young generation, so that RSS follows what is kept and not what was used meanwhile.
const flags = ['--expose-gc', '--max-semi-space-size=1'];

async function findingsOf(script: string, ...args: string[]): Promise<Findings> {
  // They print one line without an end.
  const child = startChild<Findings>(`${script}`, { args, flags, lineAtEnd: true });
  const { code, signal, errors } = await child.gone;
  expect([code, signal, errors]).toEqual([0, null, '']);
  return child.said[0]!;
}

describe('nothing is left', () => {
  it(
    'of a hundred thousand operations that were reserved, cancelled and forgotten',
    async () => {
      const { slopes, ...found } = await findingsOf('leak-rows');
      expect(found).toEqual({
        ...{ forgotten: 100_000, drained: 100_000, refused: 100_000 },
        ...{ scopes: [], used: 0, resources: [] },
      });
      expect(slopes.rss).toBeLessThan(48);
      expect(slopes.heap).toBeLessThan(8);
    },
    5 * MINUTES,
  );

  it(
    'of twenty thousand watchers and followers, however they end: no listener, and less than 200 bytes each',
    async () => {
      const { slopes, ...found } = await findingsOf('leak-watches', temporary());
      expect(found).toEqual({ seen: 40_000, over: 2_000, listening: 0, resources: [] });
      expect(slopes.rss).toBeLessThan(200);
      expect(slopes.heap).toBeLessThan(32);
    },
    5 * MINUTES,
  );

  it(
    'of journals and logs that were dropped without a close: their files are let go',
    async () => {
      const { slopes, ...found } = await findingsOf('leak-handles', newPath(), temporary());
      expect(found).toEqual({ other: { ok: true, problems: [] }, resources: [] });
      expect(slopes.rss).toBeLessThan(4_000);
      expect(slopes.heap).toBeLessThan(200);
    },
    5 * MINUTES,
  );

  it(
    'of ten thousand operations that a runner ran, and of runners, services and plans',
    async () => {
      const { slopes, ...found } = await findingsOf('leak-runner', temporary());
      expect(found).toEqual({
        ...{ cancelled: expect.any(Number), planned: 2_000, used: 0, signals: 0 },
        ...{ ran: true, resources: [] },
      });
      expect(slopes.rss).toBeLessThan(600);
      expect(slopes.heap).toBeLessThan(64);
    },
    5 * MINUTES,
  );
});
