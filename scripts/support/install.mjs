import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { at, npm, readJson, root } from './paths.mjs';
import { run, step, StepFailed } from './steps.mjs';

/**
 * Whether node_modules holds what the lock file asks for, judged by npm's own record of what it
 * installed. Optional packages of other systems are absent by right.
 * @param {string} [folder]
 */
export function isInstalled(folder = root) {
  const record = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readJson(join(folder, 'package-lock.json')).packages;
  const present = readJson(record).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true;
    const found = present[path];
    return found ? found.version === entry.version : Boolean(entry.optional);
  });
}

/** `npm ci`, when it is needed. */
export async function install() {
  if (isInstalled()) return;
  const { command, before, shell } = npm();
  await step('installing packages', () => run(command, [...before, 'ci'], { shell }));
}

const tools = at('scripts', 'tools');

/** A file of a tool: what only some checks need, with a lock file of its own. @param {string[]} path */
export const tool = (...path) => join(tools, 'node_modules', ...path);

/** Installs the tools when it is needed; false where they cannot be had. */
export async function installTools() {
  if (isInstalled(tools)) return true;
  const { command, before, shell } = npm();
  try {
    await step('installing the tools of the package checks', () =>
      run(command, [...before, 'ci', '--ignore-scripts'], { cwd: tools, shell }),
    );
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  }
  return isInstalled(tools);
}

/** Says at once, and in words, what a fresh machine lacks. */
export async function requireRust() {
  try {
    await run('cargo', ['--version']);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    process.stderr.write(
      'tenure is built from Rust sources, and `cargo` was not found.\n' +
        'Install Rust (rustup, stable, see rust-version in Cargo.toml) and run this again.\n',
    );
    throw new StepFailed('cargo --version', '');
  }
}
