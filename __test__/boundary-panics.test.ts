// A panic inside any call: an error of that call, the end of that session, and of nothing else.
import { beforeAll, describe, expect, it } from 'vitest';
import { findingsOf } from './fixtures/boundary/child.js';

const SWITCH = { TENURE_TEST_PANIC: '1' };
// What panics prints where it did, which is no answer of ours.
const QUIET = { RUST_BACKTRACE: '0' };

interface Member {
  readonly first: string;
  readonly armed: boolean;
}

interface Findings {
  readonly outside: unknown;
  readonly members: Record<string, Member>;
  readonly ends: Record<string, { readonly ended: string; readonly armed: boolean }>;
  readonly waits: Record<string, boolean>;
  readonly mutations: unknown;
  readonly cached: unknown;
  readonly closing: unknown;
  readonly uncaught: string[];
}

let found: Findings;
beforeAll(async () => {
  found = await findingsOf<Findings>('panics', { env: { ...SWITCH, ...QUIET } });
});

/** Members that look at no session. */
const FREE = [
  ...['acquire', 'close', 'activeCount', 'waitingCount'].map((name) => `AdmissionLimiter.${name}`),
  ...['release', 'dispose'].map((name) => `AdmissionPermit.${name}`),
  ...['reserve', 'get', 'listActive', 'close'].map((name) => `ApplicationOperationService.${name}`),
  ...['release', 'dispose'].map((name) => `OperationLease.${name}`),
  ...['failure', 'disposal'].map((name) => `BackendGeneration.${name}`),
  ...['failure', 'outcome'].map((name) => `BackendInvalidation.${name}`),
  ...['run', 'generation', 'cancellation', 'interaction'].map((name) => `ExecutionClaim.${name}`),
  'ExecutionClaim.unbindInteraction',
  'InteractionRequest.value',
  'RuntimeCore.stats',
];

const CLOSING = ['RuntimeCore.close', 'RuntimeCore.dispose'];

describe('a panic under the lock of a session', () => {
  it('is met by every member that takes one', () => {
    const armed = Object.entries(found.members).filter(([, member]) => member.armed);
    expect(armed.map(([name]) => name).sort()).toEqual([...FREE].sort());
    expect(Object.keys(found.members).length).toBeGreaterThan(90);
  });

  it('is ERR_INTERNAL of that call and of the session ever after, and other sessions go on', () => {
    const met = Object.entries(found.members).filter(
      ([name]) => !FREE.includes(name) && !CLOSING.includes(name),
    );
    expect(Object.fromEntries(met)).toEqual(
      Object.fromEntries(
        met.map(([name]) => [
          name,
          {
            first: 'ERR_INTERNAL',
            armed: false,
            poisoned: [expect.any(String)],
            goesOn: 'ok',
            again: name === 'RuntimeCore.cachedSessions' ? expect.any(String) : 'ERR_INTERNAL',
            closed: 'ok',
          },
        ]),
      ),
    );
  });

  it('changes nothing for members that take none', () => {
    const free = Object.entries(found.members).filter(([name]) => FREE.includes(name));
    for (const [name, member] of free)
      expect(member, name).toMatchObject({ poisoned: [], goesOn: 'ok', closed: 'ok' });
    expect(free.filter(([, { first }]) => first === 'ERR_INTERNAL')).toEqual([]);
  });

  it.each(CLOSING)('does not keep a core from ending: %s', (name) => {
    expect(found.members[name]).toMatchObject({ first: 'ok', goesOn: 'ok', stats: 'ERR_CLOSED' });
  });

  it('does not keep a scope from ending with its last member', () => {
    expect(found.closing).toEqual({ first: 'ok', again: 'ok', id: 1 });
  });

  it('does not hide the other sessions from cachedSessions', () => {
    expect(found.cached).toContain('sound');
  });

  it('leaves no promise of a task that has ended waiting', () => {
    const ends = Object.entries(found.ends);
    expect(ends).toHaveLength(10);
    for (const [name, end] of ends)
      expect.soft(end, name).toMatchObject({
        ended: expect.stringMatching(/^(ok|ERR_INTERNAL)$/),
        // Where the end of a task looks at no session, there is nothing to break.
        refused: end.armed ? 'ok' : 'ERR_INTERNAL',
        goesOn: 'ok',
      });
    expect(ends.filter(([, { armed }]) => !armed).length).toBeGreaterThan(5);
  });

  it('leaves nobody waiting when the core is closed', () => {
    const names = Object.keys(found.waits);
    expect(found.waits).toEqual(Object.fromEntries(names.map((name) => [name, true])));
    expect(names).toHaveLength(6);
  });

  it('does not hold up the other sessions of a mutation', () => {
    const due = { ended: expect.any(String), entered: 'ok', next: 'ok', broken: 'ERR_INTERNAL' };
    expect(found.mutations).toEqual([due, due]);
  });

  it('is no uncaught exception: the process lives', () => {
    expect(found.uncaught).toEqual([]);
  });
});

describe('a panic outside any session', () => {
  it('is ERR_INTERNAL of that call', () => {
    expect(found.outside).toEqual([-1, 'ERR_INTERNAL']);
  });
});

describe('the switch', () => {
  it('exists only in a process that was started with it', async () => {
    const [shipped, switched] = await Promise.all([
      findingsOf<string[]>('exports', { env: { TENURE_TEST_PANIC: undefined } }),
      findingsOf<string[]>('exports', { env: SWITCH }),
    ]);
    expect(switched.filter((name) => !shipped.includes(name))).toEqual([
      'armDurable',
      'armPanic',
      'panicNow',
    ]);
    expect(shipped.filter((name) => !switched.includes(name))).toEqual([]);
  });
});
