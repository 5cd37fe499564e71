// One AbortSignal, shared by many who wait, by limiters, and by its owner.
import { describe, expect, it } from 'vitest';
import { getEventListeners } from 'node:events';
import {
  AdmissionLimiter,
  OperationJournal,
  OperationLogs,
  type AdmissionPermit,
} from '../index.js';
import { answerOf } from './fixtures/boundary/kit.js';
import { temporary } from './operations-kit.js';

const rejections = (waiting: readonly Promise<unknown>[]) =>
  Promise.all(
    waiting.map((each) =>
      each.then(
        () => 'granted',
        (reason: unknown) => reason,
      ),
    ),
  );

describe('a signal', () => {
  it('shared by those who wait at two limiters reaches them all, and leaves no listener', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const calls: string[] = [];
    signal.onabort = () => calls.push('onabort');
    const [one, two] = [new AdmissionLimiter(1), new AdmissionLimiter(1)];
    const finished = await one.acquire(signal);
    finished.release();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    const permits = [await one.acquire(signal), await two.acquire(signal)];
    const waiting = [one.acquire(signal), one.acquire(signal), two.acquire(signal)];
    const others = [one.acquire(), two.acquire(new AbortController().signal)];
    signal.addEventListener('abort', () => calls.push('listener'));
    const reason = new Error('the owner gave up');
    controller.abort(reason);
    expect(await rejections(waiting)).toEqual([reason, reason, reason]);
    expect([calls, typeof signal.onabort]).toEqual([['onabort', 'listener'], 'function']);
    expect([one.activeCount, one.waitingCount, two.activeCount, two.waitingCount]).toEqual([
      1, 1, 1, 1,
    ]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(2);
    for (const permit of permits) permit.release();
    await Promise.all(others);
  });

  it.each<[string, unknown]>([
    ['an error', new Error('aborted before')],
    ['a string', 'reason'],
    ['null', null],
    ['zero', 0],
  ])(
    'aborted before it is handed over, with %s as its reason, takes no place',
    async (_, reason) => {
      const limiter = new AdmissionLimiter(1);
      const signal = AbortSignal.abort(reason);
      expect(await answerOf(() => limiter.acquire(signal))).toEqual({
        how: 'rejected',
        value: reason,
      });
      const permit = await limiter.acquire();
      expect(await answerOf(() => limiter.acquire(signal))).toEqual({
        how: 'rejected',
        value: reason,
      });
      expect([limiter.activeCount, limiter.waitingCount]).toEqual([1, 0]);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      permit.release();
    },
  );

  it('aborted after the permit was granted takes nothing back', async () => {
    const controller = new AbortController();
    const limiter = new AdmissionLimiter(1);
    const first = await limiter.acquire(controller.signal);
    const second = limiter.acquire(controller.signal);
    first.release();
    controller.abort();
    expect(limiter.activeCount).toBe(1);
    ((await second) as AdmissionPermit).release();
    expect([limiter.activeCount, getEventListeners(controller.signal, 'abort')]).toEqual([0, []]);
  });

  it('on which fifty calls of every kind wait has one listener, and reaches them in order', async () => {
    const warnings: string[] = [];
    const warned = (warning: Error) => warnings.push(warning.name);
    process.on('warning', warned);
    const controller = new AbortController();
    const { signal } = controller;
    const journal = OperationJournal.inMemory();
    const logs = await OperationLogs.open(temporary());
    const limiters = [new AdmissionLimiter(1), new AdmissionLimiter(1)];
    const permits = await Promise.all(limiters.map((limiter) => limiter.acquire(signal)));
    const order: number[] = [];
    const ended = Array.from({ length: 48 }, async (_, number) => {
      if (number % 4 === 0) await journal.watch({ signal }).next();
      else if (number % 4 === 1) await logs.follow(`${number}`, { signal }).next();
      else await limiters[number % 2]!.acquire(signal).catch(() => order.push(number));
    });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    await Promise.all(ended);
    expect(order).toEqual([...Array(48).keys()].filter((number) => number % 4 > 1));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await new Promise(setImmediate);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
    for (const permit of permits) permit.release();
    await Promise.all([journal.close(), logs.close()]);
  });

  it('whose reason cannot be read rejects with what that throws, and keeps nobody waiting', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const thrown = new Error('no reason');
    Object.defineProperty(signal, 'reason', {
      get: () => {
        throw thrown;
      },
    });
    const limiters = [new AdmissionLimiter(1), new AdmissionLimiter(1)];
    const permits = await Promise.all(limiters.map((limiter) => limiter.acquire()));
    const waiting = limiters.map((limiter) => limiter.acquire(signal));
    controller.abort();
    expect(await rejections(waiting)).toEqual([thrown, thrown]);
    for (const permit of permits) permit.release();
    expect(limiters.map(({ activeCount }) => activeCount)).toEqual([0, 0]);
  });

  it('that waits when the limiter is closed is let go of', async () => {
    const controller = new AbortController();
    const limiter = new AdmissionLimiter(1);
    const permit = await limiter.acquire();
    const waiting = [limiter.acquire(controller.signal), limiter.acquire()];
    const error = new Error('closed');
    limiter.close(error);
    limiter.close(new Error('later'));
    expect(await rejections([...waiting, limiter.acquire()])).toEqual([error, error, error]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    permit.release();
    expect([limiter.activeCount, limiter.waitingCount]).toEqual([0, 0]);
  });
});
