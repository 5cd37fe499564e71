// The face and the addon name the same functions.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const declared = [
  ...readFileSync(new URL('../lib/addon.d.ts', import.meta.url), 'utf8').matchAll(/^ {2}(\w+)\(/gm),
].map(([, name]) => name as string);

test('every function that the face declares is exported by the addon, and no other', () => {
  const addon = require('../binding.js') as Record<string, unknown>;
  const exported = Object.keys(addon).filter((name) => typeof addon[name] === 'function');
  expect(declared.length).toBeGreaterThan(100);
  expect(exported.filter((name) => !name.startsWith('__')).sort()).toEqual([...declared].sort());
});
