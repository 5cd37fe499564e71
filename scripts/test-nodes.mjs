// The built package on the releases of Node.js that it supports: the floors, and the newest of each line.
//   npm run test:nodes [-- VERSION...] [--report FILE]
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { at, npm } from './support/paths.mjs';
import { finish, notRun, runSuites } from './support/report.mjs';
import { leave, run, step } from './support/steps.mjs';
import { contract, vitest, withOutput } from './support/suites.mjs';

const versions = ['20.19.0', '22.12.0', '22.23.5', '24.22.3', '26.12.1'];

/** What can differ between them: how the package loads, and all that crosses the boundary. */
const files = [
  '__test__/package',
  '__test__/contract',
  '__test__/boundary',
  '__test__/cli',
  ...['export', 'files', 'persistence', 'reading', 'runner', 'threads', 'watch'].map(
    (name) => `__test__/operations-${name}`,
  ),
];

const home = at('dist', 'nodes');
const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const binary = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
/** @param {string} version */
const nodeOf = (version) => `${home}/node_modules/node-${version}/${binary}`;

/** npm carries the binaries of Node.js itself, one package for each system. */
async function fetchNodes() {
  const missing = versions.filter((version) => !existsSync(nodeOf(version)));
  if (missing.length === 0) return;
  await mkdir(home, { recursive: true });
  const { command, before, shell } = npm();
  const specs = missing.map((version) => `node-${version}@npm:node-${system}@${version}`);
  const args = [
    'install',
    '--prefix',
    home,
    '--no-package-lock',
    '--save-exact',
    '--ignore-scripts',
    ...specs,
  ];
  await step('fetching Node.js releases', () =>
    run(command, [...before, ...args], { shell, mayFail: true }),
  );
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'string' } },
});

try {
  await requireRust();
  await install();
  await build();
  await fetchNodes();
  const suites = Object.fromEntries(
    versions.map((version) => {
      const node = nodeOf(version);
      const run = async () => {
        if (!existsSync(node)) return notRun(`no binary of Node.js ${version} for ${system}`);
        return withOutput([await contract(node)(), await vitest(files, node)()]);
      };
      return [version, { label: `Node.js ${version}`, run }];
    }),
  );
  finish(await runSuites(suites, positionals), values.report);
} catch (error) {
  leave(error);
}
