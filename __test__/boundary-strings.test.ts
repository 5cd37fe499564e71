// Ids, routes, lanes, keys and texts are any JavaScript strings, and come back exactly as they were given.
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ApplicationOperationService,
  RuntimeCore,
  sessionOperationExclusivityKey,
  type SteeringTurn,
} from '../index.js';
import { freshScope, macrotask, makeCore, running } from './fixtures/boundary/kit.js';

const MEGA = 1 << 20;

/** Pairs that are easily taken for each other, and others that are easily lost. */
const STRINGS: [string, string][] = [
  ['a lone high surrogate', 'a\ud800'],
  ['another lone high surrogate', 'a\ud801'],
  ['a lone low surrogate', '\udc00a'],
  ['surrogates in the wrong order', '\udc00\ud800'],
  ['the replacement character', 'a\ufffd'],
  ['a pair', '\ud83d\ude00'],
  ['a NUL', '\0'],
  ['a NUL inside', 'a\0b'],
  ['what stands before a NUL', 'a'],
  ['a name of Object.prototype', '__proto__'],
  ['its constructor', 'constructor'],
  ['a method of it', 'toString'],
  ['an integer', '0'],
  ['an integer with a sign', '-1'],
  ['the length of an index', '4294967295'],
  ['a float', '1.5'],
  ['composed', '\u00e9'],
  ['decomposed', 'e\u0301'],
  ['upper case', 'A'],
  ['a blank', ' '],
  ['a byte order mark', '\ufeffa'],
  ['line ends', '\r\n\u2028'],
  ['62 units', 'x'.repeat(62)],
  ['63 units', 'x'.repeat(63)],
  ['64 units', 'x'.repeat(64)],
  ['65 units', 'x'.repeat(65)],
  ['a megabyte', 'y'.repeat(MEGA)],
  ['a megabyte with another end', `${'y'.repeat(MEGA - 1)}z`],
  ['a megabyte of lone surrogates', '\ud800'.repeat(MEGA / 2)],
];
const ALL = STRINGS.map(([, string]) => string);

const nothing = () => {};

/** By itself, and as a member of a scope, where words cross as words. */
const KINDS: [string, () => { scope?: string }][] = [
  ['a core of its own', () => ({})],
  ['a member of a scope', () => ({ scope: freshScope() })],
];

/** Shows a difference without printing a megabyte. */
const same = (given: unknown, expected: string) =>
  given === expected || `${String(given).length} units for ${expected.length}`;

describe.each(KINDS)('%s', (_, options) => {
  let drawn = 0;
  const fresh = (newId = () => `id-${(drawn += 1)}`) => {
    const core = new RuntimeCore({ newId, now: () => 1, ...options() });
    onTestFinished(() => core.close());
    return core;
  };

  it('keeps sessions, runs and turns apart, and gives their ids back', () => {
    const core = fresh();
    for (const id of ALL) {
      const claim = core.claimExecution(id);
      expect(claim.isExclusive()).toBe(true);
      claim.attach({ sessionId: id, runId: id, turnId: id }, nothing);
      claim.reserve(core.createGeneration(claim, undefined, {}, {}));
      expect(same(claim.sessionId, id)).toBe(true);
    }
    expect(core.stats().sessions).toBe(ALL.length);
    expect(core.cachedSessions().map((id, index) => same(id, ALL[index] as string))).toEqual(
      ALL.map(() => true),
    );
    for (const id of ALL) {
      expect(core.activeTurnIds(id).map((turn) => same(turn, id))).toEqual([true]);
      expect(same(core.runForTurn(id, undefined, id)?.sessionId, id)).toBe(true);
      expect(same(core.activeRun(id, undefined, id)?.runId, id)).toBe(true);
      expect(core.hasActiveRun(id, id, id)).toBe(true);
      expect(core.hasActiveRun(id, `${id}x`)).toBe(false);
    }
  });

  it('keeps runs of one generation apart', () => {
    const core = fresh();
    const first = core.claimExecution('s');
    const generation = core.createGeneration(first, undefined, {}, {});
    first.release();
    const claims = ALL.map((id) => {
      const claim = core.claimExecution('s');
      claim.attach({ sessionId: 's', runId: id, turnId: id }, nothing);
      claim.reserve(generation);
      return claim;
    });
    expect(core.activeTurnIds('s').map((id, index) => same(id, ALL[index] as string))).toEqual(
      ALL.map(() => true),
    );
    ALL.forEach((id, index) => expect(core.activeRun('s', undefined, id)).toBe(claims[index]?.run));
  });

  it('keeps routes apart, and none of them is the session’s own backend', () => {
    const core = fresh();
    const claim = core.claimExecution('s');
    const routes = ['', ...ALL, 'undefined', 'null'];
    const made = routes.map((route) => core.createGeneration(claim, route, {}, {}));
    expect(core.currentGeneration('s')).toBeUndefined();
    routes.forEach((route, index) => {
      expect(core.currentGeneration('s', route)).toBe(made[index]);
      expect(same(made[index]?.route, route)).toBe(true);
    });
  });

  it('keeps lanes apart, and the order within each', async () => {
    const core = fresh();
    const order: string[] = [];
    const lanes = ['', ...ALL];
    const tasks = lanes.flatMap((lane) => [
      core.serialize('s', lane, async () => {
        await macrotask();
        order.push(lane);
      }),
      core.serialize('s', lane, async () => {
        expect(order.filter((each) => each === lane)).toHaveLength(1);
        order.push(lane);
      }),
    ]);
    await Promise.all(tasks);
    expect(order).toHaveLength(2 * lanes.length);
  });

  it('keeps requests apart, and gives their ids back', () => {
    const core = fresh();
    const claim = core.claimExecution('s');
    claim.attach({ sessionId: 's', runId: 'r', turnId: '\udc00' }, nothing);
    claim.reserve(core.createGeneration(claim, undefined, {}, {}));
    const made = ALL.map((id) => claim.openRequest(id, { id }));
    ALL.forEach((id, index) => expect(core.request('s', id)).toBe(made[index]));
    expect(
      core.requests('s').map(({ requestId }, index) => same(requestId, ALL[index] as string)),
    ).toEqual(ALL.map(() => true));
    expect(made.every(({ turnId }) => turnId === '\udc00')).toBe(true);
  });

  it('gives texts back, by whatever way', () => {
    const core = fresh();
    const texts = ['', ...ALL];
    let seen: readonly string[] = [];
    const open = (turnId: string): SteeringTurn =>
      core.openSteeringTurn(
        's',
        turnId,
        ({ steering, followup }) => (seen = [...steering, ...followup]),
      );
    const whole = (given: readonly string[]) =>
      given.map((text, index) => same(text, texts[index] as string));
    const right = texts.map(() => true);
    for (const turnId of ['__proto__', '\ud800', 't']) {
      const turn = open(turnId);
      for (const text of texts) core.steer('s', text);
      expect(whole(seen)).toEqual(right);
      const pulled = turn.pull();
      expect(whole(pulled.map(({ content }) => content.text))).toEqual(right);
      turn.nack(pulled.map(({ id }) => id));
      expect(whole(core.retractQueue('s'))).toEqual(right);
      for (const text of texts) core.queueMessage('s', text);
      expect(whole(core.drainFollowup('s'))).toEqual(right);
      turn.release();
    }
    expect(core.stats().sessions).toBe(0);
  });

  it('keeps the ids of messages, as newId gives them', () => {
    const ids = ALL.values();
    const core = fresh(() => ids.next().value as string);
    const turn = core.openSteeringTurn('s', 't', nothing);
    for (const text of ALL) core.steer('s', text);
    const pulled = turn.pull();
    expect(pulled.map(({ id }, index) => same(id, ALL[index] as string))).toEqual(
      ALL.map(() => true),
    );
    turn.ack(ALL.filter((_, index) => index % 2 === 0));
    turn.nack(ALL);
    const odd = ALL.filter((_, index) => index % 2 === 1);
    const again = turn.pull();
    expect(again.map(({ messageId }, index) => same(messageId, odd[index] as string))).toEqual(
      odd.map(() => true),
    );
  });
});

