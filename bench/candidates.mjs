// Who runs: the package under test and its two rivals, each with timed code of its own.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isAbsolute } from 'node:path';
import { LazyCore } from './rivals/lazy.mjs';
import { SeedCore } from './rivals/seed.mjs';

const under = process.env.TENURE_MODULE;

/** What the package under test exports: `TENURE_MODULE` names another build of it. */
export const underTest = under
  ? await import(isAbsolute(under) ? pathToFileURL(under).href : under)
  : createRequire(import.meta.url)('../index.js');

const CORES = { tenure: underTest.RuntimeCore, seed: SeedCore, lazy: LazyCore };

export const CANDIDATES = Object.keys(CORES);

export function newCore(name) {
  let ids = 0;
  let time = 0;
  return new CORES[name]({ newId: () => `id-${(ids += 1)}`, now: () => (time += 1) });
}

/**
 * The timed code of `paths/<file>`, compiled anew for this candidate. Code that served
 * several would have call sites that have seen them all, and would slow each by the others.
 */
export const pathsFor = (name, file) => import(`./paths/${file}?candidate=${name}`);
