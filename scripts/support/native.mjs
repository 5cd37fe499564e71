import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { at, bin, readJson, root } from './paths.mjs';
import { runNode, StepFailed } from './steps.mjs';

/** @typedef {'release' | 'debug'} Profile */

/**
 * Builds the addon and its loader, binding.js, into the project's folder.
 * @param {Profile} profile
 */
export async function buildNative(profile) {
  await mkdir(at('dist'), { recursive: true });
  await runNode(bin('@napi-rs/cli', 'napi'), [
    'build',
    '--platform',
    ...(profile === 'release' ? ['--release'] : []),
    '--no-js',
    '--dts',
    'dist/binding.d.ts',
    '--no-const-enum',
  ]);
  await writeLoader();
}

/** The addon's file for this very system, as the loader will look for it. */
export function addonName() {
  const { platform, arch } = process;
  const report = /** @type {any} */ (process.report.getReport());
  const musl = platform === 'linux' && !report.header.glibcVersionRuntime;
  const abi = { linux: musl ? '-musl' : '-gnu', win32: '-msvc' }[/** @type {string} */ (platform)];
  return `tenure.${platform}-${arch}${abi ?? ''}.node`;
}

/**
 * napi writes no loader for an addon that registers its functions by itself, as ours does: it knows
 * no name to export. So it is handed the names that the built addon really has.
 */
export async function writeLoader() {
  const { writeJsBinding } = await import('@napi-rs/cli');
  const { name, version, napi } = readJson(at('package.json'));
  const idents = Object.keys(createRequire(import.meta.url)(at(addonName())))
    .filter((ident) => /^[A-Za-z_$][\w$]*$/.test(ident))
    .sort();
  if (idents.length === 0) throw new StepFailed('napi build', 'The built addon exports nothing.');
  await writeJsBinding({
    platform: true,
    jsBinding: 'binding.js',
    binaryName: napi.binaryName,
    packageName: name,
    version,
    outputDir: root,
    idents,
  });
}
