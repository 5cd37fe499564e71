// Workers end in every way and at every moment, and so may the whole process: nobody waits for the dead.
import { describe, expect, it } from 'vitest';
import { findingsOf, runScript } from './fixtures/boundary/child.js';

const LIMIT = 120_000;
const EMPTY = { sessions: 0, admissions: 0 };

describe('a worker with everything unfinished, which others wait for', () => {
  interface Ending {
    readonly how: string;
    readonly code: number;
    readonly errors: string[];
  }
  it.each<[string, Ending]>([
    ['by return', { how: 'return', code: 0, errors: [] }],
    ['by process.exit', { how: 'exit', code: 0, errors: [] }],
    ['by terminate()', { how: 'terminate', code: 1, errors: [] }],
    ['by an uncaught error', { how: 'uncaught', code: 1, errors: ['uncaught'] }],
    ['out of memory', { how: 'memory', code: 1, errors: ['ERR_WORKER_OUT_OF_MEMORY'] }],
  ])('that ends %s lets them go on', async (_, ending) => {
    const found = await findingsOf('../threads/endings', { args: [ending.how] });
    expect(found).toEqual([
      {
        ...ending,
        before: { sessions: 2, admissions: 1 },
        // `enter`, a mutation, a stop, and the errors that were drained: of its claim and of its part.
        waits: ['ok', 'ok', 'ok', ['ERR_CLOSED', 'ERR_CLOSED']],
        // What was queued was dropped by the stop; what was leased is for the next turn.
        followup: ['leased'],
        after: EMPTY,
      },
    ]);
  });
});

describe('workers that are terminated', () => {
  it(
    'in the midst of everything, two hundred of them, leave nothing to the thread that lives on',
    async () => {
      const args = ['100'];
      const found = await findingsOf<{ left: unknown[]; rss: number[] }>('../threads/rounds', {
        args,
        // With an arena for every thread, what is kept depends on which threads met which.
        env: { MALLOC_ARENA_MAX: '2' },
        limit: LIMIT,
      });
      expect(found.left).toEqual([]);
      expect(found.rss).toHaveLength(100);
      // What threads and heaps take at first is not given back: only growth for ever is a fault.
      const highest = (from: number, to: number) => Math.max(...found.rss.slice(from, to));
      expect(highest(75, 100) - highest(25, 50)).toBeLessThan(12 * 2 ** 20);
    },
    LIMIT,
  );

  it(
    'three hundred of them, at any moment while stops and messages reach them, leave no stop waiting',
    async () => {
      const options = { args: ['300', 'kept'], limit: LIMIT };
      const found = await findingsOf('../threads/terminated', options);
      expect(found).toEqual({ unsettled: 0, left: 0, stops: 30_000 });
    },
    LIMIT,
  );

  it(
    'do not let the process end before what they caused is delivered',
    async () => {
      const found = await findingsOf('../threads/terminated', { args: ['300'], limit: LIMIT });
      expect(found).toEqual({ unsettled: 0, left: 0, stops: 30_000 });
    },
    LIMIT,
  );
});

describe('a process', () => {
  it(
    'that exits while thousands of deliveries to and from its workers are under way ends well',
    async () => {
      for (let round = 0; round < 24; round += 1) {
        const { code, signal, stderr } = await runScript('../threads/leaving', {
          args: [`${round % 12}`],
        });
        expect([round, code, signal, stderr]).toEqual([round, 0, null, '']);
      }
    },
    LIMIT,
  );

  it('that loads the addon in none but its workers shares scopes between them, again and again', async () => {
    const answer = { errors: [] };
    expect(await findingsOf('../threads/apart')).toEqual(Array(3).fill({ answer, stats: EMPTY }));
  });
});
