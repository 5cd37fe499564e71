import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import ts from 'typescript';
import { addonName } from '../scripts/support/native.mjs';
import { at, readJson } from '../scripts/support/paths.mjs';
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
  it('says in one error which package is missing and how to get it', async () => {
    const folder = await installed({ addon: false });
    const found = runProgram(
      folder,
      'missing.cjs',
      `try { require('tenure'); } catch (error) {
         const { code, message, cause } = error;
         console.log(JSON.stringify({ is: error instanceof Error, code, message, tried: cause.message }));
       }`,
    ) as { is: boolean; code: string; message: string; tried: string };
    const name = `tenure-${addonName().split('.')[1]}`;
    expect([found.is, found.code]).toEqual([true, 'MODULE_NOT_FOUND']);
    expect(found.message).toContain(`the package ${name} is not installed`);
    expect(found.message).toMatch(new RegExp(`npm install ${name}@\\d+\\.\\d+\\.\\d+$`));
    expect(found.message).not.toContain('\n');
    expect(found.tried).toMatch(/native binding/);
  });

  it('tells a system that has none which ones do', async () => {
    const folder = await installed({ addon: false });
    const { targets } = readJson(at('package.json')).napi as { targets: string[] };
    const names = { darwin: 'macOS', linux: 'Linux', windows: 'Windows' };
    const found = runProgram(
      folder,
      'unsupported.cjs',
      `Object.defineProperty(process, 'platform', { value: 'sunos' });
       try { require('tenure'); } catch ({ code, message }) {
         console.log(JSON.stringify({ code, message }));
       }`,
    ) as { code: string; message: string };
    expect(found.code).toBe('MODULE_NOT_FOUND');
    expect(found.message).toMatch(/^tenure has no addon for sunos /);
    const systems = targets.map((target) => /darwin|linux|windows/.exec(target)?.[0]);
    for (const system of new Set(systems)) {
      expect(found.message).toContain(names[system as keyof typeof names]);
    }
    // What the message says of each system holds only for two architectures, and two C libraries.
    const architectures = new Set(targets.map((target) => target.split('-')[0]));
    expect([...architectures].sort()).toEqual(['aarch64', 'x86_64']);
    expect(targets.filter((target) => target.endsWith('-musl')).length).toBe(2);
    expect(targets.length).toBe(2 * (new Set(systems).size + 1));
  });
});
