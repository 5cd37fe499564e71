// Random calls, in the package and in a reference model: a caller cannot tell them apart.
import { expect, test } from 'vitest';
import * as product from '../index.js';
import { compare } from './model/drive/run.ts';
import { fc, sequence } from './model/drive/commands.ts';
import { parameters } from './model/drive/parameters.ts';
import { World } from './model/drive/world.ts';
import * as model from './model/index.mjs';

test('a core of its own does as the reference model does, whatever is asked of it', async () => {
  let runs = 0;
  const shape = { members: 1, scope: undefined, foreignStop: false };
  const nobody = async (): Promise<void> => {};
  await fc.assert(
    fc.asyncProperty(sequence(50), fc.boolean(), async (commands, windDown) => {
      runs += 1;
      const worlds = [model, product].map((each) => new World(each, shape, nobody)) as [
        World,
        World,
      ];
      await compare(...worlds, commands, windDown);
    }),
    parameters(0.6),
  );
  expect(runs).toBeGreaterThan(0);
}, 600_000);
