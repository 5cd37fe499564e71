import { existsSync } from 'node:fs';
import { at, npm, readJson } from './paths.mjs';
import { run, step, StepFailed } from './steps.mjs';

/**
 * Whether node_modules holds what the lock file asks for, judged by npm's own record of what it
 * installed. Optional packages of other systems are absent by right.
 */
export function isInstalled() {
  const record = at('node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readJson(at('package-lock.json')).packages;
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
