import { spawnSync } from 'node:child_process';
import { describe, expect, it, type TestContext } from 'vitest';
import { root } from '../scripts/support/paths.mjs';
import { inspected, text } from './package-kit.js';

/** What a system tool prints of the addon; where it cannot be had, the test says so and stops. */
function ask(context: TestContext, tool: string, ...args: string[]): string {
  const why = `${tool} is for ELF files, and not to be had here`;
  const printed = process.platform === 'linux' ? inspected(tool, args) : undefined;
  if (printed === undefined) {
    Object.assign(context.task.meta, { notRun: why });
    context.skip(why);
  }
  return printed ?? '';
}

const undefinedSymbols = (context: TestContext): string[] =>
  ask(context, 'nm', '-D', '--undefined-only', '--format=just-symbols')
    .split('\n')
    .map((line) => line.replace(/@.*$/, '').trim())
    .filter(Boolean);

describe('the built addon', () => {
  it('asks Node.js for Node-API and nothing else', (context) => {
    const symbols = undefinedSymbols(context);
    expect(symbols.length).toBeGreaterThan(0);
    // Mangled C++ names are V8's and Node's own; uv_ is libuv's.
    const foreign = symbols.filter((name) => /^(_Z|uv_|v8|node_(?!api_))/.test(name));
    expect(foreign).toEqual([]);
  });

  it('needs the C library and no other', (context) => {
    const needed = [...ask(context, 'readelf', '-d').matchAll(/NEEDED.*\[(.+)\]/g)];
    const names = needed.map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(0);
    const allowed = /^(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux.*|libc\.musl.*)\.so/;
    expect(names.filter((name) => !allowed.test(name))).toEqual([]);
  });

  it('unwinds when it panics, so that a fault can be caught', (context) => {
    expect(undefinedSymbols(context)).toContain('_Unwind_RaiseException');
  });

  it('is never built to abort on a panic', () => {
    expect(text('Cargo.toml')).not.toMatch(/^\s*panic\s*=\s*"abort"/m);
  });

  it('asks for Node-API 9 at most', () => {
    const metadata = spawnSync('cargo', ['metadata', '--format-version', '1', '--locked'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    expect(metadata.stderr + metadata.stdout.slice(0, 0)).not.toMatch(/error/);
    const { resolve } = JSON.parse(metadata.stdout) as {
      resolve: { nodes: { id: string; features: string[] }[] };
    };
    const sys = resolve.nodes.find(({ id }) => /[/#]napi-sys[@#]/.test(id));
    const versions = (sys?.features ?? [])
      .map((feature) => Number(/^napi(\d+)$/.exec(feature)?.[1]))
      .filter((version) => !Number.isNaN(version));
    expect(Math.max(...versions)).toBe(9);
    expect(sys?.features).not.toContain('experimental');
  });
});
