// Backends that fail, hang, or answer what the contract does not know: nothing is lost, sent twice, or told.
import { describe, expect, it } from 'vitest';
import { SubmissionRefused } from '../index.js';
import { DONE, RUNNING, backend, startRunner } from './fixtures/operations/backend.js';
import { anotherCopy, inContext } from './fixtures/boundary/copies.js';
import { gate, inMemory, until, walk } from './operations-kit.js';

const SECRET = 'secret https://backend.example/?token=1';
const fails = () => {
  throw new Error(SECRET);
};
const UNSENT = { state: 'interrupted', submission: 'uncertain', backendReference: null };

describe('submit', () => {
  it('that refuses ends the operation as failed and refused, with a reason that is fit to be shown', async () => {
    const reasons: Record<string, string> = {
      short: 'no such model',
      longest: '😀'.repeat(256),
      long: 'x'.repeat(257),
      empty: '',
      torn: '\ud800',
    };
    const adapter = backend({
      submit: (id) => {
        throw new SubmissionRefused(reasons[id]!);
      },
    });
    const { put, reach } = await startRunner(adapter);
    await put(...Object.keys(reasons));
    const errors: Record<string, string | null> = {};
    for (const id of Object.keys(reasons)) {
      const status = await reach(id, 'failed');
      expect(status).toMatchObject({ submission: 'refused', backendReference: null });
      errors[id] = status.error;
    }
    expect([errors['short'], errors['longest']]).toEqual([reasons['short'], reasons['longest']]);
    expect(errors['long']).toMatch(/./);
    expect([errors['empty'], errors['torn']]).toEqual([errors['long'], errors['long']]);
    expect([adapter.of('submit').length, adapter.of('observe')]).toEqual([5, []]);
  });

  it.each([
    ['another copy of the package', anotherCopy],
    ['a copy in a vm context', () => inContext().product],
  ])('may refuse by the error of %s: it is told by its code', async (_, copy) => {
    const { SubmissionRefused: Other } = copy();
    const adapter = backend({
      submit: () => {
        throw new Other('told by another copy');
      },
    });
    const { put, reach } = await startRunner(adapter);
    await put('a');
    expect((await reach('a', 'failed')).error).toBe('told by another copy');
  });

  it('that fails in any other way leaves the row to a person: not retried, and nothing of it told', async () => {
    const answers: Record<string, () => unknown> = {
      error: fails,
      text: () => {
        // oxlint-disable-next-line no-throw-literal -- as a careless adapter does
        throw SECRET;
      },
      code: () => Promise.reject(Object.assign(new TypeError(SECRET), { code: 'ERR_OTHER' })),
      number: () => 5,
      nothing: () => undefined,
      null: () => null,
      empty: () => '',
      long: () => 'é'.repeat(257),
      torn: () => '\ud800',
      object: () => ({ reference: 'r' }),
      'a trap': () =>
        Promise.reject(Object.defineProperty(new Error(SECRET), 'code', { get: fails })),
      'an imitation': () => Promise.reject({ code: 'ERR_SUBMISSION_REFUSED', message: SECRET }),
    };
    const adapter = backend({ submit: (id) => (answers[id] ?? (() => `ref-${id}`))() });
    const { journal, put, reach, status } = await startRunner(adapter);
    const ids = Object.keys(answers);
    await put(...ids, 'last');
    await reach('last', 'succeeded');
    for (const id of ids) expect(status(id), id).toMatchObject(UNSENT);
    await put('after');
    await reach('after', 'succeeded');
    expect(adapter.of('submit')).toEqual([...ids, 'last', 'after']);
    expect(journal.page()).toMatchObject({ active: 0, outstanding: ids.length });
    expect(JSON.stringify(walk(journal).map((id) => journal.status(id)))).not.toContain('secret');
  });

  it('that throws before it gives a promise is the same', async () => {
    const adapter = { ...backend(), submit: fails };
    const { put, reach } = await startRunner(adapter as never);
    await put('a');
    expect(await reach('a', 'interrupted')).toMatchObject(UNSENT);
  });

  it('that takes adapterSeconds is given up: its signal aborts, its late answer is applied to nothing', async () => {
    const late = gate<string>();
    let signal: AbortSignal | undefined;
    const adapter = backend({
      submit: (id, _, given) => {
        if (id !== 'slow') return `ref-${id}`;
        signal = given;
        return late.promise;
      },
    });
    const { put, reach, status } = await startRunner(adapter, { adapterSeconds: 1 });
    await put('slow', 'next');
    await until(() => signal !== undefined);
    expect(signal!.aborted).toBe(false);
    const slow = await reach('slow', 'interrupted');
    expect(slow).toMatchObject({ ...UNSENT, error: null });
    await until(() => signal!.aborted);
    expect(signal!.reason).toBeInstanceOf(Error);
    late.open('late');
    await put('third');
    for (const id of ['next', 'third'])
      expect((await reach(id, 'succeeded')).backendReference).toBe(`ref-${id}`);
    expect(status('slow')).toEqual(slow);
    expect(adapter.of('observe')).not.toContain('late');
  });
});

