// One observation: which fields it changes, their bounds, and a person's decision.
import { describe, expect, it } from 'vitest';
import { DIGEST, inMemory, refusal, rejection, rowIn } from './operations-kit.js';

const own = { operationId: 'a', scope: '' };

describe('a field of an observation', () => {
  it('that is left out, or undefined, keeps its value; null clears it', () => {
    const journal = inMemory();
    journal.reserveSync('a', DIGEST, {});
    const all = { progress: 0.25, stage: 'one', error: 'soft', result: { r: 1 } };
    journal.updateSync('a', { state: 'running', ...all });
    expect(journal.updateSync('a', {})).toMatchObject({ state: 'running', ...all });
    const undefined_ = { state: undefined, progress: undefined, result: undefined, stage: 'two' };
    expect(journal.updateSync('a', undefined_ as object)).toMatchObject({
      ...all,
      stage: 'two',
    });
    const cleared = { progress: null, stage: null, error: null, result: null };
    expect(journal.updateSync('a', cleared)).toMatchObject({ state: 'running', ...cleared });
  });

  it.each([-Number.MIN_VALUE, 1 + Number.EPSILON, NaN, Infinity, -Infinity, 2])(
    'progress is from 0 to 1: %d is refused with its path and changes nothing',
    async (progress) => {
      const journal = inMemory();
      const before = rowIn(journal, 'a', 'running/accepted');
      const fields = { path: '/progress', ...own };
      const patch = { progress, state: 'succeeded' } as const;
      refusal('ERR_RESULT_REFUSED', () => journal.updateSync('a', patch), fields);
      await rejection('ERR_RESULT_REFUSED', () => journal.update('a', { progress }), fields);
      expect(journal.status('a')).toEqual(before);
      for (const good of [0, 1, 0.1, 5e-324])
        expect(journal.updateSync('a', { progress: good }).progress).toBe(good);
    },
  );

  it.each([
    ['stage', 64, 'x'],
    ['stage', 64, '😀'],
    ['stage', 64, '\u0001'],
    ['error', 256, 'x'],
    ['error', 256, 'é'],
    ['error', 256, '😀'],
  ])(
    '%s holds %i Unicode scalar values: one more is refused, not cut (%j)',
    (field, limit, letter) => {
      const journal = inMemory();
      const before = rowIn(journal, 'a', 'running/accepted');
      const put = (text: string) => journal.updateSync('a', { [field]: text });
      const path = `/${field}`;
      refusal('ERR_RESULT_REFUSED', () => put(letter.repeat(limit + 1)), {
        ...{ path, limit, actual: limit + 1 },
        ...own,
      });
      refusal('ERR_RESULT_REFUSED', () => put('\ud83d'), { path, ...own });
      expect(journal.status('a')).toEqual(before);
      for (const length of [0, limit - 1, limit])
        expect(put(letter.repeat(length))).toMatchObject({ [field]: letter.repeat(length) });
    },
  );

  it.each([
    [512, 'x', 513, 513],
    [512, 'é', 257, 514],
    [512, '😀', 129, 516],
    [3, 'é', 2, 4],
    [4_096, 'é', 2_049, 4_098],
  ])(
    'a reference holds referenceBytes bytes of UTF-8: of %i, %j %i times is one too many',
    (referenceBytes, letter, times, actual) => {
      const journal = inMemory({ referenceBytes });
      journal.reserveSync('a', DIGEST, {});
      const put = (backendReference: string) =>
        journal.updateSync('a', { submission: 'accepted', backendReference });
      const path = '/backendReference';
      const fields = { path, limit: referenceBytes, actual, ...own };
      refusal('ERR_RESULT_REFUSED', () => put(letter.repeat(times)), fields);
      for (const wrong of ['', '\ud800']) refusal('ERR_RESULT_REFUSED', () => put(wrong), { path });
      expect(journal.status('a')?.submission).toBe('pending');
      const fits = letter.repeat(times - 1);
      expect(put(fits).backendReference).toBe(fits);
    },
  );

  it('is judged before the row: a value, then whether there is a row, whether it has ended, the move', () => {
    const journal = inMemory();
    const bad = { progress: 2, state: 'queued' } as const;
    refusal('ERR_RESULT_REFUSED', () => journal.updateSync('none', bad));
    const unknown = { operationId: 'none', scope: '' };
    const move = { state: 'queued' } as const;
    refusal('ERR_OPERATION_UNKNOWN', () => journal.updateSync('none', move), unknown);
    rowIn(journal, 'a', 'cancelled/pending');
    refusal('ERR_RESULT_REFUSED', () => journal.updateSync('a', bad));
    refusal('ERR_OPERATION_TERMINAL', () => journal.updateSync('a', move));
  });

  it('of fifty megabytes is refused at once, and listings are not slower for it', () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted');
    const huge = 'x'.repeat(50 * 2 ** 20);
    for (const path of ['/error', '/stage'] as const)
      refusal('ERR_RESULT_REFUSED', () => journal.updateSync('a', { [path.slice(1)]: huge }), {
        path,
        actual: huge.length,
      });
    refusal('ERR_RESULT_REFUSED', () => journal.updateSync('a', { result: { huge } }), {
      path: '/result',
    });
    expect(journal.page().operations).toHaveLength(1);
  });
});

