// Builds the reference of every export into docs/api/, without a warning or not at all.
//   npm run docs
import { install } from './support/install.mjs';
import { buildReference } from './support/reference.mjs';
import { leave, step } from './support/steps.mjs';

try {
  await install();
  await step('building the reference', buildReference, () => ({ ok: true, note: 'docs/api' }));
} catch (error) {
  leave(error);
}
