import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { tool } from './install.mjs';
import { environment, yarn, yarnEnvironment } from './managers.mjs';
import { at, bin } from './paths.mjs';
import { runNode, StepFailed } from './steps.mjs';

/** @typedef {import('./managers.mjs').Place} Place */

/** What every program does with the package: memory, and a file. */
const use = `
  const use = async () => {
    const core = new RuntimeCore({ newId: () => 'id', now: () => 0 });
    const claim = core.claimExecution('session');
    const before = claim.phase;
    claim.release();
    const journal = await OperationJournal.open(process.cwd() + '/' + process.pid + '.journal');
    journal.reserveSync('operation', 'd'.repeat(64), { text: 'x' }, 'scope');
    await journal.close();
    console.log(JSON.stringify([before, claim.phase]));
  };
  use();
`;
const answer = ['pending', 'released'];

const esm = `import { OperationJournal, RuntimeCore } from 'tenure';\n${use}`;
const cjs = `const { OperationJournal, RuntimeCore } = require('tenure');\n${use}`;

/** Each thread loads the package; the one that ends takes nothing from the other. */
const threads = `
  import { once } from 'node:events';
  import { fileURLToPath } from 'node:url';
  import { Worker, isMainThread, parentPort } from 'node:worker_threads';
  import { RuntimeCore } from 'tenure';
  const core = new RuntimeCore({ newId: () => 'id', now: () => 0, scope: 'shared' });
  const use = (session) => {
    const claim = core.claimExecution(session);
    const before = claim.phase;
    claim.release();
    return [before, claim.phase];
  };
  if (isMainThread) {
    const worker = new Worker(fileURLToPath(import.meta.url));
    const [told] = await once(worker, 'message');
    await once(worker, 'exit');
    console.log(JSON.stringify([...told, ...use('main')]));
  } else {
    parentPort.postMessage(use('worker'));
  }
`;

/** The same in TypeScript, with what only the declaration can be wrong about. */
const typed = `
  import { RuntimeCore, type ClaimPhase, type CoreErrorCode } from 'tenure';
  const core = new RuntimeCore({ newId: () => 'id', now: () => 0 });
  const phases: ClaimPhase[] = [];
  {
    using claim = core.claimExecution('session');
    phases.push(claim.phase);
    claim.release();
    phases.push(claim.phase);
  }
  // @ts-expect-error: no such phase
  const wrong: ClaimPhase = 'elsewhere';
  const code: CoreErrorCode = 'ERR_SESSION_BUSY';
  void [wrong, code];
  console.log(JSON.stringify(phases));
`;

/** @param {string} output the last line is the answer */
const lastLine = (output) => JSON.parse(output.trim().split('\n').at(-1) ?? '');

/**
 * Runs a program in a folder by plain Node.js, in this process's own environment if it has no place.
 * @param {Place | undefined} place @param {string} folder @param {string} file @param {string} text
 */
export async function program(place, folder, file, text) {
  writeFileSync(join(folder, file), text);
  const env = place ? environment(place) : {};
  const { output } = await runNode(file, [], { cwd: folder, env });
  return lastLine(output);
}

/** The same under Plug'n'Play, where there is no node_modules. @type {typeof program} */
export async function programByYarn(place, folder, file, text) {
  writeFileSync(join(folder, file), text);
  const env = place ? yarnEnvironment(place, 'pnp') : {};
  const { output } = await runNode(yarn, ['node', file], { cwd: folder, env });
  return lastLine(output);
}

/** @typedef {typeof program} Program */

/** @param {Place | undefined} place @param {string} folder @param {Program} [start] */
export const required = async (place, folder, start = program) =>
  assert.deepEqual(await start(place, folder, 'required.cjs', cjs), answer);

/** @param {Place | undefined} place @param {string} folder @param {Program} [start] */
export const imported = async (place, folder, start = program) =>
  assert.deepEqual(await start(place, folder, 'imported.mjs', esm), answer);

/** @param {Place | undefined} place @param {string} folder @param {Program} [start] */
export const threaded = async (place, folder, start = program) =>
  assert.deepEqual(await start(place, folder, 'threads.mjs', threads), [...answer, ...answer]);

/** What the consumer's compiler is told, besides its own way to find a module. */
const strict = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'ES2022',
  types: ['node'],
  typeRoots: [at('node_modules', '@types')],
  rootDir: '.',
  outDir: 'out',
};

