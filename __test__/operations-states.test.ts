// The states of an operation: every move, and what an observation may change.
import { describe, expect, it } from 'vitest';
import type { OperationPatch, OperationState, Submission } from '../index.js';
import {
  DIGEST,
  ENDED,
  STATES,
  handClock,
  inMemory,
  isEnded,
  kindOf,
  refusal,
  rejection,
  rowIn,
} from './operations-kit.js';

const SUBMISSIONS: Submission[] = ['pending', 'uncertain', 'accepted', 'refused'];
const own = { operationId: 'a', scope: '' };

/** Where a patch with nothing but a state may lead, by the state and the submission of the row. */
const MOVES: Record<string, OperationState[]> = {
  'queued/pending': ['running', 'failed', 'cancelled', 'interrupted'],
  'queued/uncertain': ['running', 'failed', 'cancelled', 'interrupted'],
  'queued/accepted': ['queued', 'running', ...ENDED, 'interrupted'],
  'running/pending': ['running', ...ENDED, 'interrupted'],
  'running/uncertain': ['running', ...ENDED, 'interrupted'],
  'running/accepted': ['queued', 'running', ...ENDED, 'interrupted'],
  'interrupted/pending': ['running', ...ENDED],
  'interrupted/uncertain': ['running', ...ENDED],
  'interrupted/accepted': ['queued', 'running', ...ENDED],
};
const TERMINAL = [
  'succeeded/pending',
  'succeeded/uncertain',
  'succeeded/accepted',
  'failed/pending',
  'failed/uncertain',
  'failed/accepted',
  'failed/refused',
  'cancelled/pending',
  'cancelled/uncertain',
  'cancelled/accepted',
];

describe('a new operation', () => {
  it('waits, was not sent, and has exactly the fields that are declared', () => {
    const journal = inMemory({}, () => 1_234);
    const due = {
      operationId: 'a',
      state: 'queued',
      submission: 'pending',
      progress: null,
      stage: null,
      queuePosition: 0,
      submittedAt: 1_234,
      updatedAt: 1_234,
      finishedAt: null,
      stale: false,
      inputDigest: DIGEST,
      backendReference: null,
      input: { x: 1 },
      result: null,
      error: null,
    };
    expect(journal.reserveSync('a', DIGEST, { x: 1 })).toEqual({ outcome: 'created', status: due });
    expect(journal.status('a')).toEqual(due);
    expect([journal.startedAt('a'), journal.cancelRequested('a')]).toEqual([null, false]);
  });

  it('that was never reserved is null to whoever looks', () => {
    const journal = inMemory();
    expect([journal.status('a'), journal.startedAt('a'), journal.payload('a')]).toEqual([
      null,
      null,
      null,
    ]);
    expect(journal.cancelRequested('a')).toBe(false);
  });
});

describe.each(Object.keys(MOVES))('a row that is %s', (from) => {
  it.each(STATES)('moves to %s if the table says so, and otherwise stays as it is', async (to) => {
    const journal = inMemory();
    const before = rowIn(journal, 'a', from);
    expect(kindOf(before)).toBe(from);
    if (!MOVES[from]!.includes(to)) {
      const patch = { state: to, progress: 0.5 };
      refusal('ERR_OPERATION_TRANSITION', () => journal.updateSync('a', patch), own);
      await rejection('ERR_OPERATION_TRANSITION', () => journal.update('a', patch), own);
      expect(journal.status('a')).toEqual(before);
      return;
    }
    const after = journal.updateSync('a', { state: to });
    expect(kindOf(after)).toBe(`${to}/${before.submission}`);
    expect(after.backendReference).toBe(before.backendReference);
    expect(after.finishedAt).toBe(isEnded(to) ? after.updatedAt : null);
    expect(after.queuePosition).toBe(null);
    expect(journal.status('a')).toEqual(after);
  });

  it('takes an observation that names no state', () => {
    const journal = inMemory();
    rowIn(journal, 'a', from);
    expect(journal.updateSync('a', { stage: 'seen' })).toMatchObject({
      stage: 'seen',
      state: from.split('/')[0],
    });
  });
});

describe('a row that has ended', () => {
  it.each(TERMINAL)(
    'as %s refuses whatever comes, even nothing, and stays as it is',
    async (kind) => {
      const journal = inMemory();
      const before = rowIn(journal, 'a', kind);
      expect(kindOf(before)).toBe(kind);
      const patches: OperationPatch[] = [
        ...[{}, { progress: 1 }, { state: before.state }, { state: 'running' } as const],
        ...[{ state: 'failed', error: 'late' } as const, { result: { late: true } }],
        { submission: 'accepted', backendReference: 'late' },
      ];
      for (const patch of patches) {
        refusal('ERR_OPERATION_TERMINAL', () => journal.updateSync('a', patch), own);
        await rejection('ERR_OPERATION_TERMINAL', () => journal.update('a', patch), own);
      }
      refusal('ERR_OPERATION_TERMINAL', () => journal.resolveSync('a', { state: 'failed' }), own);
      expect(journal.requestCancelSync('a')).toEqual({ outcome: 'terminal', status: before });
      expect(journal.status('a')).toEqual(before);
    },
  );
});

