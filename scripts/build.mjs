// Builds the addon, the face and the examples; what is current is left alone.
//   node scripts/build.mjs [--debug] [--force] [--only native|face|examples]...
import { parseArgs } from 'node:util';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { leave } from './support/steps.mjs';

const { values } = parseArgs({
  options: {
    debug: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
});

try {
  const wantsNative = !values.only || values.only.includes('native');
  if (wantsNative) await requireRust();
  await install();
  await build({
    profile: values.debug ? 'debug' : 'release',
    force: values.force,
    ...(values.only ? { only: values.only } : {}),
  });
} catch (error) {
  leave(error);
}
