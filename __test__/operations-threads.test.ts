// One journal, and one directory of logs, from several threads.
import { describe, expect, it } from 'vitest';
import {
  RUNNING,
  backend,
  endless,
  makeRunner,
  startRunner,
} from './fixtures/operations/backend.js';
import { barrier, startWorker } from './fixtures/operations/workers.js';
import {
  DIGEST,
  newPath,
  openJournal,
  openLogs,
  refusal,
  rowIn,
  temporary,
  until,
  walk,
} from './operations-kit.js';

describe('workers that reserve the same ids at the same time', () => {
  it('create each exactly once, a hundred thousand of them, and interrupt nothing by opening', async () => {
    const [rounds, many] = [20_000, 80_000];
    const at = newPath();
    const count = rounds + many + 1;
    const bounds = { maxQueued: count, maxReservations: count };
    const journal = await openJournal(at, { durability: 'eventual', bounds });
    rowIn(journal, 'mine', 'running/accepted', 's');
    const counts = new SharedArrayBuffer((rounds + many) * 4);
    const gate = barrier();
    const data = { job: 'reserves', at, rounds, many, counts, gate: gate.buffer };
    const hands = [startWorker(data), startWorker(data)];
    for (const hand of hands) await hand.heard();
    gate.open();
    for (const hand of hands) await hand.heard(2);
    const created = new Int32Array(counts);
    expect(created.findIndex((count) => count !== 1)).toBe(-1);
    expect(journal.page().active).toBe(rounds + many);
    expect(journal.stats().fence.used).toBe(rounds + many + 1);
    expect(journal.status('mine', 's')?.state).toBe('running');
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
  }, 120_000);
});

describe('a watcher', () => {
  it('in a worker is told of what the main thread does, row by row at its newest', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    const hand = startWorker({ job: 'watches', at, scope: 's' });
    await hand.heard();
    const ids = ['a', 'b', 'c'];
    for (const id of ids) journal.reserveSync(id, DIGEST, {}, 's');
    journal.reserveSync('elsewhere', DIGEST, {});
    for (let step = 0; step <= 100; step += 1)
      for (const id of ids) journal.updateSync(id, { state: 'running', progress: step / 100 }, 's');
    for (const id of ids) journal.updateSync(id, { state: 'failed' }, 's');
    const last = () =>
      ids.filter((id) => JSON.stringify(hand.said).includes(`["${id}","failed",1]`));
    await until(() => last().length === 3);
    hand.worker.postMessage('close');
    await until(() => hand.said.at(-1) === 'over');
    expect(await hand.gone).toBe(0);
    const seen = hand.said.slice(1, -1) as [string, string, number | null][];
    expect(new Set(seen.map(([id]) => id))).toEqual(new Set(ids));
    for (const id of ids) {
      const progress = seen.filter(([each]) => each === id).map((each) => each[2] ?? 0);
      expect(progress).toEqual([...progress].sort((one, other) => one - other));
      expect(seen.filter(([each, state]) => each === id && state === 'failed')).toHaveLength(1);
    }
  });

  it('in the main thread is told of what workers do', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    const watch = journal.watch({ scope: 's' });
    const hands = ['a', 'b'].map((name) => {
      const ids = Array.from({ length: 5 }, (_, index) => `${name}${index}`);
      return startWorker({ job: 'changes', at, scope: 's', ids });
    });
    const ended = new Map<string, number>();
    while (ended.size < 10) {
      const { value } = await watch.next();
      expect(ended.get(value.operationId)).toBe(undefined);
      if (value.state === 'succeeded') ended.set(value.operationId, value.progress);
    }
    expect(new Set(ended.values())).toEqual(new Set([1]));
    for (const hand of hands) expect(await hand.heard()).toBe('done');
    expect(walk(journal, 's')).toHaveLength(10);
  });
});

