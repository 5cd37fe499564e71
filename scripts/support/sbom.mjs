import { createHash } from 'node:crypto';
import { linkedCrates } from './crates.mjs';
import { at, readJson } from './paths.mjs';

/** @typedef {import('./crates.mjs').Crate} Crate */

/** @param {Crate} crate */
const reference = ({ name, version }) => `pkg:cargo/${name}@${encodeURIComponent(version)}`;

/** The same twice for the same parts, so that two builds can be compared. @param {unknown} of */
function serial(of) {
  const hex = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return `urn:uuid:${[...parts, variant + hex.slice(17, 20), hex.slice(20, 32)].join('-')}`;
}

/**
 * What the packages are made of, as CycloneDX: the crates that the addon links on any of its
 * platforms. On npm they depend on nothing but each other.
 */
export async function billOfMaterials() {
  const { name, version, license, description } = readJson(at('package.json'));
  const { root, crates } = await linkedCrates();
  const main = `pkg:npm/${name}@${version}`;
  /** @type {Map<string, string>} */
  const references = new Map(crates.map((crate) => [crate.id, reference(crate)]));
  /** @param {Crate} crate */
  const dependsOn = (crate) =>
    crate.dependencies.map((id) => /** @type {string} */ (references.get(id))).sort();

  const components = crates.map((crate) => ({
    type: 'library',
    'bom-ref': reference(crate),
    name: crate.name,
    version: crate.version,
    ...(crate.checksum ? { hashes: [{ alg: 'SHA-256', content: crate.checksum }] } : {}),
    licenses: [{ expression: crate.license }],
    purl: reference(crate),
  }));
  const dependencies = [
    { ref: main, dependsOn: dependsOn(root) },
    ...crates.map((crate) => ({ ref: reference(crate), dependsOn: dependsOn(crate) })),
  ];
  const component = {
    ...{ type: 'library', 'bom-ref': main, name, version, description },
    ...{ licenses: [{ expression: license }], purl: main },
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serial([component, components, dependencies]),
    version: 1,
    metadata: { component },
    components,
    dependencies,
  };
}
