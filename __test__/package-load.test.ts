import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import ts from 'typescript';
import { at } from '../scripts/support/paths.mjs';
import { installed, runProgram } from './package-kit.js';

/** The values that index.d.ts declares, as the compiler sees them. */
function declaredValues(): string[] {
  const file = at('index.d.ts');
  const program = ts.createProgram([file], { target: ts.ScriptTarget.ES2022, noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  if (!symbol) throw new Error('index.d.ts is no module');
  return checker
    .getExportsOfModule(symbol)
    .map((each) => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each))
    .filter((each) => each.flags & ts.SymbolFlags.Value)
    .map((each) => each.name)
    .sort();
}

describe('the installed package', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await installed({ addon: true });
  });

  it('exports every value that it declares, and no other', () => {
    const found = runProgram(
      folder,
      'keys.cjs',
      `console.log(JSON.stringify(Object.keys(require('tenure')).sort()));`,
    );
    expect(found).toEqual(declaredValues());
  });

  it('shows the same names to an ECMAScript module', () => {
    const found = runProgram(
      folder,
      'keys.mjs',
      `import * as tenure from 'tenure';
       const names = Object.keys(tenure).filter((name) => !/^(default|module\\.exports)$/.test(name));
       console.log(JSON.stringify(names.sort()));`,
    );
    expect(found).toEqual(declaredValues());
  });

  it('is one and the same to require, to import and to a bundled default', () => {
    const found = runProgram(
      folder,
      'same.mjs',
      `import { createRequire } from 'node:module';
       import standard, * as imported from 'tenure';
       const required = createRequire(import.meta.url)('tenure');
       const differs = Object.keys(required).filter((name) => imported[name] !== required[name]);
       console.log(JSON.stringify({ differs, standard: standard === required }));`,
    );
    expect(found).toEqual({ differs: [], standard: true });
  });

  it('works', () => {
    const found = runProgram(
      folder,
      'use.mjs',
      `import { RuntimeCore } from 'tenure';
       const core = new RuntimeCore({ newId: () => 'id', now: () => 0 });
       const claim = core.claimExecution('s');
       const before = claim.phase;
       claim.release();
       console.log(JSON.stringify([before, claim.phase, core.stats()]));`,
    );
    expect(found).toEqual(['pending', 'released', { sessions: 0, admissions: 0 }]);
  });

  it('is left outside by a bundler, and found by what it built', async () => {
    writeFileSync(
      join(folder, 'app.ts'),
      `import { RuntimeCore } from 'tenure';
       console.log(JSON.stringify(typeof RuntimeCore));`,
    );
    await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: { ssr: 'app.ts', outDir: 'built' },
    });
    const [name] = readdirSync(join(folder, 'built'));
    const source = readFileSync(join(folder, 'built', name ?? ''), 'utf8');
    expect(runProgram(folder, 'bundled.mjs', source)).toBe('function');
  });

  it('lets nothing be reached but its entry and its manifest', () => {
    const found = runProgram(
      folder,
      'paths.cjs',
      `const reach = (path) => {
         try { return typeof require(path); } catch (error) { return error.code; }
       };
       const paths = ['tenure', 'tenure/package.json', 'tenure/binding.js', 'tenure/index.js'];
       console.log(JSON.stringify(paths.map(reach)));`,
    );
    const closed = 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    expect(found).toEqual(['object', 'object', closed, closed]);
  });
});

describe('the package without the addon of its platform', () => {
  it('says which package is missing', async () => {
    const folder = await installed({ addon: false });
    const found = runProgram(
      folder,
      'missing.cjs',
      `try { require('tenure'); } catch (error) {
         const chain = [];
         for (let each = error; each; each = each.cause) chain.push(each.message);
         console.log(JSON.stringify({ error: error instanceof Error, chain: chain.join('\\n') }));
       }`,
    ) as { error: boolean; chain: string };
    expect(found.error).toBe(true);
    expect(found.chain).toMatch(/tenure-\w+-\w+/);
  });
});
