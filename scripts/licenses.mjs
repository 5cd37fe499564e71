// Writes THIRD_PARTY_LICENSES, which goes with every package; `npm run check -- licences` compares.
import { writeFileSync } from 'node:fs';
import { thirdPartyLicences } from './support/licences.mjs';
import { at } from './support/paths.mjs';
import { leave, StepFailed } from './support/steps.mjs';

try {
  writeFileSync(at('THIRD_PARTY_LICENSES'), await thirdPartyLicences());
} catch (error) {
  if (error instanceof StepFailed) process.stderr.write(`${error.output}\n`);
  leave(error);
}
