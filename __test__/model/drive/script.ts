// What a callback of the caller does: a few commands of its own, in the middle of another one.
import fc from 'fast-check';
import { perform } from './perform.ts';
import type { Command } from './define.ts';
import type { World } from './world.ts';

type Script = ((world: World) => void) & { readonly commands: readonly Command[] };

let leaf: fc.Arbitrary<Command> = fc.constant({ do: 'stats' });

/** The commands that scripts are made of; told once all of them are defined. */
export function setLeaves(commands: fc.Arbitrary<Command>): void {
  leaf = commands;
}

function toScript(commands: readonly Command[]): Script {
  const run = (world: World): void => {
    if (world.depth > 2) return;
    world.depth += 1;
    for (const command of commands) {
      const channel = `script ${command.do}`;
      world.event(channel, `${command.do} gave ${perform(world, command)}`);
    }
    world.depth -= 1;
  };
  return Object.assign(run, {
    commands,
    [fc.toStringMethod]: () => `script(${fc.stringify(commands)})`,
  });
}

const none = toScript([]);

export const script: fc.Arbitrary<Script> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(none) },
  {
    weight: 1,
    arbitrary: fc
      .constant(undefined)
      .chain(() => fc.array(leaf, { minLength: 1, maxLength: 2 }).map(toScript)),
  },
);
