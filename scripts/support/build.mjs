import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCommandInPlace } from './command.mjs';
import { buildFaceInPlace } from './face.mjs';
import { addonName, buildNative } from './native.mjs';
import { at, bin, readJson } from './paths.mjs';
import { runNode, step } from './steps.mjs';

/**
 * What is built, from what, into what. A part is current while its sources have the digest they had
 * when it was built and its products are as that build left them.
 * @typedef {object} Part
 * @property {string[]} sources files and folders
 * @property {() => string[]} products
 * @property {string} label
 * @property {() => Promise<unknown>} build
 */

const record = (/** @type {string} */ name) => at('dist', `.built-${name}.json`);

/** @type {(profile: import('./native.mjs').Profile) => Part} */
const native = (profile) => ({
  sources: [
    'src',
    'Cargo.toml',
    'Cargo.lock',
    'build.rs',
    'package.json',
    'scripts/support/native.mjs',
  ],
  products: () => ['binding.js', addonName()],
  label: `building the Rust core (${profile})`,
  build: () => buildNative(profile),
});

/** @type {Part} */
const face = {
  sources: [
    'lib',
    'tsconfig.base.json',
    'tsconfig.lib.json',
    'package.json',
    'scripts/support/face.mjs',
    'scripts/support/declaration.mjs',
  ],
  products: () => ['index.js', 'index.d.ts'],
  label: 'building the TypeScript face',
  build: buildFaceInPlace,
};

/** @type {Part} */
const command = {
  sources: [
    'cli',
    'index.d.ts',
    'tsconfig.base.json',
    'tsconfig.cli.json',
    'package.json',
    'scripts/support/command.mjs',
    'scripts/support/timeline-page.mjs',
  ],
  products: () => ['bin/tenure.js'],
  label: 'building the command',
  build: buildCommandInPlace,
};

/** @type {Part} */
const examples = {
  sources: ['examples', 'index.d.ts', 'tsconfig.base.json'],
  products: () => ['dist/examples'],
  label: 'building the examples',
  build: async () => {
    rmSync(at('dist', 'examples'), { recursive: true, force: true });
    await runNode(bin('typescript', 'tsc'), ['-p', at('examples', 'tsconfig.json')]);
  },
};

/** @param {import('node:crypto').Hash} hash @param {string} path */
function digestInto(hash, path) {
  const full = at(path);
  if (!existsSync(full)) return;
  if (!statSync(full).isDirectory()) {
    hash.update(`${path}\0`).update(readFileSync(full)).update('\0');
    return;
  }
  for (const name of readdirSync(full).sort()) digestInto(hash, join(path, name));
}

/** @param {Part} part */
function sourceDigest(part) {
  const hash = createHash('sha256');
  for (const path of part.sources) digestInto(hash, path);
  return hash.digest('hex');
}

/** @param {Part} part */
const productState = (part) =>
  part.products().map((name) => {
    const stat = statSync(at(name), { throwIfNoEntry: false });
    return stat ? `${name} ${stat.isDirectory() ? '' : `${stat.size} ${stat.mtimeMs}`}` : name;
  });

/** @param {string} name @param {Part} part @param {string} variant */
function isCurrent(name, part, variant) {
  if (!existsSync(record(name))) return false;
  const built = readJson(record(name));
  return (
    built.variant === variant &&
    built.sources === sourceDigest(part) &&
    JSON.stringify(built.products) === JSON.stringify(productState(part))
  );
}

/** @param {string} name @param {Part} part @param {{ force?: boolean, variant?: string }} [options] */
async function ensure(name, part, { force = false, variant = '' } = {}) {
  if (!force && isCurrent(name, part, variant)) return;
  rmSync(record(name), { force: true });
  await step(part.label, part.build);
  await mkdir(at('dist'), { recursive: true });
  const built = { variant, sources: sourceDigest(part), products: productState(part) };
  await writeFile(record(name), JSON.stringify(built));
}

/**
 * Builds what is not current, in the order in which one part needs another.
 * @param {object} [options]
 * @param {import('./native.mjs').Profile} [options.profile]
 * @param {boolean} [options.eitherProfile] a current debug build will do
 * @param {boolean} [options.force]
 * @param {readonly string[]} [options.only] native, face, examples
 */
export async function build(options = {}) {
  const { profile = 'release', eitherProfile = false, force = false } = options;
  const only = options.only ?? ['native', 'face', 'examples'];
  if (only.includes('native')) {
    const other = profile === 'release' ? 'debug' : 'release';
    const otherWillDo = eitherProfile && !force && isCurrent('native', native(other), other);
    if (!otherWillDo) await ensure('native', native(profile), { force, variant: profile });
  }
  if (only.includes('face')) {
    await ensure('face', face, { force });
    await ensure('command', command, { force });
  }
  if (only.includes('examples') && existsSync(at('examples', 'tsconfig.json'))) {
    await ensure('examples', examples, { force });
  }
}