describe('a watcher that reads as fast as a worker writes', () => {
  it('is told of each state once, five thousand rows long', async () => {
    const count = 5_000;
    const at = newPath();
    const journal = await openJournal(at, { durability: 'eventual', bounds: { retain: count } });
    const watch = journal.watch({ scope: 's' });
    const hand = startWorker({ job: 'cancels', at, scope: 's', count });
    const told = new Map<string, string[]>();
    const twice: unknown[] = [];
    for (let ended = 0; ended < count;) {
      const { value } = await watch.next();
      const states = told.get(value.operationId) ?? [];
      if (states.includes(value.state)) twice.push([value.operationId, value.state]);
      else if (value.state === 'cancelled') ended += 1;
      told.set(value.operationId, [...states, value.state]);
    }
    expect(await hand.heard()).toBe('done');
    journal.reserveSync('last', DIGEST, {}, 's');
    expect((await watch.next()).value.operationId).toBe('last');
    expect(twice).toEqual([]);
  }, 60_000);
});

describe('a log', () => {
  it('is followed in a worker while the main thread writes it, each byte once, until it is retired', async () => {
    const directory = temporary();
    const logs = await openLogs({}, directory);
    const hand = startWorker({ job: 'follows', directory, scope: 's' });
    await hand.heard();
    const lines = Array.from({ length: 2_000 }, (_, line) => `line ${line} é😀`);
    for (let at = 0; at < lines.length; at += 100) {
      await Promise.all(lines.slice(at, at + 100).map((line) => logs.append('a', line, 's')));
      logs.appendSync('a', 'elsewhere');
    }
    const text = lines.map((line) => `${line}\n`).join('');
    await until(() => hand.said.at(-1) === text.length);
    await logs.retire('a', 's');
    await until(() => typeof hand.said.at(-1) === 'string');
    expect(hand.said.at(-1) === text).toBe(true);
    expect(await hand.gone).toBe(0);
  });

  it('is written by several threads: each line whole, and the lines of each in their order', async () => {
    const directory = temporary();
    const gate = barrier();
    const names = ['one', 'two', 'three'];
    const hands = names.map((name) =>
      startWorker({ job: 'appends', directory, name, lines: 500, gate: gate.buffer }),
    );
    for (const hand of hands) await hand.heard();
    gate.open();
    for (const hand of hands) await hand.heard(2);
    const logs = await openLogs({}, directory);
    const lines = logs.read('a', 0).text.trimEnd().split('\n');
    expect(lines).toHaveLength(1_500);
    for (const name of names)
      expect(lines.filter((line) => line.startsWith(`${name} `))).toEqual(
        Array.from({ length: 500 }, (_, line) => `${name} ${line}`),
      );
  });
});

describe('a scope', () => {
  it('that has a started runner in one thread is refused to another, until that has stopped', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    const adapter = endless();
    const { runner, put, polls } = await startRunner(adapter, { journal, scope: 's' });
    await put('a');
    await polls();
    const data = { job: 'starts', at, directory: temporary() };
    expect(await startWorker({ ...data, scope: 's' }).heard()).toBe('ERR_SCOPE_OWNED');
    const other = startWorker({ ...data, scope: 't' });
    expect(await other.heard()).toBe('started');
    await runner.stop();
    const next = startWorker({ ...data, scope: 's' });
    expect(await next.heard()).toBe('started');
    refusal('ERR_SCOPE_OWNED', () => runner.start(), { scope: 's' });
    // It is taken up there.
    await until(() => journal.status('a', 's')?.state === 'succeeded');
    next.worker.postMessage('stop');
    expect(await next.heard(2)).toBe('stopped');
    runner.start();
  });

  it('is drained by a runner of a worker, whoever reserves', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    const hand = startWorker({ job: 'starts', at, directory: temporary(), scope: 's' });
    expect(await hand.heard()).toBe('started');
    const ids = Array.from({ length: 30 }, (_, index) => `${index}`);
    const watch = journal.watch({ scope: 's' });
    await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, {}, 's')));
    const ended = new Set<string>();
    while (ended.size < ids.length) {
      const { value } = await watch.next();
      if (value.state === 'succeeded') ended.add(value.operationId);
    }
    // A runner here that is not started serves to cancel there.
    const { runner } = await makeRunner(backend({ observe: () => RUNNING }), {
      journal,
      scope: 's',
    });
    await journal.reserve('late', DIGEST, {}, 's');
    const status = await runner.requestCancel('late');
    expect(['cancelled', 'running', 'succeeded']).toContain(status.state);
    await until(() => journal.page('s').active === 0);
  });
});
