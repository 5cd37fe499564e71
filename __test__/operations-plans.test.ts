// Plans: estimates that a caller reviews, and what a start with one has to be.
import { describe, expect, it } from 'vitest';
import { SubmissionRefused } from '../index.js';
import { digestIn, makeService } from './fixtures/operations/service.js';
import { DIGEST, rejection } from './operations-kit.js';

const SECRET = 'secret https://backend.example/?token=1';
const GOOD = { summary: 'a plan', expiresAt: 5 };

describe('a plan', () => {
  it('has the digest of the planned input, and nothing that was not estimated', async () => {
    const { call, planned } = await makeService({ plan: () => ({ ...GOOD, more: 'ignored' }) });
    expect(await call({ op: 'plan', input: { n: 1, planDigest: 'of another plan' } })).toEqual({
      planDigest: digestIn('s', { n: 1 }),
      summary: 'a plan',
      estimatedSeconds: null,
      estimatedCostMicrounits: null,
      expiresAt: 5,
      input: null,
    });
    expect(planned).toEqual([{ n: 1 }]);
  });

  it('that chose an input has the digest of that, and the input carries it', async () => {
    const chosen = { n: 1, seed: 7 };
    const planDigest = digestIn('s', chosen);
    const estimates = { estimatedSeconds: 5, estimatedCostMicrounits: 0 };
    const due = { ...GOOD, ...estimates, planDigest, input: { ...chosen, planDigest } };
    for (const draft of [
      { ...GOOD, ...estimates, input: chosen },
      { ...GOOD, ...estimates, input: chosen, planDigest },
      { ...GOOD, ...estimates, input: { ...chosen, planDigest } },
    ]) {
      const { call } = await makeService({ plan: () => draft });
      expect(await call({ op: 'plan', input: { n: 1 } })).toEqual(due);
    }
  });

  it('has a summary of 1 to 512 characters', async () => {
    for (const summary of ['x', '😀'.repeat(512)]) {
      const { call } = await makeService({ plan: () => ({ ...GOOD, summary }) });
      expect(await call({ op: 'plan', input: {} })).toMatchObject({ summary });
    }
  });

  it('is made from a copy of the input: who changes it changes nothing', async () => {
    const { call } = await makeService({
      plan: (input) => {
        input['n'] = 2;
        return GOOD;
      },
    });
    const planDigest = digestIn('s', { n: 1 });
    expect(await call({ op: 'plan', input: { n: 1 } })).toMatchObject({ planDigest });
  });
});

describe('a plan function', () => {
  const throws = () => {
    throw new Error(SECRET);
  };
  const wrong: [what: string, plan: () => unknown][] = [
    ['throws', throws],
    ['rejects', async () => throws()],
    ['throws what is no error', () => Promise.reject(SECRET)],
    ['gives nothing', () => undefined],
    ['gives text', () => 'plan'],
    ['gives an empty summary', () => ({ ...GOOD, summary: '' })],
    ['gives a summary that is too long', () => ({ ...GOOD, summary: '😀'.repeat(513) })],
    ['gives a summary that is torn', () => ({ ...GOOD, summary: '\ud800' })],
    ['gives no summary', () => ({ expiresAt: 5 })],
    ['gives no end', () => ({ summary: 'x' })],
    ['gives an end that is negative', () => ({ ...GOOD, expiresAt: -1 })],
    ['gives an end that is no integer', () => ({ ...GOOD, expiresAt: 1.5 })],
    ['gives an end beyond every time', () => ({ ...GOOD, expiresAt: 2 ** 53 })],
    ['gives a negative estimate', () => ({ ...GOOD, estimatedSeconds: -1 })],
    ['gives a part of a second', () => ({ ...GOOD, estimatedSeconds: 0.5 })],
    ['gives no number for the cost', () => ({ ...GOOD, estimatedCostMicrounits: NaN })],
    ['chooses what is no JSON', () => ({ ...GOOD, input: { x: NaN } })],
    ['chooses an array', () => ({ ...GOOD, input: [1] })],
    ['gives another digest', () => ({ ...GOOD, planDigest: DIGEST })],
    ['chooses another digest', () => ({ ...GOOD, input: { n: 1, planDigest: DIGEST } })],
  ];

  it.each(wrong)(
    'that %s is ERR_PLAN_FAILED, with a cause and without its words',
    async (_, plan) => {
      const { call } = await makeService({ plan });
      const error = await rejection('ERR_PLAN_FAILED', () => call({ op: 'plan', input: { n: 1 } }));
      expect(error.message).not.toContain('secret');
      expect(error.cause).toBeDefined();
    },
  );

  it('may throw a TenureError, which is passed on', async () => {
    const mine = new SubmissionRefused('no quota');
    const { call } = await makeService({ plan: () => Promise.reject(mine) });
    await expect(call({ op: 'plan', input: {} })).rejects.toBe(mine);
  });
});

