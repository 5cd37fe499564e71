// Lives of a runner: what an earlier one left is taken up, what this one leaves is left whole.
import { describe, expect, it } from 'vitest';
import type { OperationJournal } from '../index.js';
import {
  DONE,
  RUNNING,
  backend,
  endless,
  makeRunner,
  startRunner,
} from './fixtures/operations/backend.js';
import { startChild } from './fixtures/operations/child.js';
import {
  DIGEST,
  gate,
  inMemory,
  kindOf,
  moment,
  newPath,
  openJournal,
  refusal,
  rejection,
  reopened,
  rowIn,
  temporary,
  until,
  walk,
} from './operations-kit.js';

const LEFT = [
  ...['queued/pending', 'interrupted/accepted', 'running/accepted', 'queued/accepted'],
  ...['running/uncertain', 'queued/uncertain', 'interrupted/uncertain', 'running/pending'],
];
const ACCEPTED = LEFT.filter((kind) => kind.endsWith('/accepted'));

async function takenUp(journal: OperationJournal): Promise<void> {
  const adapter = backend({ observe: (_, time) => (time < 3 ? RUNNING : DONE) });
  const { reach, status } = await startRunner(adapter, { journal });
  await reach('queued/pending', 'succeeded');
  expect(adapter.of('submit')).toEqual(['queued/pending']);
  const first = adapter.calls.findIndex(([verb]) => verb === 'submit');
  const before = new Set(adapter.calls.slice(0, first).map(([, what]) => what));
  expect(before).toEqual(new Set(ACCEPTED.map((kind) => `ref-${kind}`)));
  for (const kind of ACCEPTED) expect(status(kind).state, kind).toBe('succeeded');
  const waiting = LEFT.filter((kind) => /uncertain|running\/pending/.test(kind));
  for (const kind of waiting) expect(status(kind).state, kind).toBe('interrupted');
  expect(journal.page().outstanding).toBe(waiting.length);
}

describe('start', () => {
  it('first observes all that was sent, then drains the queue, and sends nothing again', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    for (const kind of LEFT) rowIn(journal, kind, kind);
    await takenUp(await reopened(journal, at));
  });

  it('does so without a reopen, too', async () => {
    const journal = inMemory();
    for (const kind of LEFT) rowIn(journal, kind, kind);
    await takenUp(journal);
  });

  it('counts what it takes up as in progress: the queue waits for it', async () => {
    const journal = inMemory();
    for (const id of ['a', 'b', 'c']) rowIn(journal, id, 'running/accepted');
    journal.reserveSync('next', DIGEST, {});
    let goes = false;
    const adapter = backend({ observe: () => (goes ? DONE : RUNNING) });
    const { polls, reach } = await startRunner(adapter, { journal, concurrency: 2 });
    await polls(12);
    expect([adapter.of('submit'), new Set(adapter.of('observe')).size]).toEqual([[], 3]);
    goes = true;
    await reach('next', 'succeeded');
  });

  it('takes up hundreds of rows, each observed by one at a time, while new ones are sent once', async () => {
    const at = newPath();
    let journal = await openJournal(at, { durability: 'eventual' });
    const old = Array.from({ length: 100 }, (_, index) => `old ${index}`);
    await Promise.all(old.map((id) => journal.reserve(id, DIGEST, {})));
    const sent = (id: string) =>
      ({ state: 'running', submission: 'accepted', backendReference: `ref-${id}` }) as const;
    await Promise.all(old.map((id) => journal.update(id, sent(id))));
    journal = await reopened(journal, at, { bounds: { pageSize: 1_000 } });
    const inside = new Set<string>();
    const twice: string[] = [];
    const adapter = backend({
      observe: async (reference, time) => {
        if (inside.has(reference)) twice.push(reference);
        inside.add(reference);
        await moment(1);
        inside.delete(reference);
        return time < 2 ? RUNNING : DONE;
      },
    });
    const { put } = await startRunner(adapter, { journal, concurrency: 120 });
    const ids = Array.from({ length: 50 }, (_, index) => `new ${index}`);
    for (const id of ids) await put(id);
    await until(() => journal.page().active + journal.page().outstanding === 0);
    expect(twice).toEqual([]);
    expect(adapter.of('submit').sort()).toEqual([...ids].sort());
    for (const id of walk(journal)) {
      expect(journal.status(id)?.state).toBe('succeeded');
      expect(adapter.of('observe').filter((each) => each === `ref-${id}`)).toHaveLength(2);
    }
  });

  it('leaves what a person has resolved meanwhile, and what a person is to resolve', async () => {
    const journal = inMemory();
    for (const id of ['a', 'b']) rowIn(journal, id, 'interrupted/uncertain');
    const adapter = backend();
    const { put, reach, status } = await startRunner(adapter, { journal });
    await put('c');
    await reach('c', 'succeeded');
    journal.resolveSync('a', { state: 'succeeded', note: 'it was done' });
    await put('d');
    await reach('d', 'succeeded');
    expect([status('a').state, status('b').state]).toEqual(['succeeded', 'interrupted']);
    expect(adapter.of('submit')).toEqual(['c', 'd']);
  });
});

