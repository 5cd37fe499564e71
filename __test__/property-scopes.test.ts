// Random calls on two members of one scope, in the package and in a reference model.
import { expect, test } from 'vitest';
import * as product from '../index.js';
import { asTheModel } from './model/drive/property.ts';
import * as model from './model/index.mjs';

test('members of a scope do as the reference model does, whatever is asked of them', async () => {
  expect(await asTheModel(model, product, 2, 0.35)).toEqual([]);
}, 600_000);
