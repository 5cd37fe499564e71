// What becomes of messages, and of those who wait: in whatever order things happen.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueueSnapshot, RuntimeCore, SteeringTurn } from '../index.js';
import { freshScope, gate, macrotask, makeCore, run } from './fixtures/boundary/kit.js';

const nothing = () => {};

function fresh(options: { scope?: string } = {}): RuntimeCore {
  const core = makeCore(options);
  onTestFinished(() => core.close());
  return core;
}

/** The numbers from 0 below `limit`, always the same ones for a seed. */
function drawer(seed: number) {
  let state = seed;
  return (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

interface Sent {
  readonly text: string;
  readonly steered: boolean;
}

/** Plays turns of one session at random, and gives what was sent and what was delivered, in order. */
function play(core: RuntimeCore, seed: number) {
  const draw = drawer(seed);
  const sent: Sent[] = [];
  const delivered: string[] = [];
  let turn: SteeringTurn | undefined;
  let held: { id: string; text: string }[] = [];
  let turns = 0;
  const begin = () => {
    // A turn begins with what its predecessor could not take.
    delivered.push(...core.drainFollowup('s'));
    turn = core.openSteeringTurn('s', `turn ${(turns += 1)}`, nothing);
  };
  const settle = (how: 'ack' | 'nack') => {
    if (how === 'ack') delivered.push(...held.map(({ text }) => text));
    turn?.[how](held.map(({ id }) => id));
    held = [];
  };
  begin();
  for (let step = 0; step < 40; step += 1) {
    const steered = draw(2) === 0;
    switch (draw(6)) {
      case 0:
      case 1: {
        const text = `${steered ? 'steer' : 'followup'} ${sent.length}`;
        sent.push({ text, steered });
        expect(steered ? core.steer('s', text) : core.queueMessage('s', text)).toBe(true);
        break;
      }
      case 2:
        held.push(...(turn?.pull() ?? []).map(({ id, content }) => ({ id, text: content.text })));
        break;
      case 3:
        settle('ack');
        break;
      case 4:
        settle('nack');
        break;
      default:
        // The turn ends, whatever it holds.
        turn?.release();
        held = [];
        begin();
    }
  }
  turn?.release();
  delivered.push(...core.drainFollowup('s'));
  return { sent, delivered };
}

describe('a later message overtakes no earlier one', () => {
  it.each([
    ['in a core of its own', {}],
    ['in a scope', { scope: freshScope() }],
  ])('%s: in a thousand interleavings, each is delivered once', (_, options) => {
    const core = fresh(options);
    let overtaking = 0;
    for (let seed = 1; seed <= 1000; seed += 1) {
      const { sent, delivered } = play(core, seed);
      expect([...delivered].sort(), `seed ${seed}`).toEqual(sent.map(({ text }) => text).sort());
      const place = new Map(delivered.map((text, index) => [text, index]));
      const at = ({ text }: Sent) => place.get(text) as number;
      for (const [index, earlier] of sent.entries()) {
        for (const later of sent.slice(index + 1)) {
          if (at(later) > at(earlier)) continue;
          // What is steered is for the turn that runs; what is queued for the next one waits.
          expect([earlier.steered, later.steered], `seed ${seed}: ${later.text}`).toEqual([
            false,
            true,
          ]);
          overtaking += 1;
        }
      }
    }
    expect(overtaking).toBeGreaterThan(0);
    expect(core.stats().sessions).toBe(0);
  });

  it('what a turn held when it ended comes before what was sent meanwhile', () => {
    const core = fresh();
    const turn = core.openSteeringTurn('s', 'one', nothing);
    core.steer('s', 'A');
    turn.pull();
    core.steer('s', 'B');
    core.queueMessage('s', 'C');
    turn.release();
    expect(core.drainFollowup('s')).toEqual(['A', 'B', 'C']);
  });
});

describe('messages that were pulled, returned and retracted', () => {
  it('keep their places, come back once, and are told of at each change', () => {
    const core = fresh();
    const seen: QueueSnapshot[] = [];
    const turn = core.openSteeringTurn('s', 't', (snapshot) => seen.push(snapshot));
    for (const text of ['a', 'b', 'c']) core.steer('s', text);
    const pulled = turn.pull();
    core.steer('s', 'd');
    turn.nack([pulled[1]?.id as string, pulled[0]?.id as string]);
    expect(seen.at(-1)).toEqual({ turnId: 't', steering: ['c', 'a', 'b', 'd'], followup: [] });
    expect(core.retractQueue('s')).toEqual(['a', 'b', 'd']);
    expect(seen.at(-1)).toEqual({ turnId: 't', steering: ['c'], followup: [] });
    expect(turn.pull()).toEqual([]);
    turn.nack(pulled.map(({ id }) => id));
    expect(turn.pull().map(({ content }) => content.text)).toEqual(['c']);
    // Three steered, one more, returned, retracted, returned: a pull changes nothing that is shown.
    expect(seen).toHaveLength(7);
  });

  it('keep their ids, so that a message that comes again is known', () => {
    const core = fresh();
    const turn = core.openSteeringTurn('s', 't', nothing);
    core.steer('s', 'a');
    const [first] = turn.pull();
    turn.nack([first?.id as string]);
    expect(turn.pull()).toEqual([first]);
  });

  it('are not delivered again by a late acknowledgement, nor taken from who holds them now', () => {
    const core = fresh();
    const one = core.openSteeringTurn('s', 'one', nothing);
    core.steer('s', 'a');
    const id = one.pull()[0]?.id as string;
    one.release();
    const two = core.openSteeringTurn('s', 'two', nothing);
    core.steer('s', core.drainFollowup('s')[0] as string);
    const [again] = two.pull();
    one.ack([id, again?.id as string]);
    two.nack([again?.id as string]);
    expect(two.pull()).toEqual([again]);
    two.ack([again?.id as string]);
    two.ack([again?.id as string]);
    one.ack([id]);
    two.release();
    expect([core.drainFollowup('s'), core.stats().sessions]).toEqual([[], 0]);
  });
});

describe('messages that wait when a stop comes', () => {
  const filled = () => {
    const core = fresh();
    const seen: QueueSnapshot[] = [];
    const claim = core.claimExecution('s');
    let told: () => void = nothing;
    claim.attach(run('s', 'a'), () => told());
    const turn = core.openSteeringTurn('s', 'turn-a', (snapshot) => seen.push(snapshot));
    core.steer('s', 'held');
    const [held] = turn.pull();
    core.steer('s', 'steered');
    core.queueMessage('s', 'first');
    core.queueMessage('s', 'second');
    seen.length = 0;
    return { core, turn, held, seen, onStop: (call: () => void) => (told = call) };
  };

  it('are dropped with a snapshot that shows so; a lease stays with its turn', () => {
    const { core, turn, held, seen } = filled();
    void core.stopSession('s', {}, () => new Promise(nothing));
    expect(seen).toEqual([{ turnId: 'turn-a', steering: ['held'], followup: [] }]);
    expect([turn.pull(), core.drainFollowup('s'), core.retractQueue('s')]).toEqual([[], [], []]);
    turn.nack([held?.id as string]);
    expect(turn.pull()).toEqual([held]);
  });

  it('are given to whoever asks for them before the stop, or in onStop', () => {
    const { core, seen, onStop } = filled();
    const taken: string[][] = [];
    onStop(() => taken.push(core.retractQueue('s')));
    void core.stopSession('s', {}, () => new Promise(nothing));
    expect(taken).toEqual([['steered', 'first', 'second']]);
    expect(seen).toEqual([{ turnId: 'turn-a', steering: ['held'], followup: [] }]);
  });

  it('may be queued again while the session is stopping', () => {
    const { core, seen } = filled();
    void core.stopSession('s', {}, () => new Promise(nothing));
    expect([core.steer('s', 'x'), core.queueMessage('s', 'y')]).toEqual([true, true]);
    expect(seen.at(-1)).toEqual({ turnId: 'turn-a', steering: ['held', 'x'], followup: ['y'] });
  });
});

describe('turns and messages that come while a session is being worked on', () => {
  it('wait in order, and each is done once', async () => {
    const core = fresh();
    const compaction = gate();
    const done: string[] = [];
    const compacted = core
      .mutateSessions(['s'], () => compaction.promise, { quiescent: true })
      .then(() => done.push('compacted'));
    const turns = ['one', 'two'].map(async (name) => {
      const claim = core.claimExecution('s');
      expect(() => claim.attach(run('s', name), nothing)).toThrow(
        expect.objectContaining({ code: 'ERR_CLAIM_PHASE' }),
      );
      await claim.enter();
      claim.attach(run('s', name), nothing);
      done.push(name);
      claim.release();
    });
    expect(core.steer('s', 'nobody’s')).toBe(false);
    await macrotask();
    expect(done).toEqual([]);
    compaction.open();
    await Promise.all([compacted, ...turns]);
    expect([...done].sort()).toEqual(['compacted', 'one', 'two']);
    expect(done.indexOf('one')).toBeLessThan(done.indexOf('two'));
  });

  it('are refused at once by work that wants the session for itself', async () => {
    const core = fresh();
    core.claimExecution('s');
    let ran = false;
    const refused = await core
      .mutateSessions(['s'], () => (ran = true), { quiescent: true })
      .catch((error: { code: string; sessionIds: string[] }) => [error.code, error.sessionIds]);
    expect([refused, ran]).toEqual([['ERR_SESSION_BUSY', ['s']], false]);
  });
});
