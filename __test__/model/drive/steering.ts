// Commands on steering queues.
import fc from 'fast-check';
import { SKIPPED, define, index, pick, pickCore, session } from './define.ts';
import type { Definition } from './define.ts';
import { script } from './script.ts';
import type { Turn, World } from './world.ts';

const text = fc.constantFrom('a', 'b', 'long text', '', '\ud800', 'e\u0301\0');

const hasLeases = (turn: Turn) => turn.leases.length > 0;

/** Leases of one turn, and who settles them: mostly that turn, now and then another. */
function settling(
  world: World,
  { turn: at, by, count }: { turn: number; by: number; count: number },
): [Turn, string[]] | undefined {
  const turn = pick(world.turns, at, hasLeases);
  if (!turn) return undefined;
  const ids = turn.leases.slice(-count);
  const others = world.turns.filter((each) => each.handle.sessionId === turn.handle.sessionId);
  const settler = by % 3 === 2 ? others[by % others.length]! : turn;
  return [settler, by % 5 === 4 ? [...ids, 'unknown'] : ids];
}

const leases = { turn: index, by: index, count: fc.integer({ min: 1, max: 3 }) };

export const steering: Record<string, Definition> = {
  openSteeringTurn: define(
    4,
    { core: index, session, again: fc.nat({ max: 5 }), inner: script },
    (world, args) => {
      const core = pickCore(world, args.core);
      const mine = world.turns.filter((each) => each.core === core);
      const turnId =
        args.again === 0 && mine.length > 0
          ? mine.at(-1)!.handle.turnId
          : `turn-${world.turns.length}`;
      const inTurn = { depth: 0 };
      const handle = world.cores[core]!.openSteeringTurn(args.session, turnId, (snapshot) => {
        turn.last = world.describe(snapshot);
        if (world.shape.members > 1) return;
        world.event(`queue ${args.session}`, `${world.describe(handle)} sees ${turn.last}`);
        if (inTurn.depth > 0) return;
        inTurn.depth += 1;
        args.inner(world);
        inTurn.depth -= 1;
      });
      const turn: Turn = { handle, core, leases: [], last: '' };
      world.label('turn', handle);
      world.turns.push(turn);
      return handle;
    },
  ),

  steer: define(8, { core: index, session, text }, (world, args) =>
    world.cores[pickCore(world, args.core)]!.steer(args.session, args.text),
  ),

  queueMessage: define(5, { core: index, session, text }, (world, args) =>
    world.cores[pickCore(world, args.core)]!.queueMessage(args.session, args.text),
  ),

  drainFollowup: define(2, { core: index, session }, (world, args) =>
    world.cores[pickCore(world, args.core)]!.drainFollowup(args.session),
  ),

  retractQueue: define(2, { core: index, session }, (world, args) =>
    world.cores[pickCore(world, args.core)]!.retractQueue(args.session),
  ),

  pull: define(5, { turn: index }, (world, args) => {
    const turn = pick(world.turns, args.turn);
    if (!turn) return SKIPPED;
    const pulled = turn.handle.pull();
    turn.leases.push(...pulled.map((each) => each.id));
    return pulled;
  }),

  ack: define(4, leases, (world, args) => {
    const found = settling(world, args);
    return found ? found[0].handle.ack(found[1]) : SKIPPED;
  }),

  nack: define(4, leases, (world, args) => {
    const found = settling(world, args);
    return found ? found[0].handle.nack(found[1]) : SKIPPED;
  }),

  releaseTurn: define(3, { turn: index }, (world, args) => {
    const turn = pick(world.turns, args.turn);
    return turn ? turn.handle.release() : SKIPPED;
  }),
};
