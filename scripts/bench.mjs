// Builds for release and runs the benchmarks: npm run bench [-- ARGS of bench/run.mjs]
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { at, npm, readJson } from './support/paths.mjs';
import { leave, run, step } from './support/steps.mjs';

/** The rivals are packages of the benchmark alone. */
async function installRivals() {
  const wanted = readJson(at('bench', 'package.json')).dependencies ?? {};
  const missing = Object.keys(wanted).filter(
    (name) => !existsSync(at('bench', 'node_modules', name)),
  );
  if (missing.length === 0) return;
  const { command, before, shell } = npm();
  const verb = existsSync(at('bench', 'package-lock.json')) ? 'ci' : 'install';
  await step('installing the rivals', () =>
    run(command, [...before, verb], { cwd: at('bench'), shell }),
  );
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
