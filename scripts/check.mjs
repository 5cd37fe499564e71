// What is checked besides the tests; each check counts as one.
//   npm run check [-- NAME...] [--report FILE]
import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { contractTypes } from './support/contract-types.mjs';
import { denyAdvisories, denyPolicy } from './support/deny.mjs';
import { buildCommand } from './support/command.mjs';
import { buildFace } from './support/face.mjs';
import { install, requireRust } from './support/install.mjs';
import { at, bin, npm } from './support/paths.mjs';
import { actionlint, attw, licences, pinnedActions, sbom } from './support/package-checks.mjs';
import { buildReference } from './support/reference.mjs';
import { finish, holds, notRun, runSuites } from './support/report.mjs';
import { leave, run, runNode, StepFailed } from './support/steps.mjs';
import { types } from './support/suites.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'string' } },
});

/** @param {...string} args */
const cargo = (...args) => holds(() => run('cargo', args));
const denied = ['--', '-D', 'warnings'];

/** @param {string} project */
const compiles = (project) => () => holds(() => runNode(bin('typescript', 'tsc'), ['-p', project]));

/** The core by itself compiles, and knows no Node-API, not even through a dependency. */
const core = () =>
  holds(async () => {
    await run('cargo', ['check', '--no-default-features']);
    const tree = ['tree', '--no-default-features', '--edges', 'normal,build', '--prefix', 'none'];
    const { output } = await run('cargo', tree);
    const found = output.split('\n').filter((line) => line.startsWith('napi'));
    if (found.length > 0) throw new StepFailed('core', `The core depends on ${found.join(', ')}`);
  });

/** index.js and index.d.ts are what lib/ builds to, bin/tenure.js what cli/ does. */
const generated = () =>
  holds(async () => {
    const folder = at('dist', 'generated');
    rmSync(folder, { recursive: true, force: true });
    await buildFace(folder, at('dist', 'generated', 'lib'));
    await buildCommand(folder, at('dist', 'generated', 'cli'));
    const stale = ['index.js', 'index.d.ts', 'bin/tenure.js'].filter(
      (name) => readFileSync(at(name), 'utf8') !== readFileSync(`${folder}/${name}`, 'utf8'),
    );
    if (stale.length === 0) return;
    const what = `${stale.join(' and ')} not as lib/ and cli/ build them: \`npm run build:face\`, then commit.`;
    throw new StepFailed('generated', what);
  });

const audit = async () => {
  const { command, before, shell } = npm();
  const args = [...before, 'audit', '--json', '--audit-level=high'];
  const { code, output } = await run(command, args, { shell, mayFail: true });
  if (!output.includes('"auditReportVersion"')) {
    return notRun('the npm registry answers no audit from here');
  }
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, notRun: [], output };
};

/** @type {Record<string, import('./support/report.mjs').Suite>} */
const checks = {
  rustfmt: { label: 'Rust is formatted', run: () => cargo('fmt', '--check') },
  clippy: {
    label: 'clippy has no warning',
    run: () => cargo('clippy', '--all-targets', ...denied),
  },
  'clippy-core': {
    label: 'clippy has no warning, the core alone',
    run: () => cargo('clippy', '--all-targets', '--no-default-features', ...denied),
  },
  'clippy-explored': {
    label: 'clippy has no warning, the core that is explored',
    run: () =>
      cargo(
        'clippy',
        '--lib',
        '--test=explored',
        '--no-default-features',
        '--features=shuttle',
        ...denied,
      ),
  },
  core: { label: 'the core stands without Node-API', run: core },
  docs: {
    label: 'Rust documentation has no warning',
    run: () =>
      holds(() =>
        run('cargo', ['doc', '--no-deps', '--document-private-items'], {
          env: { RUSTDOCFLAGS: '-D warnings' },
        }),
      ),
  },
  deny: { label: 'licences, bans and sources of crates', run: denyPolicy },
  advisories: { label: 'advisories on crates', run: denyAdvisories },
  audit: { label: 'advisories on packages', run: audit },
  format: {
    label: 'everything else is formatted',
    run: () => holds(() => runNode(bin('prettier'), ['--check', '--log-level', 'warn', '.'])),
  },
  oxlint: {
    label: 'oxlint has no warning',
    run: () => holds(() => runNode(bin('oxlint'), ['--deny-warnings'])),
  },
  types: { label: 'the face and its tests have no type error', run: compiles('tsconfig.json') },
  page: {
    label: 'the script of the timeline has no type error',
    run: compiles('cli/timeline/page/tsconfig.json'),
  },
  scripts: { label: 'the scripts have no type error', run: compiles('tsconfig.scripts.json') },
  generated: { label: 'index.js, index.d.ts and bin/tenure.js are current', run: generated },
  'contract-types': { label: 'index.d.ts declares all of the contract', run: contractTypes },
  reference: {
    label: 'every export is documented, and the reference has no warning',
    run: () => holds(buildReference),
  },
  publint: {
    label: 'publint finds no fault with the package',
    run: () => holds(() => runNode(bin('publint'), ['--strict'])),
  },
  attw: { label: 'attw finds no fault with the types', run: attw },
  actionlint: { label: 'actionlint finds no fault with the workflows', run: actionlint },
  pinned: { label: 'every action is pinned by the hash of a commit', run: pinnedActions },
  licences: { label: 'the licences of all crates are in the package', run: licences },
  sbom: { label: 'the bill of materials is valid and complete', run: sbom },
};

/** Not part of a full run, because `npm test` has it already. */
const onRequest = { consumers: types };

try {
  await requireRust();
  await install();
  const all = positionals.length === 0 ? checks : { ...checks, ...onRequest };
  finish(await runSuites(all, positionals), values.report);
} catch (error) {
  leave(error);
}