describe('observe', () => {
  it('that fails marks the row stale, is tried again after growing pauses, and ends nothing', async () => {
    const bad = [
      fails,
      () => undefined,
      () => 'running',
      () => ({ state: 'running', progress: 1.5 }),
      () => ({ state: 'running', stage: 'x'.repeat(65) }),
    ];
    const times: number[] = [];
    const stale: boolean[] = [];
    const journal = inMemory();
    const adapter = backend({
      observe: (_, time) => {
        times.push(performance.now());
        stale.push(journal.status('a')!.stale);
        if (time <= bad.length) return bad[time - 1]!();
        if (time === bad.length + 1) return { state: 'running', progress: 0.5 };
        return time === bad.length + 2 ? fails() : DONE;
      },
    });
    const { put, reach } = await startRunner(adapter, { journal, pollSeconds: 0.02 });
    await put('a');
    expect((await reach('a', 'succeeded')).stale).toBe(false);
    expect(stale).toEqual([false, true, true, true, true, true, false, true]);
    const pauses = times.slice(1).map((time, index) => time - times[index]!);
    for (const [index, least] of [40, 80, 160, 320, 640].entries())
      expect(pauses[index], `pause ${index + 1}`).toBeGreaterThan(least * 0.95);
    expect(JSON.stringify(journal.status('a'))).not.toContain('secret');
  });

  it('is asked after pollSeconds again once it has succeeded', async () => {
    const adapter = backend({ observe: (_, time) => (time < 7 ? fails() : RUNNING) });
    const { put, status, polls } = await startRunner(adapter, { pollSeconds: 0.004 });
    await put('a');
    await until(() => adapter.of('observe').length >= 7);
    // Were the pauses still 0.5 seconds and more, these would take a minute.
    await polls(100);
    expect(status('a')).toMatchObject({ state: 'running', stale: false });
  });

  it('that takes adapterSeconds marks the row stale, and its late answer is ignored', async () => {
    const [late, second] = [gate<unknown>(), gate<unknown>()];
    const signals: AbortSignal[] = [];
    const adapter = backend({
      observe: (_, time, signal) => {
        signals.push(signal);
        if (time === 1) return late.promise;
        if (time === 2) return second.promise;
        return time < 5 ? RUNNING : { state: 'failed', error: 'in the end' };
      },
    });
    const { put, reach, status } = await startRunner(adapter, { adapterSeconds: 2 });
    await put('a');
    await until(() => signals.length >= 2);
    expect([signals[0]!.aborted, status('a').stale]).toEqual([true, true]);
    late.open({ ...DONE, result: { late: true } });
    second.open({ state: 'running', stage: 'second' });
    await until(() => status('a').stage === 'second' || signals.length > 2);
    expect(await reach('a', 'failed')).toMatchObject({ error: 'in the end', result: null });
  });

  it('of many hung jobs hangs none of the others', async () => {
    const never = new Promise(() => {});
    const adapter = backend({
      submit: (id) => id,
      observe: (id) => (id.startsWith('hung') ? never : DONE),
    });
    const { put, reach, status } = await startRunner(adapter, { concurrency: 10 });
    const hung = Array.from({ length: 9 }, (_, index) => `hung ${index}`);
    await put(...hung, 'a', 'b', 'c');
    await reach('c', 'succeeded');
    expect(new Set(hung.map((id) => status(id).state))).toEqual(new Set(['running']));
  });
});

