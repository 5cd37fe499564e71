// Installs the laid out packages of this very system and uses them, in whatever image it is run:
//   node scripts/load.mjs FOLDER        the folder that `npm run lay-out` has made
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { asserting, imported, required, threaded } from './support/consumer.mjs';
import { addonName } from './support/native.mjs';
import { npm } from './support/paths.mjs';
import { leave, run, StepFailed } from './support/steps.mjs';

const laidOut = resolve(process.argv[2] ?? '');
const mine = `tenure-${addonName().split('.')[1]}`;
const root = realpathSync(mkdtempSync(join(tmpdir(), 'tenure-load-')));

try {
  // From a copy, since the image may have the folder for reading only.
  const folder = join(root, 'project');
  for (const name of ['tenure', mine])
    cpSync(join(laidOut, name), join(root, name), { recursive: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const { command, before, shell } = npm();
  // Offline: what is not at hand is not to be taken from a registry in its place.
  const options = ['install', '--install-links', '--ignore-scripts', '--offline', '--no-audit'];
  const specs = [join(root, mine), join(root, 'tenure')];
  await run(command, [...before, ...options, ...specs], { cwd: folder, shell });
  for (const work of [required, imported, threaded]) await asserting(() => work(undefined, folder));
  console.log(`${mine} works on Node.js ${process.version}`);
} catch (error) {
  if (error instanceof StepFailed) process.stderr.write(`${error.output}\n`);
  leave(error);
} finally {
  rmSync(root, { recursive: true, force: true });
}
