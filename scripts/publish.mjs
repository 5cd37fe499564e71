// Publishes what `npm run lay-out` has laid out, the platforms before the package that asks for them;
// what the registry has already is left alone. Run by the release workflow.
//   node scripts/publish.mjs [FOLDER] [NPM-OPTION...]
import { basename, resolve } from 'node:path';
import { at } from './support/paths.mjs';
import { isStandIn, packages, publish } from './support/publication.mjs';
import { leave, StepFailed } from './support/steps.mjs';

try {
  if (process.argv.includes('--not-from-here')) {
    throw new StepFailed(
      'publish',
      'Nothing is published from here: the release workflow does it.',
    );
  }
  const [first = '', ...rest] = process.argv.slice(2);
  const isFolder = first !== '' && !first.startsWith('-');
  const folders = packages(isFolder ? resolve(first) : at('dist', 'publish'));
  if (folders.some(isStandIn)) {
    throw new StepFailed('publish', 'It was laid out without --artifacts: for a try only.');
  }
  const options = isFolder ? rest : process.argv.slice(2);
  for (const folder of folders) {
    const isNew = await publish(folder, options);
    console.log(`${basename(folder)}: ${isNew ? 'published' : 'is there already'}`);
  }
} catch (error) {
  if (error instanceof StepFailed) process.stderr.write(`${error.output}\n`);
  leave(error);
}