describe('a person', () => {
  const cases = ['interrupted/pending', 'interrupted/uncertain', 'interrupted/accepted'].flatMap(
    (kind) =>
      (['succeeded', 'failed', 'cancelled'] as const).map((state) => [kind, state] as const),
  );

  it.each(cases)('resolves a row that is %s as %s, with a note, once', async (kind, state) => {
    const journal = inMemory({}, () => 77);
    const before = rowIn(journal, 'a', kind);
    const note = `seen by ${state}`;
    const after = await journal.resolve('a', { state, note });
    expect(after).toMatchObject({
      ...{ state, submission: before.submission, backendReference: before.backendReference },
      ...{ finishedAt: 77, stale: false },
      ...(state === 'succeeded' ? { stage: note, error: null } : { stage: null, error: note }),
    });
    expect(journal.status('a')).toEqual(after);
    refusal('ERR_OPERATION_TERMINAL', () => journal.resolveSync('a', { state }), own);
    expect(journal.page().outstanding).toBe(0);
  });

  it('need not give a note, and what was known stays', () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted');
    journal.updateSync('a', { state: 'interrupted', stage: 'half', error: 'soft', progress: 0.5 });
    expect(journal.resolveSync('a', { state: 'failed' })).toMatchObject({
      ...{ stage: 'half', error: 'soft', progress: 0.5 },
    });
  });

  it.each(['queued/pending', 'queued/accepted', 'running/uncertain', 'running/accepted'])(
    'cannot resolve a row that is %s: it is not outstanding',
    async (kind) => {
      const journal = inMemory();
      const before = rowIn(journal, 'a', kind);
      const outcome = { state: 'failed', note: 'no' } as const;
      refusal('ERR_OPERATION_TRANSITION', () => journal.resolveSync('a', outcome), own);
      await rejection('ERR_OPERATION_TRANSITION', () => journal.resolve('a', outcome), own);
      expect(journal.status('a')).toEqual(before);
    },
  );

  it('meets the bounds of the fields that a note is shown in, and of a result', () => {
    const journal = inMemory({ resultBytes: 10 });
    const before = rowIn(journal, 'a', 'interrupted/uncertain', 's');
    const resolve = (outcome: object) => journal.resolveSync('a', outcome as never, 's');
    for (const [state, limit] of [
      ['succeeded', 64],
      ['failed', 256],
      ['cancelled', 256],
    ] as const)
      refusal('ERR_RESULT_REFUSED', () => resolve({ state, note: '😀'.repeat(limit + 1) }), {
        ...{ path: '/note', limit, actual: limit + 1, operationId: 'a', scope: 's' },
      });
    for (const [result, fields] of [
      [{ long: 'xxxxxxx' }, { path: '/result', limit: 10, actual: 18 }],
      [{ a: NaN }, { path: '/result/a' }],
    ] as const)
      refusal('ERR_RESULT_REFUSED', () => resolve({ state: 'succeeded', result }), fields);
    refusal('ERR_INVALID_ARG_VALUE', () => resolve({ state: 'failed', result: {} }));
    refusal('ERR_OPERATION_UNKNOWN', () => journal.resolveSync('a', { state: 'failed' }));
    expect(journal.status('a', 's')).toEqual(before);
    const note = '😀'.repeat(64);
    expect(resolve({ state: 'succeeded', note, result: { a: 1 } })).toMatchObject({
      ...{ state: 'succeeded', stage: note, result: { a: 1 } },
    });
  });
});

describe('an intent to cancel', () => {
  it.each(['queued/pending', 'running/accepted', 'interrupted/accepted', 'interrupted/uncertain'])(
    'on a row that is %s is recorded once, changes no field, and is gone when the row has ended',
    async (kind) => {
      const journal = inMemory();
      const before = rowIn(journal, 'a', kind);
      expect(journal.cancelRequested('a')).toBe(false);
      expect(await journal.requestCancel('a')).toEqual({ outcome: 'recorded', status: before });
      expect(journal.requestCancelSync('a')).toEqual({ outcome: 'recorded', status: before });
      expect([journal.cancelRequested('a'), journal.status('a')]).toEqual([true, before]);
      const ended = journal.updateSync('a', { state: 'cancelled' });
      expect(journal.cancelRequested('a')).toBe(false);
      expect(journal.requestCancelSync('a')).toEqual({ outcome: 'terminal', status: ended });
      expect(journal.cancelRequested('a')).toBe(false);
    },
  );

  it('outlives every observation until the row ends', () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted');
    journal.requestCancelSync('a');
    for (const patch of [
      { progress: 0.5 },
      { state: 'queued' },
      { state: 'interrupted' },
    ] as const) {
      journal.updateSync('a', patch);
      expect(journal.cancelRequested('a')).toBe(true);
    }
    journal.updateSync('a', { state: 'succeeded' });
    expect(journal.cancelRequested('a')).toBe(false);
  });

  it('on an operation that there is not is ERR_OPERATION_UNKNOWN', async () => {
    const journal = inMemory();
    const fields = { operationId: 'none', scope: 's' };
    refusal('ERR_OPERATION_UNKNOWN', () => journal.requestCancelSync('none', 's'), fields);
    await rejection('ERR_OPERATION_UNKNOWN', () => journal.requestCancel('none', 's'), fields);
  });
});
