import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A path inside the project. @param {string[]} parts */
export const at = (...parts) => join(root, ...parts);

/** The contract that other people wrote, where it lies beside the project. */
export const shared = resolve(root, '..', 'shared', 'contract');
export const hasShared = () => existsSync(join(shared, 'kernel.d.ts'));

/** @param {string} path @returns {any} */
export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * The script behind a command of an installed package, to be run by `node` itself: the shell
 * wrappers of `node_modules/.bin` differ from one system to the next.
 * @param {string} pkg @param {string} [command] @param {string} [modules] the node_modules it is in
 */
export function bin(pkg, command = pkg, modules = at('node_modules')) {
  const home = join(modules, ...pkg.split('/'));
  const declared = readJson(join(home, 'package.json')).bin;
  return join(home, typeof declared === 'string' ? declared : declared[command]);
}

/** Against `npm run --silent`, which would make npm fail without a word. */
const audible = '--loglevel=notice';

/**
 * What to spawn for npm, whichever way this script was started.
 * @returns {{ command: string, before: string[], shell: boolean }}
 */
export function npm() {
  const script = process.env.npm_execpath;
  if (script && /\.[cm]?js$/.test(script) && /npm-cli/.test(script)) {
    return { command: process.execPath, before: [script, audible], shell: false };
  }
  return { command: 'npm', before: [audible], shell: process.platform === 'win32' };
}
