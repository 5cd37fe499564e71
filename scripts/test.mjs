// Every test there is, on a fresh clone too: installs and builds first.
//   npm test [-- rust|explored|vitest|types|contract]... [--report FILE]
import { parseArgs } from 'node:util';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { finish, runSuites } from './support/report.mjs';
import { leave } from './support/steps.mjs';
import { contract, explored, rust, types, vitest } from './support/suites.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'string' } },
});

try {
  await requireRust();
  await install();
  await build();
  const tally = await runSuites(
    {
      rust,
      explored,
      vitest: { label: 'package tests', run: vitest() },
      types,
      contract: { label: 'contract tests', run: contract() },
    },
    positionals,
  );
  finish(tally, values.report);
} catch (error) {
  leave(error);
}
