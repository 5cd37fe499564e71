// Builds what is not current and runs one of the small examples.
//   npm run example [-- NAME [ARGUMENT...]]
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { at } from './support/paths.mjs';
import { leave } from './support/steps.mjs';

const [name, ...args] = process.argv.slice(2);
const names = readdirSync(at('examples', 'small'))
  .filter((file) => file.endsWith('.mts'))
  .map((file) => file.slice(0, -'.mts'.length));

/** @param {string} example its head comment, up to the command */
function about(example) {
  const text = readFileSync(at('examples', 'small', `${example}.mts`), 'utf8');
  const head = text.slice(0, text.indexOf('//   npm'));
  return head.replaceAll(/^\/\/ /gm, '    ').trimEnd();
}

if (!name || !names.includes(name)) {
  if (name) process.stderr.write(`There is no example "${name}".\n\n`);
  for (const example of names) console.log(`${example}\n${about(example)}`);
  console.log('\nnpm run example -- NAME runs one.');
  if (name) process.exitCode = 1;
} else {
  try {
    await requireRust();
    await install();
    await build({ eitherProfile: true });
    const file = at('dist', 'examples', 'small', `${name}.mjs`);
    const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' });
    child.on('exit', (code) => (process.exitCode = code ?? 1));
  } catch (error) {
    leave(error);
  }
}
