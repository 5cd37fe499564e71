// Writes what the packages are made of, as CycloneDX JSON.
//   npm run sbom [-- FILE]      dist/sbom.cdx.json, if no other file is named
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { at } from './support/paths.mjs';
import { billOfMaterials } from './support/sbom.mjs';
import { leave, StepFailed } from './support/steps.mjs';

try {
  const file = resolve(process.argv[2] ?? at('dist', 'sbom.cdx.json'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(await billOfMaterials(), null, 2)}\n`);
  console.log(file);
} catch (error) {
  if (error instanceof StepFailed) process.stderr.write(`${error.output}\n`);
  leave(error);
}
