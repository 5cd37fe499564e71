// Texts for a running turn: who owns the queue, who has leased what, and who is told.
import { describe, expect, test } from 'vitest';
import { RuntimeCore } from '../index.js';
import type { QueueSnapshot, SteeringMessage, SteeringTurn } from '../index.js';
import { NOTHING, OK, drawingCore, newCore, refusal } from './contract-kit.ts';

const texts = (messages: readonly SteeringMessage[]): string[] =>
  messages.map((each) => each.content.text);
const ids = (messages: readonly SteeringMessage[]): string[] => messages.map((each) => each.id);

interface Followed {
  readonly turn: SteeringTurn;
  readonly seen: QueueSnapshot[];
}

function follow(core: RuntimeCore, turnId: string): Followed {
  const seen: QueueSnapshot[] = [];
  const turn = core.openSteeringTurn('chat', turnId, (snapshot) => seen.push(snapshot));
  return { turn, seen };
}

describe('a queue without an owner', () => {
  test('takes no text, and draws no id for it', () => {
    const { core, drawn } = drawingCore();
    expect(core.steer('chat', 'lost')).toBe(false);
    expect(core.queueMessage('chat', 'lost')).toBe(false);
    expect(drawn).toEqual([]);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('still gives its followups', () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.queueMessage('chat', 'for later');
    turn.release();
    const told = seen.length;
    expect(core.stats().sessions).toBe(1);
    expect(core.drainFollowup('chat')).toEqual(['for later']);
    expect(core.drainFollowup('chat')).toEqual([]);
    expect(seen.length).toBe(told);
    expect(core.stats()).toEqual(NOTHING);
  });
});

describe('the owning turn', () => {
  test('is told of each change inside the call that makes it, and not of its opening', () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    expect(turn.turnId).toBe('t1');
    expect(turn.sessionId).toBe('chat');
    expect(seen).toEqual([]);
    expect(core.steer('chat', 'a')).toBe(true);
    expect(core.queueMessage('chat', 'z')).toBe(true);
    expect(seen).toEqual([
      { turnId: 't1', steering: ['a'], followup: [] },
      { turnId: 't1', steering: ['a'], followup: ['z'] },
    ]);
    expect(core.drainFollowup('chat')).toEqual(['z']);
    expect(seen.at(-1)).toEqual({ turnId: 't1', steering: ['a'], followup: [] });
  });

  test('is not told of what changes nothing', () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.drainFollowup('chat');
    core.retractQueue('chat');
    turn.pull();
    turn.ack(['unknown']);
    turn.nack(['unknown']);
    turn.release();
    turn.release();
    expect(seen).toEqual([]);
  });

  test('leases all that is queued, oldest first, once', () => {
    const { core, drawn } = drawingCore('m');
    const { turn, seen } = follow(core, 't1');
    core.steer('chat', 'first');
    core.steer('chat', 'second');
    const told = seen.length;
    expect(turn.pull()).toEqual([
      { id: 'm-1', messageId: 'm-1', content: { text: 'first' } },
      { id: 'm-2', messageId: 'm-2', content: { text: 'second' } },
    ]);
    expect(turn.pull()).toEqual([]);
    expect(seen.length).toBe(told);
    expect(drawn).toEqual(['m-1', 'm-2']);
  });

  test('sees leased texts until they are settled, before the queued ones', () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.steer('chat', 'leased');
    const [lease] = turn.pull();
    core.steer('chat', 'queued');
    expect(seen.at(-1)!.steering).toEqual(['leased', 'queued']);
    turn.ack([lease!.id, lease!.id]);
    expect(seen.at(-1)!.steering).toEqual(['queued']);
  });

  test('settles each lease once: what came back is leased no more, what was delivered is gone', () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.steer('chat', 'back');
    core.steer('chat', 'delivered');
    const [back, delivered] = ids(turn.pull());
    turn.nack([back!]);
    turn.ack([delivered!]);
    const told = seen.length;
    turn.ack([back!]);
    turn.nack([delivered!]);
    expect(seen.length).toBe(told);
    core.queueMessage('chat', 'later');
    expect(seen.at(-1)).toEqual({ turnId: 't1', steering: ['back'], followup: ['later'] });
    expect(ids(turn.pull())).toEqual([back]);
    turn.release();
    expect(core.drainFollowup('chat')).toEqual(['back', 'later']);
  });

  test('gets what it could not deliver back, in front and in its old order', () => {
    const core = newCore();
    const { turn } = follow(core, 't1');
    for (const text of ['one', 'two', 'three']) core.steer('chat', text);
    const [one, , three] = turn.pull();
    core.steer('chat', 'four');
    turn.nack([three!.id, one!.id]);
    expect(texts(turn.pull())).toEqual(['one', 'three', 'four']);
  });

  test('gives what is left to the next turn, leases first, and the queue up', () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.queueMessage('chat', 'typed for later');
    core.steer('chat', 'pulled');
    turn.pull();
    core.steer('chat', 'too late');
    turn.release();
    const after = ['pulled', 'too late', 'typed for later'];
    expect(seen.at(-1)).toEqual({ turnId: 't1', steering: [], followup: after });
    expect(core.steer('chat', 'nobody')).toBe(false);
    expect(core.drainFollowup('chat')).toEqual(after);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('may call the core while it is told', () => {
    const core = newCore();
    let depth = 0;
    const turn = core.openSteeringTurn('chat', 't1', ({ steering }) => {
      if (steering.length < 3) core.steer('chat', `from depth ${(depth += 1)}`);
    });
    core.steer('chat', 'from outside');
    expect(texts(turn.pull())).toEqual(['from outside', 'from depth 1', 'from depth 2']);
  });
});

