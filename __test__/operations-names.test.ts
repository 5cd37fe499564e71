// What names an operation, and what scopes share.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputDigest, journalKey } from '../index.js';
import {
  DIGEST,
  ask,
  idsOf,
  inMemory,
  newPath,
  openJournal,
  openLogs,
  refusal,
  rejection,
  reopened,
  rowIn,
  walk,
} from './operations-kit.js';

const LONGEST = '😀'.repeat(128);
const BAD = [
  '',
  `${LONGEST}x`,
  'x'.repeat(129),
  'a\0b',
  'a\nb',
  '\u001f',
  '\u007f',
  '\u0080',
  '\u009f',
  '\ud800',
  'x\udc00y',
  '\ude00\ud83d',
];

describe('an operation id and a scope', () => {
  it('have up to 128 Unicode scalar values, whatever those are', () => {
    const journal = inMemory();
    for (const name of [
      'x',
      LONGEST,
      'é'.repeat(128),
      ' ',
      'a/b',
      '..',
      'CON',
      '\u2028',
      '\ufeff',
    ]) {
      expect(journal.reserveSync(name, DIGEST, {}).status.operationId).toBe(name);
      expect(journal.reserveSync('same', DIGEST, {}, name).outcome).toBe('created');
      expect(journal.status(name)?.operationId).toBe(name);
    }
    expect(journal.reserveSync('digest', 'δ', {}).status.inputDigest).toBe('δ');
  });

  it('are compared exactly: neither normalised nor folded', () => {
    const journal = inMemory();
    const names = ['é', 'e\u0301', 'É', 'a', 'A', 'ａ', 'ß', 'ss', 'a ', ' a', '\ufeffa'];
    for (const id of names) expect(journal.reserveSync(id, DIGEST, {}).outcome).toBe('created');
    for (const scope of names)
      expect(journal.reserveSync('a', DIGEST, {}, scope).outcome).toBe('created');
    expect(journal.stats().fence.used).toBe(names.length * 2);
  });

  it('a scope may be empty, and is when it is left out', () => {
    const journal = inMemory();
    journal.reserveSync('a', DIGEST, {});
    expect(journal.reserveSync('a', DIGEST, {}, '').outcome).toBe('existing');
    expect(journal.reserveSync('a', DIGEST, {}, undefined).outcome).toBe('existing');
  });

  it('are refused everywhere with control characters, lone surrogates or of a wrong length', async () => {
    const journal = inMemory();
    const logs = await openLogs();
    for (const id of BAD) {
      for (const call of [
        () => journal.reserveSync(id, DIGEST, {}),
        () => journal.reserveSync('ok', id, {}),
        () => journal.updateSync(id, {}),
        () => journal.requestCancelSync(id),
        () => journal.resolveSync(id, { state: 'failed' }),
        () => journal.status(id),
        () => journal.startedAt(id),
        () => journal.payload(id),
        () => journal.cancelRequested(id),
        () => journal.watch({ id }),
        () => journalKey('', id),
        () => logs.appendSync(id, 'line'),
        () => logs.retireSync(id),
        () => logs.read(id, 0),
        () => logs.follow(id),
      ])
        refusal('ERR_INVALID_ARG_VALUE', call);
      await rejection('ERR_INVALID_ARG_VALUE', () => journal.reserve(id, DIGEST, {}));
      await rejection('ERR_INVALID_ARG_VALUE', () => journal.update(id, {}));
      await rejection('ERR_INVALID_ARG_VALUE', () => logs.append(id, 'line'));
    }
    for (const scope of BAD.slice(1)) {
      for (const [handle, method, ...args] of [
        [journal, 'reserveSync', 'a', DIGEST, {}, scope],
        [journal, 'updateSync', 'a', {}, scope],
        [journal, 'requestCancelSync', 'a', scope],
        [journal, 'resolveSync', 'a', { state: 'failed' }, scope],
        [journal, 'forgetSync', { finishedBefore: 1, scope }],
        [journal, 'status', 'a', scope],
        [journal, 'startedAt', 'a', scope],
        [journal, 'payload', 'a', scope],
        [journal, 'cancelRequested', 'a', scope],
        [journal, 'page', scope],
        [journal, 'nextQueued', scope],
        [journal, 'interruptedAccepted', scope],
        [journal, 'watch', { scope }],
        [logs, 'appendSync', 'a', 'line', scope],
        [logs, 'retireSync', 'a', scope],
        [logs, 'read', 'a', 0, scope],
        [logs, 'follow', 'a', { scope }],
      ] as const)
        refusal('ERR_INVALID_ARG_VALUE', () => ask(handle, method, ...args));
      refusal('ERR_INVALID_ARG_VALUE', () => inputDigest(scope, {}));
      refusal('ERR_INVALID_ARG_VALUE', () => journalKey(scope, 'a'));
    }
    expect(journal.stats().fence.used).toBe(0);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', '-1', 'null'])(
    'may be %s, in memory and on disk',
    async (name) => {
      const at = newPath();
      let journal = await openJournal(at);
      journal.reserveSync(name, DIGEST, { [name]: 1 }, name);
      journal.reserveSync('other', DIGEST, {}, name);
      journal = await reopened(journal, at);
      expect(walk(journal, name)).toEqual(['other', name]);
      expect(Object.entries(journal.payload(name, name) ?? {})).toEqual([[name, 1]]);
      expect(journal.stats().scopes.map(({ scope }) => scope)).toEqual([name]);
      expect(walk(journal)).toEqual([]);
    },
  );
});

describe('journalKey', () => {
  const awkward = [':', '/', '0', '1', '2', 'a', '\\', '"', ',', '%', '|', '-', '😀', 'é'];
  const parts = [...awkward, 'ab', '1:', ':1', '%2F', '","', 'e\u0301', 'x'.repeat(127), LONGEST];

  it('is the same for the same pair, and another for every other one', () => {
    const seen = new Map<string, string>();
    for (const scope of ['', ...parts])
      for (const id of parts) {
        const key = journalKey(scope, id);
        expect(journalKey(scope, id)).toBe(key);
        expect(seen.get(key), `${JSON.stringify([scope, id])} meets`).toBe(undefined);
        seen.set(key, JSON.stringify([scope, id]));
      }
  });

  it('tells any two pairs of the same characters apart', () => {
    const word = (minLength: number) =>
      fc.string({ unit: fc.constantFrom(...awkward), minLength, maxLength: 6 });
    fc.assert(
      fc.property(word(0), word(1), word(0), word(1), (scope, id, otherScope, otherId) => {
        const same = scope === otherScope && id === otherId;
        expect(journalKey(scope, id) === journalKey(otherScope, otherId)).toBe(same);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('scopes', () => {
  it('keep rows, queues, retention, intents and counts apart', () => {
    const journal = inMemory({ maxQueued: 2, retain: 1 });
    const scopes = ['', 'one', 'two'];
    for (const scope of scopes) {
      for (const id of ['a', 'b']) journal.reserveSync(id, DIGEST, { scope }, scope);
      refusal('ERR_QUEUE_FULL', () => journal.reserveSync('c', DIGEST, {}, scope), {
        operationId: 'c',
        scope,
      });
    }
    journal.requestCancelSync('a', 'one');
    journal.updateSync('a', { state: 'failed', error: 'of one' }, 'one');
    expect(scopes.map((scope) => journal.payload('b', scope)?.['scope'])).toEqual(scopes);
    expect(scopes.map((scope) => journal.status('a', scope)?.error)).toEqual([
      null,
      'of one',
      null,
    ]);
    expect(scopes.map((scope) => journal.nextQueued(scope))).toEqual(['a', 'b', 'a']);
    expect(scopes.map((scope) => journal.page(scope).active)).toEqual([2, 1, 2]);
    journal.requestCancelSync('b', 'two');
    expect(scopes.map((scope) => journal.cancelRequested('b', scope))).toEqual([
      false,
      false,
      true,
    ]);
    journal.updateSync('b', { state: 'failed' }, 'one');
    expect(scopes.map((scope) => idsOf(journal.page(scope)))).toEqual([
      ['b', 'a'],
      ['b'],
      ['b', 'a'],
    ]);
    expect(journal.drainRetiredSync()).toEqual([['one', 'a']]);
    expect(journal.reserveSync('c', DIGEST, {}, 'one').outcome).toBe('created');
  });

  it('that nothing was reserved in are empty, and know no id of the others', () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted');
    const nothing = { operations: [], nextOffset: null, active: 0, outstanding: 0 };
    expect(journal.page('never')).toEqual(nothing);
    expect(journal.status('a', 'never')).toBe(null);
    refusal('ERR_OPERATION_UNKNOWN', () => journal.updateSync('a', {}, 'never'), {
      operationId: 'a',
      scope: 'never',
    });
  });

  it('share the capacity of the fence, and an id that it holds is found though it is full', () => {
    const journal = inMemory({ maxReservations: 3 });
    for (const scope of ['one', 'two', 'three']) journal.reserveSync('a', DIGEST, {}, scope);
    const fields = { operationId: 'b', scope: 'one', limit: 3, actual: 3 };
    refusal('ERR_FENCE_FULL', () => journal.reserveSync('b', DIGEST, {}, 'one'), fields);
    expect(journal.status('b', 'one')).toBe(null);
    expect(journal.reserveSync('a', DIGEST, {}, 'one').outcome).toBe('existing');
    expect(journal.stats().fence).toEqual({ used: 3, free: 0 });
  });
});
