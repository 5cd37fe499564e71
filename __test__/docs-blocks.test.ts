// Every block of code in the documents is compiled and run, or says why not.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { at, bin, readJson } from '../scripts/support/paths.mjs';
import { blocksOf, documents, expected, programsOf, textOf } from './docs-kit.ts';

const folder = at('dist', 'docs-blocks');
const blocks = documents.flatMap((document) => blocksOf(document, textOf(document)));
const programs = documents.flatMap((document) =>
  programsOf(blocks.filter((block) => block.document === document)),
);

/** Each that is not run carries its reason; a further one is to be counted here as well. */
const NOT_RUN: Readonly<Record<string, number>> = {
  'README.md': 1,
  'docs/electron.md': 2,
  'docs/installing.md': 4,
  'docs/porting.md': 2,
  'docs/timeline.md': 1,
  'examples/kernel/README.md': 1,
  'examples/small/README.md': 1,
};

let compiled = '';
beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'source'), { recursive: true });
  for (const { file, source } of programs) writeFileSync(join(folder, 'source', file), source);
  const strict = { noUnusedLocals: false, noUnusedParameters: false, noEmitOnError: false };
  const compilerOptions = {
    ...{ ...strict, module: 'NodeNext', moduleResolution: 'NodeNext', sourceMap: false },
    ...{ rootDir: 'source', outDir: 'built', allowJs: true, types: ['node'] },
  };
  const project = { extends: '../../tsconfig.base.json', compilerOptions, include: ['source'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const args = [bin('typescript', 'tsc'), '-p', folder, '--pretty', 'false'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  compiled = stdout + stderr;
}, 120_000);

/** A place of its own, so that what a program writes is gone with it. */
function freshFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tenure-docs-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('the blocks of code in the documents', () => {
  it('have no type error, as strict as a reader may compile them', () => {
    expect(compiled).toBe('');
  });

  it('run, but for those that say why not, and these are counted', () => {
    const counts: Record<string, number> = {};
    for (const { document, use } of blocks)
      if (use === 'no-run' || use === 'types-only') counts[document] = (counts[document] ?? 0) + 1;
    expect(counts).toEqual(NOT_RUN);
    expect(programs.filter(({ runs }) => runs).length).toBeGreaterThan(2);
  });

  it('name only commands of npm that there are', () => {
    const { scripts } = readJson(at('package.json')) as { scripts: Record<string, string> };
    const named = documents.flatMap((document) =>
      [...textOf(document).matchAll(/\bnpm run (?:--silent )?([a-z][a-z:-]*)/g)].map(
        ([, name = '']) => ({ document, name }),
      ),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ name }) => !(name in scripts))).toEqual([]);
  });

  it.each(programs.filter(({ runs }) => runs).map((program) => [program.where, program] as const))(
    '%s runs to its end and prints what is shown',
    (_where, { file, output }) => {
      const run = spawnSync(process.execPath, [join(folder, 'built', file.replace(/ts$/, 'js'))], {
        ...{ cwd: freshFolder(), encoding: 'utf8', timeout: 20_000 },
        env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' },
      });
      expect([run.status, run.stderr]).toEqual([0, '']);
      if (output !== undefined) expect(run.stdout.trimEnd()).toMatch(expected(output));
    },
  );

  const commands = blocks.filter(({ language, use }) => language === 'sh' && use === 'program');
  it.each(commands.map((block) => [`${block.document}:${block.line}`, block] as const))(
    '%s are commands that succeed',
    (_where, { lines }) => {
      const run = spawnSync('bash', ['-euo', 'pipefail', '-c', lines.join('\n')], {
        ...{ cwd: at('.'), encoding: 'utf8', timeout: 25_000 },
      });
      expect([run.status, run.status === 0 ? '' : run.stderr]).toEqual([0, '']);
    },
  );
});

describe('the reader of blocks', () => {
  const fenced = (info: string, ...code: string[]): string =>
    ['```' + info, ...code, '```'].join('\n');

  it('refuses a block that says nothing, or gives no reason', () => {
    for (const info of ['', 'ts norun', 'ts no-run', 'ts no-run: x', 'rust', 'json output'])
      expect(() => blocksOf('x.md', fenced(info, 'code')), info).toThrow('x.md:1');
    expect(() => blocksOf('x.md', '```ts\ncode')).toThrow('never closed');
    expect(() => programsOf(blocksOf('x.md', fenced('ts continues', 'code')))).toThrow('nothing');
  });

  it('makes one program of a block and those that continue it, each line at its place', () => {
    const text = [
      '<!-- setup\nconst a = 1;\n-->\n',
      fenced('ts', 'log(a);'),
      fenced('text output', '1', '…', 'e…d'),
      fenced('ts continues', 'log(a, a);'),
    ].join('\n');
    const [program, ...others] = programsOf(blocksOf('docs/x.md', text));
    expect(others).toEqual([]);
    expect(program?.file).toBe('docs-x.5.mts');
    const lines = program?.source.split('\n') ?? [];
    expect([lines[1], lines[5], lines[13]]).toEqual(['const a = 1;', 'log(a);', 'log(a, a);']);
    expect('1\n2\n3\nend').toMatch(expected(program?.output ?? ''));
    expect('1\n2\n3\nend!').not.toMatch(expected(program?.output ?? ''));
  });
});