describe('a start that carries a planDigest', () => {
  const planned = async () => {
    const made = await makeService({
      plan: ({ choose, ...input }) => ({
        ...{ summary: 'p', expiresAt: 2_000 },
        ...(choose ? { input: { ...input, seed: 7 } } : {}),
      }),
    });
    const { planDigest } = (await made.call({ op: 'plan', input: { n: 1 } })) as {
      planDigest: string;
    };
    return { ...made, planDigest };
  };
  const of = (operationId: string) => ({ operationId, scope: 's' });

  it('must be that of a plan which was issued for this input', async () => {
    const { begin, journal, planDigest } = await planned();
    for (const input of [
      { n: 2, planDigest },
      { planDigest },
      { n: 1, extra: 1, planDigest },
      ...[DIGEST, 5, null, ''].map((wrong) => ({ n: 1, planDigest: wrong })),
      { n: 2, planDigest: digestIn('s', { n: 2 }) },
    ])
      await rejection('ERR_PLAN_MISMATCH', () => begin('x', input), of('x'));
    expect(journal.status('x', 's')).toBe(null);
    const started = await begin('a', { planDigest, n: 1 });
    expect(started).toMatchObject({
      ...{ state: 'queued', input: { n: 1, planDigest } },
      inputDigest: digestIn('s', { n: 1, planDigest }),
    });
  });

  it('may come more than once, and a start without a plan at any time', async () => {
    const { begin, planDigest } = await planned();
    for (const id of ['a', 'b'])
      expect((await begin(id, { n: 1, planDigest })).state).toBe('queued');
    expect((await begin('plain', { n: 1 })).state).toBe('queued');
  });

  it('starts what was reviewed: the input that the plan chose', async () => {
    const { begin, call } = await planned();
    const chosen = (await call({ op: 'plan', input: { n: 1, choose: true } })) as {
      planDigest: string;
      input: object;
    };
    const asked = { n: 1, choose: true, planDigest: chosen.planDigest };
    await rejection('ERR_PLAN_MISMATCH', () => begin('a', asked), of('a'));
    expect((await begin('a', chosen.input)).state).toBe('queued');
  });

  it('must come before the plan ends, by the clock of the journal', async () => {
    const { begin, clock, journal, planDigest } = await planned();
    clock.now = 1_999;
    expect((await begin('a', { n: 1, planDigest })).state).toBe('queued');
    clock.now = 2_000;
    await rejection('ERR_PLAN_EXPIRED', () => begin('b', { n: 1, planDigest }), of('b'));
    await rejection('ERR_PLAN_MISMATCH', () => begin('b', { n: 2, planDigest }), of('b'));
    expect(journal.status('b', 's')).toBe(null);
  });

  it('is answered by the fence alone where that holds the id: a retry never fails for its plan', async () => {
    const { begin, clock, call, planDigest } = await planned();
    await begin('a', { n: 1, planDigest });
    clock.now = 3_000;
    expect((await begin('a', { n: 1, planDigest })).operationId).toBe('a');
    await rejection('ERR_OPERATION_CONFLICT', () => begin('a', { n: 1 }), of('a'));
    const again = (await call({ op: 'plan', input: { n: 1 } })) as { planDigest: string };
    expect(again.planDigest).toBe(planDigest);
  });

  it('is known to the service that issued the plan, and to no other', async () => {
    const one = await planned();
    const two = await makeService({ journal: one.journal, scope: 't' });
    const input = { n: 1, planDigest: one.planDigest };
    await rejection('ERR_PLAN_MISMATCH', () => two.begin('a', input));
  });
});

describe('a service', () => {
  it('holds the thousand plans that it issued last, also once they have ended', async () => {
    const { begin, call } = await makeService();
    const digests: string[] = [];
    for (let n = 0; n <= 1_000; n += 1)
      digests.push(
        ((await call({ op: 'plan', input: { n } })) as { planDigest: string }).planDigest,
      );
    const start = (n: number) => begin(`${n}`, { n, planDigest: digests[n] });
    await rejection('ERR_PLAN_MISMATCH', () => start(0));
    for (const n of [1, 1_000]) expect((await start(n)).state).toBe('queued');
  });

  it('counts a plan that is issued again as issued last', async () => {
    const { begin, call } = await makeService();
    const issue = async (n: number) =>
      ((await call({ op: 'plan', input: { n } })) as { planDigest: string }).planDigest;
    const first = await issue(0);
    for (let n = 1; n < 1_000; n += 1) await issue(n);
    expect(await issue(0)).toBe(first);
    await issue(1_000);
    expect((await begin('a', { n: 0, planDigest: first })).state).toBe('queued');
  });
});