describe('an answer that the contract does not admit', () => {
  const resultSchema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
  };
  const answers: Record<string, unknown> = {
    'a state it does not know': { state: `done ${SECRET}` },
    'no state': { progress: 1 },
    'a result against the schema': { state: 'succeeded', result: { n: SECRET } },
    'no result, where one is due': { state: 'succeeded' },
    'a null result': { state: 'succeeded', result: null },
    'a result that is too large': { state: 'succeeded', result: { n: 1, t: 'x'.repeat(200) } },
    'a result that is no JSON': { state: 'succeeded', result: { n: NaN } },
    'a result that is an array': { state: 'succeeded', result: [1] },
    'a failed one that is too large': { state: 'failed', result: { t: 'x'.repeat(200) } },
    'an error that is too long': { state: 'failed', error: SECRET + 'x'.repeat(256) },
    'an error of a wrong type': { state: 'failed', error: 5 },
    'a progress out of range': { state: 'succeeded', progress: 2, result: { n: 1 } },
    'a stage that is too long': { state: 'cancelled', stage: SECRET.repeat(5) },
  };

  it('is recorded as failed, with one of a few fixed reasons', async () => {
    const adapter = backend({
      submit: (id) => id,
      observe: (id) => answers[id] ?? { state: 'succeeded', result: { n: 1 } },
    });
    const journal = inMemory({ resultBytes: 100 });
    const { put, reach, status } = await startRunner(adapter, { journal, resultSchema });
    const ids = Object.keys(answers);
    await put(...ids, 'good');
    expect((await reach('good', 'succeeded')).result).toEqual({ n: 1 });
    const reasons = new Set<string | null>();
    for (const id of ids) {
      expect(status(id), id).toMatchObject({
        state: 'failed',
        submission: 'accepted',
        result: null,
      });
      expect(status(id).error, id).toMatch(/./);
      reasons.add(status(id).error);
    }
    expect(reasons.size).toBeLessThanOrEqual(3);
    expect(JSON.stringify(ids.map(status))).not.toContain('secret');
  });

  it('is none for a result that is absent where {} will do, nor for that of one that failed', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    const given: Record<string, unknown> = {
      absent: { state: 'succeeded' },
      failed: { state: 'failed', result: { n: 'text' } },
      cancelled: { state: 'cancelled', result: { n: 'text' } },
    };
    const adapter = backend({ submit: (id) => id, observe: (id) => given[id] });
    const { put, reach } = await startRunner(adapter, { resultSchema: schema });
    await put(...Object.keys(given));
    expect((await reach('absent', 'succeeded')).result).toBe(null);
    for (const state of ['failed', 'cancelled'])
      expect((await reach(state, state)).result).toEqual({ n: 'text' });
  });

  it('of a getter that throws is a failing observe', async () => {
    const trap = {
      get state() {
        return fails();
      },
    };
    const adapter = backend({ observe: (_, time) => (time < 3 ? trap : DONE) });
    const { put, reach } = await startRunner(adapter);
    await put('a');
    await reach('a', 'succeeded');
    expect(adapter.of('observe')).toHaveLength(3);
  });

  it('has a result only together with an end: that of a running row is not taken', async () => {
    const journal = inMemory();
    const seen: unknown[] = [];
    const adapter = backend({
      observe: (_, time) => {
        seen.push(journal.status('a')!.result);
        return time < 3 ? { state: 'running', result: { n: 'early' } } : { state: 'failed' };
      },
    });
    const { put, reach } = await startRunner(adapter, { journal });
    await put('a');
    expect((await reach('a', 'failed')).result).toBe(null);
    expect(seen).toEqual([null, null, null]);
  });
});
