// Lays out in dist/publish what npm gets: the package and one package for each platform.
//   npm run lay-out -- --artifacts FOLDER     with the addon of every platform, for a release
//   npm run lay-out                           with this system's addon only, to look at and to install
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addonName, writeLoader } from './support/native.mjs';
import { at, readJson } from './support/paths.mjs';
import { layOut, packages } from './support/publication.mjs';
import { leave, StepFailed } from './support/steps.mjs';

const { values } = parseArgs({ options: { artifacts: { type: 'string' } } });

/** Provenance is refused, after the first packages are out, unless the address is that of the workflow. */
function requireRepository() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const url = String(readJson(at('package.json')).repository?.url ?? '');
  if (server && repository && url.includes(`${server}/${repository}`)) return;
  const what =
    'A release is laid out by the release workflow, and repository.url in package.json has to be ' +
    `where it runs: ${server && repository ? `${server}/${repository}` : 'not known here'}, not "${url}".`;
  throw new StepFailed('repository', what);
}

try {
  if (values.artifacts) {
    requireRepository();
    // Where nothing was built: this system's addon tells the loader what there is to export.
    copyFileSync(join(values.artifacts, addonName()), at(addonName()));
    await writeLoader();
  }
  const target = at('dist', 'publish');
  await layOut(target, values.artifacts && resolve(values.artifacts));
  for (const folder of packages(target)) console.log(folder);
} catch (error) {
  if (error instanceof StepFailed) process.stderr.write(`${error.output}\n`);
  leave(error);
}
