// Races of cancelling against completing: one end, told once, and every answer agrees with it.
import { describe, expect, it } from 'vitest';
import type { OperationJournal, OperationState, OperationStatus, TenureError } from '../index.js';
import { backend, startRunner } from './fixtures/operations/backend.js';
import {
  DIGEST,
  inMemory,
  isEnded,
  macrotask,
  openJournal,
  newPath,
  randomOf,
  until,
} from './operations-kit.js';

const ROUNDS = 2_000;

/** Yields so often, and in such ways, as chance has it. */
async function yields(random: ReturnType<typeof randomOf>): Promise<void> {
  for (let times = random.below(4); times > 0; times -= 1)
    await (random.below(3) === 0 ? macrotask() : null);
}

/** The states in which a watcher saw each row, in order. */
function watching(journal: OperationJournal, scope?: string) {
  const seen = new Map<string, OperationState[]>();
  const watch = journal.watch(scope === undefined ? {} : { scope });
  const reading = (async () => {
    for await (const { operationId, state } of watch) {
      const states = seen.get(operationId) ?? [];
      states.push(state);
      seen.set(operationId, states);
    }
  })();
  return {
    seen,
    end: async () => {
      await watch.return!();
      await reading;
    },
  };
}

describe('cancelling and completing at the same time', () => {
  it('by the backend and a caller of the runner, two thousand times: one end, told once', async () => {
    const journal = inMemory({ maxQueued: ROUNDS, retain: ROUNDS });
    const random = randomOf(1);
    const adapter = backend({
      observe: async (reference, time) => {
        await yields(random);
        if (adapter.of('cancel').at(-1) === reference && random.below(2) === 0)
          return { state: 'cancelled' };
        return random.below(3) > 0 || time > 20
          ? { state: 'succeeded', result: { reference } }
          : { state: 'running' };
      },
      cancel: () => yields(random),
    });
    const { runner, put } = await startRunner(adapter, {
      journal,
      pollSeconds: 0.001,
      concurrency: 50,
    });
    const watched = watching(journal);
    const answers = new Map<string, OperationStatus>();
    for (let from = 0; from < ROUNDS; from += 50) {
      const ids = Array.from({ length: 50 }, (_, index) => `${from + index}`);
      await put(...ids);
      await Promise.all(
        ids.map(async (id) => {
          await yields(random);
          answers.set(id, await runner.requestCancel(id));
        }),
      );
      await until(() => journal.page().active === 0);
    }
    const ends = { cancelled: 0, succeeded: 0, waiting: 0 };
    for (const [id, answer] of answers) {
      const last = journal.status(id)!;
      ends[last.state as 'cancelled'] += 1;
      if (last.submission === 'pending') ends.waiting += 1;
      // What was answered is what stands, or what it has since become.
      if (isEnded(answer.state)) expect(answer).toEqual(last);
      else expect(answer.state).toBe('running');
      expect(last.state === 'succeeded').toBe(last.result !== null);
      const states = (watched.seen.get(id) ?? []).filter(isEnded);
      expect(states.length, id).toBeLessThanOrEqual(1);
    }
    await until(() => [...answers.keys()].every((id) => isEnded(watched.seen.get(id)!.at(-1)!)));
    for (const [id, states] of watched.seen) {
      expect(states.filter(isEnded), id).toHaveLength(1);
      expect(states.at(-1), id).toBe(journal.status(id)!.state);
    }
    await watched.end();
    expect(ends.cancelled).toBeGreaterThan(100);
    expect(ends.succeeded).toBeGreaterThan(100);
    expect(new Set(adapter.of('submit')).size).toBe(adapter.of('submit').length);
  }, 120_000);

  it('by two callers of the journal, two thousand times: the first stands, the other is refused', async () => {
    const journal = await openJournal(newPath(), {
      durability: 'eventual',
      bounds: { maxQueued: ROUNDS, retain: ROUNDS },
    });
    const random = randomOf(2);
    const watched = watching(journal);
    const won = { cancelled: 0, succeeded: 0 };
    const race = async (id: string) => {
      await journal.reserve(id, DIGEST, {});
      await journal.update(id, { state: 'running' });
      const end = async (state: 'cancelled' | 'succeeded') => {
        await yields(random);
        if (random.below(2) === 0) return journal.updateSync(id, { state });
        return journal.update(id, { state });
      };
      const ended = await Promise.allSettled([end('cancelled'), end('succeeded')]);
      const [stands] = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const [refused] = ended.flatMap((each) =>
        each.status === 'rejected' ? [each.reason as TenureError] : [],
      );
      expect([refused?.code, refused?.operationId]).toEqual(['ERR_OPERATION_TERMINAL', id]);
      expect(journal.status(id)).toEqual(stands);
      won[stands!.state as 'cancelled'] += 1;
    };
    for (let from = 0; from < ROUNDS; from += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => race(`${from + index}`)));
    await until(
      () => [...watched.seen.values()].filter((each) => isEnded(each.at(-1)!)).length === ROUNDS,
    );
    for (const [id, states] of watched.seen) expect(states.filter(isEnded), id).toHaveLength(1);
    await watched.end();
    expect([won.cancelled > 100, won.succeeded > 100]).toEqual([true, true]);
  }, 120_000);

  it('by an intent and the start of a runner, a thousand times: cancelled unsent, or asked of the backend', async () => {
    const journal = inMemory({ maxQueued: ROUNDS, retain: ROUNDS });
    const random = randomOf(3);
    const adapter = backend({
      submit: async (id) => {
        await yields(random);
        return `ref-${id}`;
      },
      observe: (reference) =>
        adapter.of('cancel').includes(reference) ? { state: 'cancelled' } : { state: 'running' },
    });
    const { runner, status } = await startRunner(adapter, { journal, concurrency: 25 });
    for (let from = 0; from < 1_000; from += 25) {
      const ids = Array.from({ length: 25 }, (_, index) => `${from + index}`);
      await Promise.all(
        ids.map(async (id) => {
          await journal.reserve(id, DIGEST, {});
          runner.enqueue();
          await yields(random);
          await (random.below(2) === 0 ? runner : journal).requestCancel(id);
          if (status(id).submission === 'pending') runner.enqueue();
        }),
      );
      await until(() => journal.page().active === 0);
    }
    const sent = new Set(adapter.of('submit'));
    for (let id = 0; id < 1_000; id += 1) {
      const { state, submission } = status(`${id}`);
      expect(state).toBe('cancelled');
      expect(submission, `${id}`).toBe(sent.has(`${id}`) ? 'accepted' : 'pending');
    }
    expect(new Set(adapter.of('cancel'))).toEqual(new Set([...sent].map((id) => `ref-${id}`)));
  }, 120_000);
});
