// Random calls, in the package and in a reference model: a caller cannot tell them apart.
import { expect, test } from 'vitest';
import * as product from '../index.js';
import { asTheModel } from './model/drive/property.ts';
import * as model from './model/index.mjs';

test('a core of its own does as the reference model does, whatever is asked of it', async () => {
  const neverReached = await asTheModel(model, product, 1, 0.65);
  expect(neverReached.filter((name) => name !== 'joinMember')).toEqual([]);
}, 600_000);