describe('a turn that lost the queue to another', () => {
  test('pulls nothing and is told nothing, yet settles its own leases', () => {
    const core = newCore();
    const first = follow(core, 't1');
    for (const text of ['a', 'b', 'c']) core.steer('chat', text);
    const [a, b] = first.turn.pull();
    const second = follow(core, 't2');
    core.steer('chat', 'd');
    const told = first.seen.length;
    expect(first.turn.pull()).toEqual([]);
    first.turn.ack([a!.id]);
    expect(second.seen.at(-1)).toEqual({ turnId: 't2', steering: ['b', 'c', 'd'], followup: [] });
    first.turn.nack([b!.id]);
    expect(second.seen.at(-1)).toEqual({ turnId: 't2', steering: ['c', 'd'], followup: ['b'] });
    first.turn.release();
    expect(second.seen.at(-1)).toEqual({ turnId: 't2', steering: ['d'], followup: ['c', 'b'] });
    expect(first.seen.length).toBe(told);
    expect(core.steer('chat', 'e')).toBe(true);
  });

  test('cannot have its leases settled by the other', () => {
    const core = newCore();
    const first = follow(core, 't1');
    core.steer('chat', 'mine');
    const leased = ids(first.turn.pull());
    const second = follow(core, 't2');
    second.turn.ack(leased);
    second.turn.nack(leased);
    second.turn.release();
    expect(second.seen).toEqual([]);
    first.turn.nack(leased);
    expect(core.drainFollowup('chat')).toEqual(['mine']);
  });
});

describe('what is taken back or dropped', () => {
  test('is queued steering, then followups; leases are committed', () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.steer('chat', 'leased');
    turn.pull();
    core.queueMessage('chat', 'later');
    core.steer('chat', 'now');
    expect(core.retractQueue('chat')).toEqual(['now', 'later']);
    expect(seen.at(-1)).toEqual({ turnId: 't1', steering: ['leased'], followup: [] });
    expect(core.retractQueue('chat')).toEqual([]);
  });

  test('by a stop is told once, and not at all when there was nothing', async () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.steer('chat', 'leased');
    const leased = turn.pull();
    core.steer('chat', 'queued');
    core.queueMessage('chat', 'later');
    const told = seen.length;
    await core.stopSession('chat', {}, async () => {});
    await core.stopSession('chat', {}, async () => {});
    expect(seen.slice(told)).toEqual([{ turnId: 't1', steering: ['leased'], followup: [] }]);
    turn.nack(ids(leased));
    expect(texts(turn.pull())).toEqual(['leased']);
  });

  test('by a disposal is the whole queue with its owner', async () => {
    const core = newCore();
    const { turn, seen } = follow(core, 't1');
    core.steer('chat', 'leased');
    const leased = turn.pull();
    const told = seen.length;
    const disposed = core.invalidate('chat').dispose(async () => OK);
    expect(core.steer('chat', 'nobody')).toBe(false);
    turn.nack(ids(leased));
    turn.release();
    expect(core.drainFollowup('chat')).toEqual([]);
    expect(seen.length).toBe(told);
    await disposed;
    expect(core.stats()).toEqual(NOTHING);
  });
});

test('texts come back exactly, whatever UTF-16 they are', () => {
  const core = newCore();
  const { turn, seen } = follow(core, 't1');
  const odd = ['', '\ud83d', '\udc00\ud800', 'nul \0 inside', 'e\u0301 is not \u00e9', '👩‍💻'];
  for (const text of odd) core.steer('chat', text);
  expect(seen.at(-1)!.steering).toEqual(odd);
  expect(texts(turn.pull())).toEqual(odd);
  for (const text of odd) core.queueMessage('chat', text);
  expect(core.drainFollowup('chat')).toEqual(odd);
});

test('an id that cannot be drawn leaves the queue as it was', () => {
  const now = (): number => 1;
  const newId = (): string => {
    throw new Error('no entropy');
  };
  const core = new RuntimeCore({ newId, now });
  const { turn, seen } = follow(core, 't1');
  expect(() => core.steer('chat', 'a')).toThrow('no entropy');
  expect([turn.pull(), seen]).toEqual([[], []]);
});

test('a text is a string', () => {
  const core = newCore();
  const { seen } = follow(core, 't1');
  refusal('ERR_INVALID_ARG_TYPE', () => core.steer('chat', 7 as never));
  refusal('ERR_INVALID_ARG_TYPE', () => core.queueMessage('chat', undefined as never));
  refusal('ERR_INVALID_ARG_TYPE', () => core.openSteeringTurn('chat', 't', 'x' as never));
  expect(seen).toEqual([]);
});