const resolutions = {
  NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
  Bundler: { module: 'ESNext', moduleResolution: 'Bundler' },
};

/**
 * Compiles in a strict project and runs what came out.
 * @param {Place} place @param {string} installed @param {string} compiler
 * @param {keyof typeof resolutions} resolution
 */
export async function compiled(place, installed, compiler, resolution) {
  const folder = join(installed, `${compiler}-${resolution}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const files = resolution === 'NodeNext' ? ['app.mts', 'app.cts'] : ['app.ts'];
  for (const file of files) writeFileSync(join(folder, file), typed);
  const options = { compilerOptions: { ...strict, ...resolutions[resolution] }, files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  await runNode(bin(compiler, 'tsc'), ['-p', '.'], { cwd: folder });
  for (const file of files) {
    const built = join('out', file.replace('ts', 'js'));
    const { output } = await runNode(built, [], { cwd: folder, env: environment(place) });
    assert.deepEqual(lastLine(output), answer, file);
  }
}

/** @param {Place} place @param {string} folder @param {string} file of what was built */
async function runBuilt(place, folder, file) {
  const { output } = await runNode(file, [], { cwd: folder, env: environment(place) });
  assert.deepEqual(lastLine(output), answer);
}

/** @param {Place} place @param {string} folder @param {'esm' | 'cjs'} format */
export async function byEsbuild(place, folder, format) {
  const extension = { esm: 'mjs', cjs: 'cjs' }[format];
  const entry = join(folder, `entry.${extension}`);
  const outfile = join(folder, `esbuilt.${extension}`);
  writeFileSync(entry, { esm, cjs }[format]);
  /** @type {{ build(options: object): Promise<unknown> }} */
  const esbuild = createRequire(import.meta.url)(tool('esbuild'));
  const options = { bundle: true, platform: 'node', logLevel: 'silent', external: ['tenure'] };
  await esbuild.build({ ...options, format, entryPoints: [entry], outfile });
  await runBuilt(place, folder, outfile);
}

/** @param {Place} place @param {string} folder */
export async function byVite(place, folder) {
  writeFileSync(join(folder, 'vite-entry.mjs'), esm);
  const config = `export default {
    build: { ssr: 'vite-entry.mjs', outDir: 'vite-built', target: 'node20' },
    ssr: { external: ['tenure'] },
  };`;
  writeFileSync(join(folder, 'vite.config.mjs'), config);
  await runNode(bin('vite'), ['build', '--logLevel', 'error'], { cwd: folder });
  await runBuilt(place, folder, join('vite-built', 'vite-entry.mjs'));
}

/** @typedef {{ code: string, message: string, causes: string[] }} Failure */

/**
 * How loading ends, for require and for import: with an error, or well.
 * @param {Place} place @param {string} folder
 * @param {{ preload?: string, env?: Record<string, string>, start?: Program }} [options]
 * @returns {Promise<Failure | 'loaded'>}
 */
export async function loading(place, folder, { preload = '', env = {}, start = program } = {}) {
  const text = `
    ${preload}
    Object.assign(process.env, ${JSON.stringify(env)});
    const tell = (error) => {
      const causes = [];
      // Without the stack of requires, which is not the same from a module.
      const line = (cause) => cause.message.split('\\n')[0];
      for (let each = error.cause; each; each = each.cause) causes.push(line(each));
      return { class: error.constructor.name, code: error.code, message: error.message, causes };
    };
    const attempt = async (load) => {
      try { await load(); return 'loaded'; } catch (error) { return tell(error); }
    };
    (async () => {
      const required = await attempt(() => require('tenure'));
      const imported = await attempt(() => import('tenure'));
      console.log(JSON.stringify({ required, imported }));
    })();
  `;
  const { required, imported } = await start(place, folder, 'loading.cjs', text);
  assert.deepEqual(imported, required, 'import and require end in the same way');
  return required;
}

/** The error that loading ends with. @type {(...given: Parameters<typeof loading>) => Promise<Failure>} */
export async function failure(...given) {
  const told = await loading(...given);
  if (told === 'loaded') assert.fail('It loaded.');
  return told;
}

/** Turns what an assertion says into the output of a failed check. @param {() => Promise<unknown>} work */
export async function asserting(work) {
  try {
    await work();
  } catch (error) {
    if (error instanceof StepFailed) throw error;
    throw new StepFailed(
      'check',
      error instanceof Error ? (error.stack ?? error.message) : `${error}`,
    );
  }
}