describe('a row that is interrupted by another hand while it is watched', () => {
  it('goes on being observed', async () => {
    const journal = inMemory();
    let goes = false;
    const adapter = backend({ observe: () => (goes ? DONE : RUNNING) });
    const { put, reach, polls } = await startRunner(adapter, { journal });
    await put('a');
    await polls();
    journal.updateSync('a', { state: 'interrupted' });
    await polls();
    expect(journal.status('a')?.state).toBe('running');
    goes = true;
    await reach('a', 'succeeded');
  });
});

describe('stop', () => {
  it('waits for a submit in flight, whose answer is recorded', async () => {
    const answer = gate<string>();
    const adapter = backend({ submit: () => answer.promise });
    const { runner, put, status } = await startRunner(adapter);
    await put('a', 'b');
    await until(() => adapter.of('submit').length === 1);
    let stopped = false;
    const stopping = [runner.stop(), runner.stop()].map((each) =>
      each.then(() => (stopped = true)),
    );
    await moment(30);
    expect(stopped).toBe(false);
    answer.open('ref-a');
    await Promise.all(stopping);
    expect(status('a')).toMatchObject({ state: 'running', backendReference: 'ref-a' });
    expect(kindOf(status('b'))).toBe('queued/pending');
    expect(adapter.calls).toEqual([['submit', 'a']]);
  });

  it('waits for no observe and no cancel: their signals abort, and what they answer is ignored', async () => {
    const answer = gate<unknown>();
    const signals: AbortSignal[] = [];
    const adapter = backend({
      observe: (_, __, signal) => (signals.push(signal), answer.promise),
      cancel: (_, signal) => (signals.push(signal), answer.promise),
    });
    const { runner, put, status } = await startRunner(adapter);
    await put('a');
    await until(() => adapter.of('observe').length === 1);
    await runner.requestCancel('a');
    await until(() => adapter.of('cancel').length === 1);
    const before = status('a');
    await runner.stop();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    answer.open(DONE);
    await moment(20);
    expect(status('a')).toEqual(before);
    expect(before).toMatchObject({ state: 'running', stale: false });
  });

  it('leaves the rows as they are, for the next start', async () => {
    let goes = false;
    const adapter = backend({ observe: () => (goes ? DONE : RUNNING) });
    const { journal, runner, put, polls, reach, status } = await startRunner(adapter);
    await put('a', 'b');
    await polls();
    await runner.stop();
    expect([status('a'), status('b')].map(kindOf)).toEqual(['running/accepted', 'queued/pending']);
    const calls = adapter.calls.length;
    rowIn(journal, 'c', 'running/uncertain');
    const other = endless();
    const meanwhile = await startRunner(other, { journal, scope: 'another' });
    await meanwhile.put('x');
    await meanwhile.polls(20);
    expect(adapter.calls).toHaveLength(calls);
    goes = true;
    runner.start();
    await reach('b', 'succeeded');
    expect([status('a').state, status('c').state]).toEqual(['succeeded', 'interrupted']);
    expect(adapter.of('submit')).toEqual(['a', 'b']);
  });

  it('of a runner that never started, or has stopped, is done at once; enqueue is nothing', async () => {
    const { runner } = await makeRunner(backend());
    runner.enqueue();
    await runner.stop();
    runner.start();
    await runner.stop();
    runner.enqueue();
    await Promise.all([runner.stop(), runner.stop()]);
  });

  it('and start, many times, lose and repeat nothing', async () => {
    const journal = inMemory();
    const adapter = backend({
      submit: async (id) => {
        await moment(id.length % 3);
        return `ref-${id}`;
      },
      observe: (_, time) => (time < 3 ? RUNNING : DONE),
    });
    const { runner, put } = await makeRunner(adapter, { journal, concurrency: 4 });
    const ids = Array.from({ length: 40 }, (_, index) => `${index}`);
    await put(...ids);
    while (journal.page().active + journal.page().outstanding > 0) {
      runner.start();
      await moment(3);
      await runner.stop();
    }
    expect(adapter.of('submit')).toEqual(ids);
    for (const id of ids) expect(journal.status(id)).toMatchObject({ state: 'succeeded' });
  });
});

describe('closing a journal', () => {
  it('stops the runners that were started on it, waits for a submit, and starts none afterwards', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    const answer = gate<string>();
    const adapter = backend({ submit: (id) => (id === 'slow' ? answer.promise : `ref-${id}`) });
    const { runner, put } = await startRunner(adapter, { journal });
    const watched = endless();
    const other = await startRunner(watched, { journal, scope: 's' });
    await put('slow');
    await other.put('a');
    await other.polls();
    await until(() => adapter.of('submit').length === 1);
    const closing = journal.close();
    refusal('ERR_CLOSED', () => runner.start());
    await rejection('ERR_CLOSED', () => runner.requestCancel('slow'));
    runner.enqueue();
    answer.open('ref-slow');
    await closing;
    const again = await openJournal(at);
    expect(again.status('slow')).toMatchObject({
      state: 'interrupted',
      backendReference: 'ref-slow',
    });
    expect(again.status('a', 's')).toMatchObject({ state: 'interrupted', submission: 'accepted' });
    refusal('ERR_CLOSED', () => runner.start());
  });
});

describe('a process', () => {
  it('ends by itself once its runner has stopped, though something was watched and followed', async () => {
    const child = startChild('idle', { args: [newPath(), temporary()] });
    expect(await child.heard()).toBe('stopped');
    expect(await child.gone).toEqual({ code: 0, signal: null, errors: '' });
  });
});
