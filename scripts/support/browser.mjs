import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './steps.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** Without a screen, as root in a container, and without a word to anybody else. */
export const browserFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  // A container has little shared memory.
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why a test that needs one is not run. */
export const noBrowser =
  'there is no Chromium here: `node scripts/browser.mjs` installs one, or TENURE_BROWSER names one';

/** The Chromium to test with: the one that TENURE_BROWSER names, else one of the search path. */
export function findBrowser() {
  const { TENURE_BROWSER: named, PATH = '' } = process.env;
  if (named) return named;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Debian's Chromium, where one may install it. Resolves to why it is not there now, or to nothing. */
export async function installBrowser() {
  if (findBrowser()) return undefined;
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root of a Debian system can have Chromium installed by this';
  const patience = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=30'];
  const install = ['install', '--yes', '--no-install-recommends', 'chromium'];
  for (const args of [['update'], install]) {
    const ended = await run('apt-get', [...patience, ...args], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      mayFail: true,
    }).catch(() => undefined);
    if (ended === undefined) return 'there is no apt-get here';
    if (ended.code !== 0) return `apt-get ${args[0]} failed: ${lastLine(ended.output)}`;
  }
  return findBrowser() ? undefined : 'apt-get installed no browser';
}

/** @param {string} output */
const lastLine = (output) => output.trim().split('\n').at(-1) ?? '';
