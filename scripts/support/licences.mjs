import { readFileSync } from 'node:fs';
import { chosen, licenceText, linkedCrates } from './crates.mjs';
import { at } from './paths.mjs';
import { StepFailed } from './steps.mjs';

/** What every MIT text says after its copyright line; our own file has it. */
const mit = () => {
  const text = readFileSync(at('LICENSE-MIT'), 'utf8').replace(/\r\n?/g, '\n');
  return text.slice(text.indexOf('Permission is hereby granted')).trimEnd();
};

/** The text that a crate without a licence file is under. @param {import('./crates.mjs').Crate} crate */
function standardText({ name, authors }, /** @type {string} */ licence) {
  if (licence !== 'MIT') throw new StepFailed('licenses', `${name} has no text of ${licence}.`);
  const holders = authors.length > 0 ? authors.map((each) => each.replace(/ <.*>$/, '')) : [name];
  return `Copyright (c) ${holders.join(', ')}\n\n${mit()}`;
}

const header = `Licences of what is in the addon of tenure besides its own code

Made by \`npm run licenses\` from Cargo.lock: every crate of which code is in an addon, on one of
its platforms at least, under the licence that was chosen where its authors leave a choice. Crates
with one and the same text stand together. Where a crate has no licence file it is the usual text,
with the authors that its manifest names. The packages have no dependency on npm but each other.
`;

const library = {
  used: 'the standard library of Rust (MIT)',
  text: () => `Copyright (c) The Rust Project Contributors\n\n${mit()}`,
};

/** The file THIRD_PARTY_LICENSES. */
export async function thirdPartyLicences() {
  const { crates } = await linkedCrates();
  const users = new Map([[library.text(), [library.used]]]);
  for (const crate of crates) {
    for (const licence of chosen(crate)) {
      const text = licenceText(crate, licence) ?? standardText(crate, licence);
      const used = `${crate.name} ${crate.version} (${licence})`;
      users.set(text, [...(users.get(text) ?? []), used]);
    }
  }
  const rule = '-'.repeat(80);
  const sections = [...users].map(([text, names]) => `${rule}\n${names.join('\n')}\n\n${text}\n`);
  return `${header}\n${sections.join('\n')}`;
}
