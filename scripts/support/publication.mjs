import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { addonName } from './native.mjs';
import { at, bin, npm, readJson } from './paths.mjs';
import { run, runNode, StepFailed } from './steps.mjs';

/** What goes with a binary wherever it goes. */
const papers = ['LICENSE-APACHE', 'LICENSE-MIT', 'THIRD_PARTY_LICENSES'];

/** Fields of the manifest that are of use here only. */
const ours = ['scripts', 'devDependencies', 'prettier', 'napi'];

/** Provenance is of the workflow that publishes; npm refuses it anywhere else. */
const publishConfig = { access: 'public', provenance: true };

const standIn = 'stands in for an addon\n';

/** @param {string} path @param {unknown} value */
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** @param {string} folder @param {(manifest: any) => any} edit */
function editManifest(folder, edit) {
  const path = join(folder, 'package.json');
  writeJson(path, edit(readJson(path)));
}

/** @param {string} folder @param {string[]} args */
const napi = (folder, ...args) =>
  runNode(bin('@napi-rs/cli', 'napi'), [...args, '--cwd', folder], { cwd: folder });

/**
 * The addons to publish. Without a folder of built ones it is this system's own, and files that no
 * system loads in place of all others: enough to install from, never to be published.
 * @param {string} work @param {string} [artifacts]
 */
function gather(work, artifacts) {
  if (artifacts) return artifacts;
  const folder = join(work, 'artifacts');
  mkdirSync(folder);
  for (const platform of readdirSync(join(work, 'npm'))) {
    writeFileSync(join(folder, `tenure.${platform}.node`), standIn);
  }
  copyFileSync(at(addonName()), join(folder, addonName()));
  return folder;
}

/**
 * Lays out, in `target`, a folder for each package as npm gets it: `tenure`, and one for each
 * platform. The project's own files stay as they are.
 * @param {string} target @param {string} [artifacts] folder with the addon of every platform
 */
export async function layOut(target, artifacts) {
  rmSync(target, { recursive: true, force: true });
  const manifest = readJson(at('package.json'));
  const main = join(target, manifest.name);
  mkdirSync(main, { recursive: true });
  for (const file of ['package.json', 'README.md', ...manifest.files]) {
    cpSync(at(file), join(main, file), { recursive: true });
  }
  await napi(main, 'create-npm-dirs');
  const folder = gather(main, artifacts);
  await napi(main, 'artifacts', '--output-dir', folder);
  // Writes optionalDependencies, and fails unless every platform has its addon.
  await napi(main, 'pre-publish', '-t', 'npm', '--no-gh-release', '--skip-optional-publish');
  rmSync(join(main, 'artifacts'), { recursive: true, force: true });
  for (const file of readdirSync(main)) if (file.endsWith('.node')) rmSync(join(main, file));
  for (const platform of readdirSync(join(main, 'npm'))) {
    const home = join(target, `${manifest.name}-${platform}`);
    renameSync(join(main, 'npm', platform), home);
    const present = papers.filter((paper) => existsSync(at(paper)));
    for (const paper of present) copyFileSync(at(paper), join(home, paper));
    editManifest(home, (each) => ({ ...each, files: [...each.files, ...present], publishConfig }));
  }
  rmSync(join(main, 'npm'), { recursive: true });
  editManifest(main, (each) => {
    const kept = Object.entries(each).filter(([field]) => !ours.includes(field));
    return { ...Object.fromEntries(kept), publishConfig };
  });
}

/** The laid out folders in the order of publishing: what the main package asks for goes before it. */
export function packages(/** @type {string} */ target) {
  const { name } = readJson(at('package.json'));
  const folders = readdirSync(target).filter((folder) => folder !== name);
  return [...folders.sort(), name].map((folder) => join(target, folder));
}

/** Whether a folder was laid out for a try only. @param {string} folder */
export const isStandIn = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.node'))
    .some((file) => readFileSync(join(folder, file)).equals(Buffer.from(standIn)));

/**
 * Publishes one folder, unless the registry has that version: a release that stopped halfway is
 * started again as it is.
 * @param {string} folder @param {readonly string[]} [options] @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<boolean>} whether it was published now
 */
export async function publish(folder, options = [], env = {}) {
  const { name, version } = readJson(join(folder, 'package.json'));
  const { command, before, shell } = npm();
  const asked = { cwd: folder, env, shell, mayFail: true };
  const view = await run(command, [...before, 'view', `${name}@${version}`, 'version'], asked);
  if (view.code === 0 && view.output.includes(version)) return false;
  if (view.code !== 0 && !view.output.includes('E404')) {
    throw new StepFailed(`npm view ${basename(folder)}`, view.output);
  }
  await run(command, [...before, 'publish', ...options], { cwd: folder, env, shell });
  return true;
}
