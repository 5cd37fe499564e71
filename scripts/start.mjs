// The first command on a fresh clone: installs, builds and opens the example terminal.
//   npm start [-- --script FILE]
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { at } from './support/paths.mjs';
import { leave } from './support/steps.mjs';

try {
  await requireRust();
  await install();
  await build({ eitherProfile: true });
  const main = ['main.mjs', 'main.js'].map((name) => at('dist', 'examples', 'terminal', name));
  const terminal = main.find((path) => existsSync(path));
  if (!terminal) throw new Error('the examples were built, but examples/terminal has no main');
  // The terminal owns Ctrl-C: this process only outlives it to hand its exit code on.
  process.on('SIGINT', () => {});
  const child = spawn(process.execPath, [terminal, ...process.argv.slice(2)], { stdio: 'inherit' });
  // What asks this process to end asks the terminal, which stops what runs and leaves.
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15);
  });
} catch (error) {
  leave(error);
}
