// Commands that are about no record in particular: gates, wrong arguments, the end of a member.
import fc from 'fast-check';
import { SKIPPED, define, index, pick, pickCore } from './define.ts';
import type { Definition } from './define.ts';
import { isClosed } from './observe.ts';

export const rest: Record<string, Definition> = {
  openGate: define(
    22,
    { gate: index, ok: fc.constantFrom(true, true, true, false) },
    (world, args) => {
      const gate = pick(
        world.gates.filter((each) => !each.opened),
        args.gate,
      );
      if (!gate) return SKIPPED;
      gate.opened = true;
      if (args.ok) gate.resolve();
      else gate.reject(world.newError());
      return '';
    },
  ),

  wrongArguments: define(2, { which: index }, (world, args) => {
    const core = world.cores.find((each) => !isClosed(each));
    if (!core) return SKIPPED;
    const calls: (() => unknown)[] = [
      () => core.claimExecution(''),
      () => core.claimExecution(7 as never),
      () => core.steer('s0', 7 as never),
      () => core.openSteeringTurn('s0', 't', 7 as never),
      () => core.generations(undefined as never),
      () => core.operations.reserve({ operationId: '', ownerId: 'w', exclusivityKeys: [] }),
      () => core.operations.reserve({ operationId: 'o', ownerId: 'w', exclusivityKeys: [''] }),
      () => core.claimExecution('s0', {}),
      () => world.track(core.mutateSessions([], () => {})),
      () => world.track(core.mutateSessions(['s0', ''], () => {})),
      () => world.track(core.stopSession('', {}, async () => {})),
      () => world.track(core.serialize('s0', 'w', 7 as never)),
      () => world.track(core.activate('s0', undefined, 7 as never)),
      () => world.track(core.loadCheckpoint('', async () => undefined)),
    ];
    return calls[args.which % calls.length]!();
  }),

  stats: define(2, { core: index }, (world, args) =>
    world.cores[pickCore(world, args.core)]!.stats(),
  ),
};

export const ends: Record<string, Definition> = {
  joinMember: define(2, {}, (world) => {
    const { members } = world.shape;
    if (members === 1 || world.cores.filter((each) => !isClosed(each)).length >= members) {
      return SKIPPED;
    }
    world.join();
    return world.cores.length;
  }),

  closeMember: define(1, { core: index }, (world, args) => {
    const at = pickCore(world, args.core);
    const core = world.cores[at]!;
    if (args.core % 2 === 0) core.close();
    else core[Symbol.dispose]();
    world.forget(at);
  }),
};