describe('admission', () => {
  it('keeps operations, owners, sessions and keys apart, and gives them back', () => {
    const service = new ApplicationOperationService();
    const leases = ALL.map((id) =>
      service.reserve({ operationId: id, ownerId: id, sessionId: id, exclusivityKeys: [id] }),
    );
    const listed = service.listActive();
    ALL.forEach((id, index) => {
      expect(same(listed[index]?.operationId, id)).toBe(true);
      expect(same(service.get(id)?.ownerId, id)).toBe(true);
      expect(service.listActive({ sessionId: id, ownerId: id })).toEqual([
        leases[index]?.registration,
      ]);
      const again = { operationId: 'another', ownerId: '', exclusivityKeys: ['free', id] };
      expect(() => service.reserve(again)).toThrow(
        expect.objectContaining({ code: 'ERR_OPERATION_BUSY', key: id }),
      );
    });
  });

  it('prefixes a session’s key with no more than it says', () => {
    for (const id of ALL)
      expect(same(sessionOperationExclusivityKey(id), `session:${id}`)).toBe(true);
  });
});

it('a stop’s input and a turn’s error cross between members with their strings', async () => {
  const scope = freshScope();
  const texts = ALL.filter((text) => text.length < 100);
  const [one, two] = [makeCore({ scope }), makeCore({ scope })];
  onTestFinished(() => [one, two].forEach((core) => core.close()));
  const inputs: unknown[] = [];
  const claim = two.claimExecution('s');
  claim.attach({ sessionId: 's', runId: 'r', turnId: 't' }, (stop) => inputs.push(stop.input));
  claim.reserve(two.createGeneration(claim, undefined, {}, {}));
  let errors: unknown[] = [];
  const attempted = one.stopSession('s', { texts }, async (stop) => {
    const drained = stop.drained();
    for (let count = 0; count < 5; count += 1) await macrotask();
    claim.settle({ ok: false, error: new Error(texts.join('|')) });
    errors = await drained;
  });
  await attempted;
  expect(inputs).toEqual([{ texts }]);
  expect((errors[0] as Error).message).toBe(texts.join('|'));
});

it('names of scopes are told apart', () => {
  const base = freshScope();
  const scoped = ALL.map((name) => makeCore({ scope: base + name }));
  onTestFinished(() => scoped.forEach((core) => core.close()));
  scoped.forEach((core, index) => {
    expect(core.stats().sessions).toBe(0);
    running(core, 's', `${index}`);
  });
  const again = makeCore({ scope: base + (ALL[0] as string) });
  onTestFinished(() => again.close());
  expect(again.activeTurnIds('s')).toEqual(['turn-0']);
});
