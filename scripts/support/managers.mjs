import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from './install.mjs';
import { bin, npm } from './paths.mjs';
import { run, runNode } from './steps.mjs';

/**
 * A place with nothing in it: a home of its own, so that no cache, store or setting of the machine
 * has a say, and a registry.
 * @typedef {object} Place
 * @property {string} root
 * @property {import('./registry.mjs').Registry} registry
 */

/** What a manager would take from whoever started this. */
const foreign = /^(npm_|pnpm_|yarn_|corepack_|node_options$|node_path$|ci$)/i;

/** @param {Place} place @returns {Record<string, string | undefined>} */
export function environment({ root, registry }) {
  const cleared = Object.keys(process.env).filter((name) => foreign.test(name));
  const home = join(root, 'home');
  mkdirSync(home, { recursive: true });
  return {
    ...Object.fromEntries(cleared.map((name) => [name, undefined])),
    ...{ HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home },
    ...{ XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home },
    NO_PROXY: '127.0.0.1',
    no_proxy: '127.0.0.1',
    npm_config_cache: join(home, 'npm'),
    npm_config_registry: registry.url,
    npm_config_userconfig: join(home, 'npmrc'),
    npm_config_update_notifier: 'false',
    YARN_NPM_REGISTRY_SERVER: registry.url.replace(/\/$/, ''),
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_SCRIPTS: 'false',
    YARN_ENABLE_TELEMETRY: 'false',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  };
}

/** A new folder of a user who wants the package. @param {Place} place @param {object} [manifest] */
export function project(place, manifest = {}) {
  mkdirSync(place.root, { recursive: true });
  const folder = mkdtempSync(join(place.root, 'project-'));
  const text = JSON.stringify({ name: 'consumer', version: '1.0.0', private: true, ...manifest });
  writeFileSync(join(folder, 'package.json'), text);
  writeFileSync(join(folder, '.npmrc'), `registry=${place.registry.url}\n`);
  return folder;
}

/** @param {Place} place @param {string} folder @param {string[]} args */
export function callNpm(place, folder, ...args) {
  const { command, before, shell } = npm();
  const options = { cwd: folder, env: environment(place), shell };
  return run(command, [...before, ...args, '--no-audit', '--no-fund'], options);
}

/** Each gives back a folder in which the package has been installed without running any script. */
export const managers = {
  npm: async (/** @type {Place} */ place, /** @type {string[]} */ ...options) => {
    const folder = project(place);
    await callNpm(place, folder, 'install', 'tenure', '--ignore-scripts', ...options);
    return folder;
  },
  pnpm: async (/** @type {Place} */ place) => {
    const folder = project(place);
    const args = ['add', 'tenure', '--ignore-scripts'];
    await runNode(bin('pnpm', 'pnpm', tool()), args, { cwd: folder, env: environment(place) });
    return folder;
  },
  yarn: (/** @type {Place} */ place) => addByYarn(place, 'node-modules'),
  /** `architectures`: for these in place of this one. */
  pnp: (/** @type {Place} */ place, /** @type {object} */ architectures = {}) =>
    addByYarn(place, 'pnp', architectures),
};

/** @param {Place} place @param {string} linker */
export const yarnEnvironment = (place, linker) => ({
  ...environment(place),
  YARN_NODE_LINKER: linker,
});

export const yarn = tool('@yarnpkg', 'cli-dist', 'bin', 'yarn.js');

/** @param {Place} place @param {'node-modules' | 'pnp'} linker @param {object} [architectures] */
async function addByYarn(place, linker, architectures = {}) {
  const folder = project(place);
  // A lock file of its own makes it a project, whatever lies in the folders above.
  writeFileSync(join(folder, 'yarn.lock'), '');
  // Modules are found by a loader, which a project that has none yet is not given by itself.
  const settings = { supportedArchitectures: architectures, pnpEnableEsmLoader: true };
  writeFileSync(join(folder, '.yarnrc.yml'), JSON.stringify(settings));
  await runNode(yarn, ['add', 'tenure'], { cwd: folder, env: yarnEnvironment(place, linker) });
  return folder;
}
