import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at, readJson } from '../scripts/support/paths.mjs';
import { packed, text } from './package-kit.js';

const manifest = readJson(at('package.json'));

describe('what npm publishes', () => {
  it('is the face, its declaration, the command, the loader and the papers, and nothing else', async () => {
    const { files } = await packed();
    expect(files).toEqual([
      'LICENSE-APACHE',
      'LICENSE-MIT',
      'README.md',
      'THIRD_PARTY_LICENSES',
      'bin/tenure.js',
      'binding.js',
      'index.d.ts',
      'index.js',
      'package.json',
    ]);
  });

  it('runs no script of ours on the machine that installs it', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepublish', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
    expect(existsSync(at('binding.gyp'))).toBe(false);
  });

  it('depends on nothing at run time', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toBeUndefined();
  });

  it('exports its entry and its manifest only', () => {
    expect(manifest.exports).toEqual({
      '.': { types: './index.d.ts', default: './index.js' },
      './package.json': './package.json',
    });
    expect(manifest.main).toBe('index.js');
    expect(manifest.types).toBe('index.d.ts');
  });

  it('names the releases of Node.js it runs on', () => {
    expect(manifest.engines).toEqual({ node: '^20.19.0 || >=22.12.0' });
  });

  it('has the version and the licence of the crate', () => {
    const crate = text('Cargo.toml');
    const field = (name: string) => crate.match(new RegExp(`^${name} = "(.*)"$`, 'm'))?.[1];
    expect(manifest.version).toBe(field('version'));
    expect(manifest.license).toBe(field('license'));
  });

  it('has a declaration that stands by itself', () => {
    const declaration = text('index.d.ts');
    expect(declaration).toMatch(/^\/\/\/ <reference lib="esnext\.disposable" \/>\n/);
    expect(declaration).not.toMatch(/^import |\bimport\(["'"]|\brequire\(/m);
    expect(declaration).not.toMatch(/#private|@internal|: any\b/);
    expect(declaration.match(/^\s*(?:readonly |static |get |set )*_\w+/gm)).toBeNull();
  });

  it('exports nothing that the type tests leave out', () => {
    const lists = text('index.d.ts').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
    const names = [...lists].flatMap(([, list]) => (list ?? '').match(/\w+/g) ?? []);
    const program = text('__test__/types/consumer.ts') + text('__test__/types/operations.ts');
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !new RegExp(`^  ${name},$`, 'm').test(program))).toEqual([]);
  });
});
