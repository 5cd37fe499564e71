// Two threads want the same thing at once: one gets it, however often they try.
import { describe, expect, it } from 'vitest';
import { freshScope, makeCore } from './fixtures/boundary/kit.js';
import { saying, startWorker } from './fixtures/threads/kit.js';
import { CELLS, FAULTS, TOTAL, WON } from './fixtures/threads/races.mjs';

const ROUNDS = 100_000;

describe('two workers, a hundred thousand times', () => {
  it.each([
    ['session', 'are never both alone in a session, and no claim is lost'],
    ['key', 'do not both get an operation that excludes the other, and one does'],
    ['route', 'do not both become the backend of a route, and one does'],
    ['mutations', 'mutate sessions one at a time, and none waits for ever'],
  ])(
    '%s: they %s',
    async (race) => {
      const scope = freshScope();
      const core = makeCore({ scope });
      const cells = new Int32Array(new SharedArrayBuffer(4 * CELLS));
      const hands = [0, 1].map((at) =>
        startWorker({ job: 'races', scope, race, cells, at, name: `${at}`, rounds: ROUNDS }),
      );
      await Promise.all(hands.map((hand) => saying(hand)));
      expect({ total: cells[TOTAL], faults: cells[FAULTS] }).toEqual({ total: ROUNDS, faults: 0 });
      expect(cells[WON]! + cells[WON + 1]!).toBe(ROUNDS);
      expect(core.stats()).toEqual({ sessions: 0, admissions: 0 });
      core.close();
      // Two workers that spin share the machine with the rest of the suite.
    },
    180_000,
  );
});
