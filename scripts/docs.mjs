// Builds the reference of every export into docs/api/, without a warning or not at all, and lists the
// licences of what is in the binary.
//   npm run docs
import { install, requireRust } from './support/install.mjs';
import { writeLicences } from './support/licences.mjs';
import { buildReference } from './support/reference.mjs';
import { leave, step } from './support/steps.mjs';

try {
  await requireRust();
  await install();
  await step('listing licences', writeLicences, () => ({ ok: true, note: 'docs/licences.md' }));
  await step('building the reference', buildReference, () => ({ ok: true, note: 'docs/api' }));
} catch (error) {
  leave(error);
}
