import { at, bin } from './paths.mjs';
import { runNode } from './steps.mjs';

/** The reference of every export, from index.d.ts. A warning is an error; see scripts/typedoc.json. */
export const buildReference = () =>
  runNode(bin('typedoc'), ['--options', at('scripts', 'typedoc.json')]);
