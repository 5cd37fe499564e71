// A property: whatever is asked of it, an implementation does as the reference model does.
import { randomUUID } from 'node:crypto';
import { definedCommands, fc, part, sequence } from './commands.ts';
import { parameters } from './parameters.ts';
import { reached } from './perform.ts';
import { compare } from './run.ts';
import { attemptBody } from './stops.ts';
import { World } from './world.ts';
import type { Implementation, PartBody, Shape } from './world.ts';

const LENGTH = 50;
/** With so many sequences, one that reaches less than all of the surface is a fault of theirs. */
const ENOUGH = 3_000;

const partBody: PartBody = (world, core, { how, retains }) =>
  attemptBody(world, core, how, retains);

function scoped(members: number): Partial<Shape> {
  if (members === 1) return {};
  return { scope: `property ${randomUUID()}` };
}

/** Runs `share` of all sequences over cores with so many members; the commands never reached. */
export async function asTheModel(
  model: Implementation,
  product: Implementation,
  members: number,
  share: number,
): Promise<string[]> {
  const given = parameters(share);
  await fc.assert(
    fc.asyncProperty(
      sequence(LENGTH, members),
      part,
      fc.boolean(),
      async (commands, its, windDown) => {
        const world = (implementation: Implementation): World =>
          new World(implementation, { members, part: its, ...scoped(members) }, partBody);
        await compare(world(model), world(product), commands, windDown);
      },
    ),
    given,
  );
  if (given.numRuns < ENOUGH) return [];
  return [...definedCommands().keys()].filter((name) => !reached.commands.has(name));
}
