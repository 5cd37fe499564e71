// Time in a runner: the longest runtime, whose clock counts, and clocks that jump.
import { describe, expect, it } from 'vitest';
import { DONE, RUNNING, backend, endless, startRunner } from './fixtures/operations/backend.js';
import { handClock, inMemory, newPath, openJournal, rowIn, until } from './operations-kit.js';

describe('maxRuntimeSeconds', () => {
  it('counts from the first move to running, across restarts, and cancels by way of the backend', async () => {
    const at = newPath();
    const clock = handClock(1_000_000);
    const options = { clock: clock.read, bounds: { maxRuntimeSeconds: 60 } };
    const adapter = endless();
    let journal = await openJournal(at, options);
    const first = await startRunner(adapter, { journal });
    await first.put('a');
    await first.polls();
    clock.now += 40_000;
    await first.polls();
    await journal.close();
    journal = await openJournal(at, options);
    const second = await startRunner(adapter, { journal });
    await second.polls();
    clock.now -= 500_000;
    await second.polls();
    clock.now = 1_059_999;
    await second.polls(6);
    expect([adapter.of('cancel'), journal.cancelRequested('a')]).toEqual([[], false]);
    expect(journal.startedAt('a')).toBe(1_000_000);
    clock.now = 1_060_000;
    expect((await second.reach('a', 'cancelled')).finishedAt).toBe(1_060_000);
    expect([adapter.of('submit'), adapter.of('cancel')]).toEqual([['a'], ['ref-a']]);
  });

  it('is null by default: nothing is cancelled, whatever the clock says', async () => {
    const clock = handClock();
    const adapter = endless();
    const { journal, put, polls } = await startRunner(adapter, {
      journal: inMemory({}, clock.read),
    });
    await put('a');
    await polls();
    clock.now += 1_000 * 365 * 86_400_000;
    await polls(6);
    expect([adapter.of('cancel'), journal.status('a')?.state]).toEqual([[], 'running']);
  });

  it('lets the word of the backend stand', async () => {
    const clock = handClock();
    const adapter = backend({ observe: () => (adapter.of('cancel').length > 0 ? DONE : RUNNING) });
    const journal = inMemory({ maxRuntimeSeconds: 1 }, clock.read);
    const { put, polls, reach } = await startRunner(adapter, { journal });
    await put('a');
    await polls();
    clock.now += 1_000;
    await reach('a', 'succeeded');
  });

  it('does not count the time in the queue, however long', async () => {
    const clock = handClock(0);
    const journal = inMemory({ maxRuntimeSeconds: 10 }, clock.read);
    journal.reserveSync('a', 'digest', {});
    clock.now = 1_000_000;
    const adapter = backend({ observe: (_, time) => (time < 8 ? RUNNING : DONE) });
    const { reach } = await startRunner(adapter, { journal });
    await reach('a', 'succeeded');
    expect(adapter.of('cancel')).toEqual([]);
  });

  it('holds for what is taken up, and is past for what ran too long before', async () => {
    const clock = handClock(0);
    const journal = inMemory({ maxRuntimeSeconds: 10 }, clock.read);
    for (const id of ['old', 'young']) {
      rowIn(journal, id, 'running/accepted');
      clock.now += 9_000;
    }
    clock.now = 10_000;
    const adapter = endless();
    const { reach, polls, status } = await startRunner(adapter, { journal });
    await reach('old', 'cancelled');
    await polls();
    expect([status('young').state, adapter.of('cancel')]).toEqual(['running', ['ref-old']]);
  });
});

describe('the clock of a runner', () => {
  it('that has one of its own decides, and stamps what the runner writes', async () => {
    const clock = handClock(5_000);
    const adapter = endless();
    const journal = inMemory({ maxRuntimeSeconds: 1.5 }, () => 1_000);
    const { put, polls, reach, status } = await startRunner(adapter, {
      journal,
      clock: clock.read,
    });
    await put('a');
    await polls();
    expect([status('a').submittedAt, journal.startedAt('a')]).toEqual([1_000, 5_000]);
    clock.now = 6_499;
    await polls(6);
    expect(adapter.of('cancel')).toEqual([]);
    clock.now = 6_500;
    expect((await reach('a', 'cancelled')).finishedAt).toBe(6_500);
  });

  it('may jump hours either way: polling goes on, and no time goes back', async () => {
    const clock = handClock(1e9);
    const journal = inMemory({}, clock.read);
    const adapter = backend({
      observe: (_, time) => {
        clock.now += time % 2 ? -7_200_000 : 7_200_000;
        return time < 10 ? RUNNING : DONE;
      },
    });
    const watch = journal.watch();
    const times: number[] = [];
    const reading = (async () => {
      for await (const { updatedAt } of watch) times.push(updatedAt);
    })();
    const { put, reach } = await startRunner(adapter, { journal });
    await put('a');
    await reach('a', 'succeeded');
    await until(() => times.length > 2);
    await watch.return?.();
    await reading;
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  it('that throws, or gives no time, puts off what needs the time, and nothing else', async () => {
    let broken = false;
    const journal = inMemory({}, () => 1);
    const clock = () => {
      if (broken) throw new Error('no time');
      return 2;
    };
    const adapter = backend({ observe: (_, time) => (time < 3 ? RUNNING : DONE) });
    const { put, reach, runner } = await startRunner(adapter, { journal, clock });
    await put('a');
    await until(() => adapter.of('submit').length === 1);
    broken = true;
    await until(() => adapter.of('observe').length > 0);
    broken = false;
    await reach('a', 'succeeded');
    await put('b');
    expect((await reach('b', 'succeeded')).updatedAt).toBe(2);
    await runner.stop();
  });

  it('may use the journal, and the runner', async () => {
    const journal = inMemory({}, () => 1);
    const adapter = backend({ observe: (_, time) => (time < 3 ? RUNNING : DONE) });
    const { put, reach, runner } = await startRunner(adapter, {
      journal,
      clock: () => {
        runner.enqueue();
        journal.reserveSync('of the clock', 'digest', {}, 's');
        return journal.page('s').active;
      },
    });
    await put('a');
    expect((await reach('a', 'succeeded')).updatedAt).toBe(1);
  });
});

describe('a job that runs far longer than anything else takes', () => {
  it('is never given up: silence is no end, and neither is a first answer that comes late', async () => {
    const adapter = backend({
      observe: async (_, time) => {
        if (time === 1) await new Promise((resolve) => setTimeout(resolve, 300));
        return time < 40 ? RUNNING : DONE;
      },
    });
    const { put, reach } = await startRunner(adapter, { pollSeconds: 0.005 });
    await put('a');
    expect(await reach('a', 'succeeded')).toMatchObject({ stale: false, error: null });
    expect(adapter.of('observe')).toHaveLength(40);
  });
});
