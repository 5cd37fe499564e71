// Builds for release and runs the benchmarks: npm run bench [-- ARGS of bench/run.mjs]
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { at, npm, readJson } from './support/paths.mjs';
import { StepFailed, leave, run, step } from './support/steps.mjs';

/** Whether bench/node_modules has a package in the version asked for. @param {string} name @param {string} version */
function hasRival(name, version) {
  const manifest = at('bench', 'node_modules', name, 'package.json');
  return existsSync(manifest) && readJson(manifest).version === version;
}

/**
 * The rivals are packages of the benchmark alone. One of them is a native addon, built here where no built
 * one can be fetched; without it the rest is still worth running, and says what was not.
 */
async function installRivals() {
  const wanted = readJson(at('bench', 'package.json')).dependencies ?? {};
  if (Object.entries(wanted).every(([name, version]) => hasRival(name, version))) return;
  const { command, before, shell } = npm();
  const verb = existsSync(at('bench', 'package-lock.json')) ? 'ci' : 'install';
  try {
    await step('installing the rivals', () =>
      run(command, [...before, verb], { cwd: at('bench'), shell }),
    );
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  }
}

try {
  await requireRust();
  await install();
  await installRivals();
  await build({ only: ['native', 'face'] });
  const args = ['--expose-gc', at('bench', 'run.mjs'), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  child.on('exit', (code) => (process.exitCode = code ?? 1));
} catch (error) {
  leave(error);
}
