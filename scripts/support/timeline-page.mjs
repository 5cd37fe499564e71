import { readFileSync } from 'node:fs';
import { dirname, resolve as resolvePath } from 'node:path';
import { at } from './paths.mjs';

const name = 'virtual:timeline-page';
const resolved = `\0${name}`;
/** In the order in which one gives way to the next. */
const sheets = ['base', 'tools', 'plot', 'list', 'media'];
const folder = at('cli', 'timeline', 'page');

/** Text in which no line ends differ from one system to the next. @param {string} file */
const read = (file) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n');

/**
 * The page's own files as strings, for rollup and vitest: `markup` and `style` as they are, `script`
 * as one script of all its modules, without types. A page carries them as they are here, so that the
 * digests of its policy are those of what was built.
 * @returns {{ name: string, resolveId: (id: string) => string | undefined, load: (id: string) => Promise<string | undefined> }}
 */
export function timelinePage() {
  return {
    name: 'timeline-page',
    resolveId: (id) => (id === name ? resolved : undefined),
    load: async (id) => {
      if (id !== resolved) return undefined;
      const assets = {
        markup: read(`${folder}/page.html`).trim(),
        style: sheets.map((sheet) => read(`${folder}/style/${sheet}.css`)).join('\n'),
        script: await bundledScript(),
      };
      return Object.entries(assets)
        .map(([key, text]) => `export const ${key} = ${JSON.stringify(text)};\n`)
        .join('');
    },
  };
}

/** @returns {Promise<string>} */
async function bundledScript() {
  const [{ rollup }, { default: typescript }] = await Promise.all([
    import('rollup'),
    import('typescript'),
  ]);
  const { ESNext } = typescript.ModuleKind;
  const { ES2022 } = typescript.ScriptTarget;
  const compilerOptions = { module: ESNext, target: ES2022, removeComments: true };
  /** @type {import('rollup').Plugin} */
  const types = {
    name: 'types',
    resolveId: (id, from) =>
      from && id.startsWith('.') ? resolvePath(dirname(from), id.replace(/\.js$/, '.ts')) : null,
    load: (id) => typescript.transpileModule(read(id), { compilerOptions }).outputText,
  };
  const built = await rollup({
    input: `${folder}/main.ts`,
    plugins: [types],
    onwarn: (warning) => {
      throw new Error(`${warning.message} in the script of the timeline`);
    },
  });
  const { output } = await built.generate({ format: 'iife', strict: true });
  await built.close();
  const { code } = output[0];
  if (/<\/script|<!--/i.test(code)) throw new Error('The script would end its own element');
  return code;
}
