import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at, bin, hasShared, shared } from './paths.mjs';
import { holds, notRun } from './report.mjs';
import { runNode } from './steps.mjs';
import { withOutput } from './suites.mjs';

/**
 * The types of one kernel, each unlike the others, so that a member which takes one for another is
 * seen.
 */
const kernelTypes = `
interface Mine extends ours.CoreTypes {
  run: ours.RunIdentity & { readonly model: 'run' };
  interaction: ours.RunIdentity & { readonly owner: 'interaction' };
  backend: { readonly is: 'backend' };
  header: { readonly is: 'header' };
  stopInput: { readonly is: 'stopInput' };
  lineage: { readonly is: 'lineage' };
  message: { readonly is: 'message' };
  checkpoint: { readonly is: 'checkpoint' };
  request: { readonly is: 'request' };
  start: { readonly is: 'start' };
}
`;

/**
 * A program that compiles only if every export of the contract's declaration is an export of ours,
 * and what is ours can stand wherever the contract's is asked for.
 * @param {string} declaration
 * @param {string} codes
 */
function program(declaration, codes) {
  const exported = declaration.matchAll(
    /^export (?:declare )?(class|interface|type|function) (\w+)(<T extends CoreTypes)?/gm,
  );
  const lines = [
    `import * as ours from '../../../index.js';`,
    `import * as contract from './contract.js';`,
    kernelTypes,
    'type Fits<Ours extends Contract, Contract> = Ours;',
    codes,
  ];
  for (const [, kind, name, generic] of exported) {
    const type = generic ? `${name}<Mine>` : name;
    if (name === 'LeastCode') continue;
    if (kind === 'function') {
      lines.push(`export const ${name}: typeof contract.${name} = ours.${name};`);
      continue;
    }
    // What is only handed in must be taken; what is only handed out must be enough.
    const isInput = kind === 'interface' && /(Options|Request)$/.test(name ?? '');
    if (!isInput) lines.push(`export type Has${name} = Fits<ours.${type}, contract.${type}>;`);
    if (kind !== 'class') {
      lines.push(`export type Takes${name} = Fits<contract.${type}, ours.${type}>;`);
    } else if (hasConstructor(declaration, name ?? '')) {
      lines.push(`export const ${name}: typeof contract.${name} = ours.${name};`);
    } else {
      lines.push(`void ours.${name};`);
    }
    // An optional member that is absent would fit.
    lines.push(`export type Names${name} = Fits<keyof contract.${type}, keyof ours.${type}>;`);
  }
  return `${lines.join('\n')}\n`;
}

/** Whether a class can be constructed by its users. @param {string} declaration @param {string} name */
function hasConstructor(declaration, name) {
  const [, body] = declaration.split(new RegExp(`^export declare class ${name}\\b`, 'm'));
  return /^  constructor\(/m.test(body?.split(/^}/m)[0] ?? '');
}

/** A declaration of the contract, and what has to be said of it first. */
const declarations = [
  {
    name: 'kernel.d.ts',
    // There may be more codes than the contract's; then the code of an error is one of ours.
    adapt: (/** @type {string} */ text) =>
      text.replace(
        /^export type CoreErrorCode =/m,
        `export type CoreErrorCode = import('../../../index.js').CoreErrorCode;\nexport type LeastCode =`,
      ),
    codes: 'export type Codes = Fits<contract.LeastCode, ours.CoreErrorCode>;',
  },
  {
    name: 'operations.d.ts',
    adapt: (/** @type {string} */ text) => text,
    codes: '',
  },
];

/** Whether index.d.ts declares at least all that the contract does. */
export async function contractTypes() {
  if (!hasShared()) return notRun('the declarations of the contract do not lie beside the project');
  const tallies = [];
  for (const { name, adapt, codes } of declarations) {
    const folder = at('dist', 'contract-types', name.replace('.d.ts', ''));
    mkdirSync(folder, { recursive: true });
    const declaration = adapt(readFileSync(join(shared, name), 'utf8'));
    writeFileSync(join(folder, 'contract.d.ts'), declaration);
    writeFileSync(join(folder, 'fits.ts'), program(declaration, codes));
    const config = {
      extends: '../../../__test__/types/tsconfig.base.json',
      compilerOptions: {
        module: 'ESNext',
        moduleResolution: 'Bundler',
        lib: ['ES2022', 'ESNext.Disposable'],
        types: ['node'],
        noUnusedLocals: false,
      },
      files: ['fits.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    tallies.push(await holds(() => runNode(bin('typescript', 'tsc'), ['-p', folder])));
  }
  return withOutput(tallies);
}
