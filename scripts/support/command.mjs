import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { at, bin, root } from './paths.mjs';
import { runNode, StepFailed } from './steps.mjs';
import { timelinePage } from './timeline-page.mjs';

const notice = '#!/usr/bin/env node\n// Built from cli/ by `npm run build`. Change it there.\n';

/** The package itself stands beside the command, wherever a module of cli/ names it from. */
const face = /^(\.\.\/)+index\.js$/;
const require = createRequire(at('package.json'));

/**
 * What is built in: packages for development, so that the command needs none at run time. Their folders
 * are noted, for their licences.
 * @param {Set<string>} folders
 * @returns {import('rollup').Plugin}
 */
const builtIn = (folders) => ({
  name: 'built-in',
  resolveId(id) {
    if (/^(\.|\/|node:)/.test(id)) return null;
    const path = require.resolve(id);
    const folder = path.slice(0, path.lastIndexOf(`node_modules/${id}/`));
    folders.add(join(folder, 'node_modules', id));
    return path;
  },
});

/** Their licences ask to go wherever they go. @param {Set<string>} folders */
async function licences(folders) {
  const texts = [];
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const text = await readFile(join(folder, 'license'), 'utf8');
    texts.push(`/*\n${name} ${version} is built in. Its licence:\n\n${text.trim()}\n*/\n`);
  }
  return texts.join('\n');
}

/**
 * Builds bin/tenure.js from cli/ into `target`, with the intermediate files in `work`.
 * @param {string} target @param {string} work
 */
export async function buildCommand(target, work) {
  await runNode(bin('typescript', 'tsc'), ['-p', at('tsconfig.cli.json'), '--outDir', work]);
  const [{ rollup }, prettier] = await Promise.all([import('rollup'), import('prettier')]);
  /** @type {Set<string>} */
  const folders = new Set();
  const built = await rollup({
    input: join(work, 'cli', 'main.js'),
    plugins: [timelinePage(), builtIn(folders)],
    external: (id) => face.test(id) || id.startsWith('node:'),
    makeAbsoluteExternalsRelative: false,
    onwarn: (warning) => {
      throw new StepFailed('rollup', `rollup: ${warning.message}`);
    },
  });
  const { output } = await built.generate({
    format: 'cjs',
    generatedCode: { preset: 'es2015', symbols: false },
    interop: 'default',
    paths: (id) => (face.test(id) ? '../index.js' : id),
  });
  await built.close();
  const style = (await prettier.resolveConfig(at('package.json'))) ?? {};
  const code = await prettier.format(notice + output[0].code, { ...style, parser: 'babel' });
  const path = join(target, 'bin', 'tenure.js');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${code}\n${await licences(folders)}`, { mode: 0o755 });
}

/** Where the command is built for use: the project's own folder. */
export const buildCommandInPlace = () => buildCommand(root, at('dist', 'cli'));
