import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, bin, root } from './paths.mjs';
import { runNode, StepFailed } from './steps.mjs';

const notice = '// Built from lib/ by `npm run build`. Change it there.\n';
const reference = '/// <reference lib="esnext.disposable" />\n';

/**
 * Builds index.js and index.d.ts from lib/ into `target`, with the intermediate files in `work`.
 * @param {string} target @param {string} work
 */
export async function buildFace(target, work) {
  await runNode(bin('typescript', 'tsc'), ['-p', at('tsconfig.lib.json'), '--outDir', work]);
  const [{ rollup }, { dts }, { prune }, prettier] = await Promise.all([
    import('rollup'),
    import('rollup-plugin-dts'),
    import('./declaration.mjs'),
    import('prettier'),
  ]);
  const style = (await prettier.resolveConfig(at('package.json'))) ?? {};

  /** @param {string} input @param {import('rollup').Plugin[]} plugins @param {'cjs' | 'es'} format */
  const bundle = async (input, plugins, format) => {
    const built = await rollup({
      input: join(work, input),
      plugins,
      external: (id) => id.startsWith('node:'),
      onwarn: (warning) => {
        throw new StepFailed('rollup', `rollup: ${warning.message}`);
      },
    });
    const { output } = await built.generate({
      format,
      exports: 'named',
      generatedCode: { preset: 'es2015', symbols: false },
      interop: 'default',
    });
    await built.close();
    return output[0].code;
  };

  const code = await bundle('index.js', [], 'cjs');
  const types = prune(await bundle('index.d.ts', [dts()], 'es')).replace(
    /^\/\/\/ <reference .*\n/gm,
    '',
  );
  await mkdir(target, { recursive: true });
  await writeFile(
    join(target, 'index.js'),
    await prettier.format(notice + code, { ...style, parser: 'babel' }),
  );
  await writeFile(
    join(target, 'index.d.ts'),
    await prettier.format(reference + notice + types, { ...style, parser: 'typescript' }),
  );
}

/** Where the face is built for use: the project's own folder. */
export const buildFaceInPlace = () => buildFace(root, at('dist', 'lib'));
