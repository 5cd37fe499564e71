// Commands on what waits: mutations, checkpoint loads and serial lanes.
import fc from 'fast-check';
import { define, index, mostlyWell, pickCore, session } from './define.ts';
import type { Definition } from './define.ts';

const sets = fc.constantFrom(
  ['s0'],
  ['s0'],
  ['s1', 's0'],
  ['s0', 's2', 's0'],
  ['s2', 's1'],
  ['s1'],
);

export const mutations: Record<string, Definition> = {
  mutateSessions: define(
    6,
    { core: index, sets, how: mostlyWell, quiescent: fc.constantFrom(undefined, false, true) },
    (world, args) => {
      const core = world.cores[pickCore(world, args.core)]!;
      const value = world.newValue('mutated');
      const task = world.task(args.how, `mutation ${world.describe(value)}`, () => value);
      const options = args.quiescent === undefined ? undefined : { quiescent: args.quiescent };
      return world.track(
        options
          ? core.mutateSessions(args.sets, task, options)
          : core.mutateSessions(args.sets, task),
      );
    },
  ),
};

export const rooms: Record<string, Definition> = {
  loadCheckpoint: define(
    3,
    { core: index, session, how: mostlyWell, none: fc.boolean() },
    (world, args) => {
      const value = args.none ? undefined : world.newValue('checkpoint');
      const load = world.task(args.how, `load ${args.session}`, () => value);
      const promise = world.cores[pickCore(world, args.core)]!.loadCheckpoint(args.session, load);
      return world.track(promise);
    },
  ),

  storeCheckpoint: define(2, { core: index, session }, (world, args) =>
    world.cores[pickCore(world, args.core)]!.storeCheckpoint(
      args.session,
      world.newValue('checkpoint'),
    ),
  ),

  serialize: define(
    4,
    { core: index, session, lane: fc.constantFrom('w', 'w', ''), how: mostlyWell },
    (world, args) => {
      const value = world.newValue('serialized');
      const task = world.task(args.how, `lane ${world.describe(value)}`, () => value);
      return world.track(
        world.cores[pickCore(world, args.core)]!.serialize(args.session, args.lane, task),
      );
    },
  ),
};
