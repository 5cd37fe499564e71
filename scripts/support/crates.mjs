import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { at, readJson } from './paths.mjs';
import { run, StepFailed } from './steps.mjs';

/**
 * A crate of which code is in the addon, on one of its platforms at least.
 * @typedef {object} Crate
 * @property {string} id
 * @property {string} name
 * @property {string} version
 * @property {string} license an SPDX expression
 * @property {string[]} authors
 * @property {string} [checksum] of its package, as Cargo.lock has it
 * @property {string} folder its source
 * @property {string[]} dependencies ids
 */

/** What a crate says of its licence, in the older form too. @param {string | null} license */
const expression = (license) => (license ?? 'NOASSERTION').replace(/\s*\/\s*/g, ' OR ');

/** @returns {Map<string, string>} by name and version */
function checksums() {
  const blocks = readFileSync(at('Cargo.lock'), 'utf8').split('[[package]]').slice(1);
  return new Map(
    blocks.map((block) => {
      const field = (/** @type {string} */ name) =>
        block.match(new RegExp(`^${name} = "(.*)"$`, 'm'))?.[1] ?? '';
      return [`${field('name')} ${field('version')}`, field('checksum')];
    }),
  );
}

/** The addon itself, and all that it links: no macro, no build script, no test. */
export async function linkedCrates() {
  const targets = readJson(at('package.json')).napi.targets;
  const platforms = targets.flatMap((/** @type {string} */ each) => ['--filter-platform', each]);
  const asked = ['metadata', '--format-version', '1', '--locked', ...platforms];
  const { output } = await run('cargo', asked);
  // What cargo downloads meanwhile it tells before.
  const metadata = JSON.parse(output.slice(output.indexOf('{"packages"')));
  const sums = checksums();
  /** @type {Map<string, any>} */
  const packages = new Map(metadata.packages.map((/** @type {any} */ each) => [each.id, each]));
  /** @type {Map<string, any>} */
  const nodes = new Map(metadata.resolve.nodes.map((/** @type {any} */ each) => [each.id, each]));
  const isMacro = (/** @type {string} */ id) =>
    packages.get(id).targets.some((/** @type {any} */ each) => each.kind.includes('proc-macro'));

  /** @param {string} id @returns {string[]} */
  const linked = (id) =>
    nodes
      .get(id)
      .deps.filter((/** @type {any} */ dependency) =>
        dependency.dep_kinds.some((/** @type {any} */ each) => each.kind === null),
      )
      .map((/** @type {any} */ dependency) => dependency.pkg)
      .filter((/** @type {string} */ each) => !isMacro(each));

  /** @type {Map<string, Crate>} */
  const crates = new Map();
  const waiting = [metadata.resolve.root];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (crates.has(id)) continue;
    const { name, version, license, authors, manifest_path: manifest } = packages.get(id);
    const dependencies = linked(id);
    const checksum = sums.get(`${name} ${version}`);
    crates.set(id, {
      ...{ id, name, version, authors, dependencies, folder: dirname(manifest) },
      license: expression(license),
      ...(checksum ? { checksum } : {}),
    });
    waiting.push(...dependencies);
  }
  const order = (/** @type {Crate} */ a, /** @type {Crate} */ b) =>
    `${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1;
  const root = /** @type {Crate} */ (crates.get(metadata.resolve.root));
  crates.delete(root.id);
  return { root, crates: [...crates.values()].sort(order) };
}

/** Taken where there is a choice: the shorter text first, none that asks for more than its text. */
const preferred = ['MIT', 'MIT-0', 'ISC', 'Zlib', 'BSL-1.0', 'Unicode-3.0', 'Apache-2.0'];

/** The licences that a crate is used under. @param {Crate} crate @returns {string[]} */
export function chosen({ name, license }) {
  return license.split(' AND ').map((part) => {
    const choices = part.replace(/[()]/g, '').split(' OR ');
    const found = preferred.find((each) => choices.includes(each));
    if (!found)
      throw new StepFailed('licenses', `${name}: no licence of ${license} is known here.`);
    return found;
  });
}

/** @type {Record<string, RegExp>} names of files that hold one licence of several */
const named = {
  MIT: /mit/i,
  'Apache-2.0': /apache/i,
  'BSL-1.0': /boost|bsl/i,
  'Unicode-3.0': /unicode/i,
};

/** The text of one licence in the source of a crate, if it is there. @param {Crate} crate @param {string} license */
export function licenceText({ folder }, license) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying)/i.test(file));
  const own = files.find((file) => named[license]?.test(file));
  const file = own ?? (files.length === 1 ? files[0] : undefined);
  if (file === undefined) return undefined;
  const text = readFileSync(join(folder, file), 'utf8').replace(/\r\n?/g, '\n');
  return text.replace(/[ \t]+$/gm, '').replace(/^\n+|\s+$/g, '');
}
