// Makes the journals that no healthy program makes: one of a later format, one with a row that cannot
// be decoded. Needs TENURE_TEST_FAULTS in the environment, under which the addon can spoil a file.
//   node fixtures.mjs FOLDER
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const { OperationJournal } = require('../../index.js');
const addon = require('../../binding.js');
const folder = process.argv[2] ?? '.';
mkdirSync(folder, { recursive: true });

/** @param {string} path @param {[scope: string, id: string][]} operations */
async function made(path, operations) {
  const journal = await OperationJournal.open(path);
  for (const [scope, id] of operations) {
    journal.reserveSync(id, 'd'.repeat(64), { of: id }, scope);
  }
  await journal.close();
}

const newer = join(folder, 'newer-version.journal');
await made(newer, [['', 'a']]);
addon.spoilFormat(newer);

const bad = join(folder, 'one-bad-record.journal');
await made(bad, [
  ['s', 'good-1'],
  ['s', 'bad'],
  ['s', 'good-2'],
  ['t', 'other'],
]);
addon.spoilRow(bad, 's', 'bad');
