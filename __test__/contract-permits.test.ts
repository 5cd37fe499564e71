// A limited number of places, granted in the order asked for.
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { AdmissionLimiter } from '../index.js';
import { DISPOSE, macrotask, microtasks, refusal, rejection, watch } from './contract-kit.ts';

const counts = (limiter: AdmissionLimiter): number[] => [limiter.activeCount, limiter.waitingCount];

describe('permits', () => {
  test('are granted at once while there are any, then in the order asked for', async () => {
    const limiter = new AdmissionLimiter(2);
    expect(limiter.capacity).toBe(2);
    const asked = [1, 2, 3, 4].map(() => limiter.acquire());
    expect(counts(limiter)).toEqual([2, 2]);
    const waiting = asked.slice(2).map(watch);
    const first = await asked[0]!;
    await macrotask();
    expect(waiting.map((each) => each.state)).toEqual(['pending', 'pending']);
    first.release();
    expect(counts(limiter)).toEqual([2, 1]);
    await microtasks();
    expect(waiting.map((each) => each.state)).toEqual(['resolved', 'pending']);
    (await asked[1]!)[DISPOSE]();
    (await asked[2]!).release();
    (await asked[3]!).release();
    expect(counts(limiter)).toEqual([0, 0]);
  });

  test('are given back once', async () => {
    const limiter = new AdmissionLimiter(1);
    const permit = await limiter.acquire();
    const [second, third] = [limiter.acquire(), watch(limiter.acquire())];
    permit.release();
    permit.release();
    permit[DISPOSE]();
    await second;
    await macrotask();
    expect(third.state).toBe('pending');
    expect(counts(limiter)).toEqual([1, 1]);
  });

  test('are handed on in the macrotask in which they were given back', async () => {
    const limiter = new AdmissionLimiter(1);
    const permit = await limiter.acquire();
    const next = watch(limiter.acquire());
    let turned = false;
    setImmediate(() => (turned = true));
    permit.release();
    await microtasks();
    expect([next.state, turned]).toEqual(['resolved', false]);
  });
});

describe('an abort', () => {
  test('that came first rejects with its reason and takes no place', async () => {
    const limiter = new AdmissionLimiter(1);
    const reason = { why: 'any value' };
    await expect(limiter.acquire(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(counts(limiter)).toEqual([0, 0]);
  });

  test('gives the place in the queue up, to those behind', async () => {
    const limiter = new AdmissionLimiter(1);
    const held = await limiter.acquire();
    const leaving = new AbortController();
    const [gone, next] = [limiter.acquire(leaving.signal), limiter.acquire()];
    const reason = new Error('turn stopped');
    leaving.abort(reason);
    expect(counts(limiter)).toEqual([1, 1]);
    await expect(gone).rejects.toBe(reason);
    held.release();
    (await next).release();
    expect(counts(limiter)).toEqual([0, 0]);
  });

  test('takes no granted permit back', async () => {
    const limiter = new AdmissionLimiter(1);
    const controller = new AbortController();
    const granted = limiter.acquire(controller.signal);
    controller.abort(new Error('too late'));
    const permit = await granted;
    expect(limiter.activeCount).toBe(1);
    permit.release();
    expect(limiter.activeCount).toBe(0);
  });

  test('that releases a permit does not grant it to one aborted by the same signal', async () => {
    const limiter = new AdmissionLimiter(1);
    const held = await limiter.acquire();
    const shared = new AbortController();
    shared.signal.addEventListener('abort', () => held.release());
    const aborted = [limiter.acquire(shared.signal), limiter.acquire(shared.signal)];
    const next = limiter.acquire();
    const reason = new Error('all of them');
    shared.abort(reason);
    for (const each of aborted) await expect(each).rejects.toBe(reason);
    (await next).release();
    expect(counts(limiter)).toEqual([0, 0]);
  });

  test('leaves the handler of the caller alone, and no listener behind', async () => {
    const limiter = new AdmissionLimiter(1);
    const held = await limiter.acquire();
    const shared = new AbortController();
    let told = 0;
    shared.signal.onabort = () => {
      told += 1;
    };
    const granted = limiter.acquire(shared.signal);
    held.release();
    const permit = await granted;
    expect(getEventListeners(shared.signal, 'abort').length).toBe(1);
    const waiting = [limiter.acquire(shared.signal), limiter.acquire(shared.signal)];
    shared.abort(new Error('both'));
    for (const each of waiting) await expect(each).rejects.toThrow('both');
    expect(told).toBe(1);
    expect(getEventListeners(shared.signal, 'abort').length).toBe(1);
    permit.release();
  });
});

describe('a closed limiter', () => {
  test('rejects those who wait and those who come, with the first error', async () => {
    const limiter = new AdmissionLimiter(1);
    const held = await limiter.acquire();
    const { signal } = new AbortController();
    const waiting = [limiter.acquire(), limiter.acquire(signal)];
    const error = new Error('shutting down');
    limiter.close(error);
    limiter.close(new Error('a second time'));
    for (const each of waiting) await expect(each).rejects.toBe(error);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(counts(limiter)).toEqual([1, 0]);
    held.release();
    expect(counts(limiter)).toEqual([0, 0]);
    await expect(limiter.acquire()).rejects.toBe(error);
    await expect(limiter.acquire(AbortSignal.abort('aborted as well'))).rejects.toBe(error);
  });
});

test('a capacity is a positive safe integer', () => {
  for (const bad of [0, -3, 0.5, NaN, Infinity, 2 ** 53, '1', undefined]) {
    expect(refusal('ERR_OUT_OF_RANGE', () => new AdmissionLimiter(bad as never))).toBeInstanceOf(
      RangeError,
    );
  }
  expect(new AdmissionLimiter(Number.MAX_SAFE_INTEGER).capacity).toBe(Number.MAX_SAFE_INTEGER);
});

test('a signal is an AbortSignal or nothing', async () => {
  const limiter = new AdmissionLimiter(1);
  await rejection('ERR_INVALID_ARG_TYPE', limiter.acquire('now' as never));
  expect(counts(limiter)).toEqual([0, 0]);
});