describe('the submission', () => {
  const MAY: Record<string, Submission[]> = {
    pending: ['pending', 'uncertain', 'accepted', 'refused'],
    uncertain: ['uncertain', 'accepted', 'refused'],
    accepted: ['accepted'],
  };
  const cases = Object.keys(MAY).flatMap((from) => SUBMISSIONS.map((to) => [from, to] as const));

  it.each(cases)('goes from %s to %s only as the contract has it', (from, to) => {
    const journal = inMemory();
    const before = rowIn(journal, 'a', `running/${from}`);
    const patch: OperationPatch = {
      submission: to,
      ...(to === 'accepted' ? { backendReference: 'ref-a' } : {}),
      ...(to === 'refused' ? { state: 'failed' } : {}),
    };
    if (MAY[from]!.includes(to)) expect(journal.updateSync('a', patch).submission).toBe(to);
    else {
      refusal('ERR_OPERATION_TRANSITION', () => journal.updateSync('a', patch), own);
      expect(journal.status('a')).toEqual(before);
    }
  });

  it('is accepted together with a reference or not at all, and a reference is recorded once', () => {
    const journal = inMemory();
    const before = rowIn(journal, 'a', 'running/uncertain');
    for (const patch of [{ submission: 'accepted' } as const, { backendReference: 'r' }])
      refusal('ERR_OPERATION_TRANSITION', () => journal.updateSync('a', patch), own);
    expect(journal.status('a')).toEqual(before);
    const accepted = { submission: 'accepted', backendReference: 'r' } as const;
    expect(journal.updateSync('a', accepted).backendReference).toBe('r');
    const other = { backendReference: 'other' };
    refusal('ERR_OPERATION_TRANSITION', () => journal.updateSync('a', other), own);
    expect(journal.updateSync('a', { ...accepted, progress: 1 })).toMatchObject({
      backendReference: 'r',
      progress: 1,
    });
  });

  it('is refused only together with failed', () => {
    const journal = inMemory();
    const before = rowIn(journal, 'a', 'running/uncertain');
    for (const more of [{}, { state: 'running' }, { state: 'cancelled' }] as OperationPatch[])
      refusal('ERR_OPERATION_TRANSITION', () =>
        journal.updateSync('a', { ...more, submission: 'refused' }),
      );
    expect(journal.status('a')).toEqual(before);
    const refused = { submission: 'refused', state: 'failed', error: 'no' } as const;
    expect(journal.updateSync('a', refused)).toMatchObject(refused);
  });

  it('decides on the move as it will be after the patch', () => {
    const journal = inMemory();
    const accepted = { submission: 'accepted', backendReference: 'r' } as const;
    for (const from of ['running/uncertain', 'interrupted/uncertain', 'queued/pending']) {
      rowIn(journal, from, from);
      const after = journal.updateSync(from, { state: 'queued', ...accepted });
      // It waits in the queue of the backend, and not in ours.
      expect(after).toMatchObject({ state: 'queued', queuePosition: null });
    }
    expect(journal.nextQueued()).toBe(null);
    rowIn(journal, 'b', 'queued/pending');
    refusal('ERR_OPERATION_TRANSITION', () => journal.updateSync('b', { state: 'succeeded' }));
    expect(journal.updateSync('b', { state: 'succeeded', ...accepted }).state).toBe('succeeded');
  });
});

describe('a stale report of an earlier attempt', () => {
  it('changes nothing once a later one has ended the operation', () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted');
    journal.updateSync('a', { state: 'interrupted' });
    journal.updateSync('a', { state: 'running' });
    const ended = journal.updateSync('a', { state: 'succeeded', result: { of: 'the second' } });
    const late: OperationPatch[] = [
      { state: 'failed', error: 'of the first' },
      { state: 'cancelled' },
      { progress: 0.1 },
    ];
    for (const patch of late)
      refusal('ERR_OPERATION_TERMINAL', () => journal.updateSync('a', patch), own);
    expect(journal.status('a')).toEqual(ended);
  });
});

describe('times', () => {
  it('of the last observation never go back, even when the clock does', () => {
    const clock = handClock(1_000_000);
    const journal = inMemory({}, clock.read);
    journal.reserveSync('a', DIGEST, {});
    clock.now = 2_000_000;
    expect(journal.updateSync('a', { state: 'running' }).updatedAt).toBe(2_000_000);
    clock.now = 500_000;
    expect(journal.updateSync('a', { progress: 0.5 }).updatedAt).toBe(2_000_000);
    expect(journal.updateSync('a', { state: 'succeeded' })).toMatchObject({
      submittedAt: 1_000_000,
      updatedAt: 2_000_000,
      finishedAt: 2_000_000,
    });
    journal.reserveSync('b', DIGEST, {});
    clock.now = 100;
    expect(journal.updateSync('b', { state: 'running' }).updatedAt).toBe(500_000);
    expect(journal.startedAt('b')).toBe(500_000);
    clock.now = 700_000;
    expect(journal.updateSync('b', { state: 'failed' }).finishedAt).toBe(700_000);
  });

  it('of the start are those of the first move to running, for good', () => {
    const clock = handClock(0);
    const journal = inMemory({}, () => (clock.now += 1));
    rowIn(journal, 'a', 'running/accepted');
    expect(journal.startedAt('a')).toBe(2);
    for (const state of ['running', 'queued', 'running', 'interrupted', 'running', 'succeeded'])
      journal.updateSync('a', { state: state as OperationState });
    expect(journal.startedAt('a')).toBe(2);
    rowIn(journal, 'b', 'interrupted/accepted');
    expect(journal.startedAt('b')).toBe(null);
    journal.updateSync('b', { state: 'failed' });
    expect(journal.startedAt('b')).toBe(null);
  });
});
