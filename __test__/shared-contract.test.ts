// The contract tests that are shared between implementations, when they stand beside this checkout.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const shared = path.resolve(root, '../shared/contract');

/** File, and how many tests it has. */
const files: [file: string, tests: number][] = [
  ['kernel-contract.test.mjs', 30],
  ['kernel-next-contract.test.mjs', 29],
  ['scope-contract.test.mjs', 79],
];

function counts(report: string): Record<string, number> {
  const lines = report.matchAll(/^# (pass|fail|cancelled|todo) (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]));
}

function run(file: string): { counts: Record<string, number>; report: string } {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TENURE_MODULE: pathToFileURL(path.join(root, 'index.js')).href,
  };
  // Set by the runner that we are in; it would change what the child prints.
  delete env['NODE_OPTIONS'];
  delete env['NODE_TEST_CONTEXT'];
  const args = ['--test', '--test-reporter=tap', path.join(shared, file)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  return { counts: counts(stdout), report: `${stdout}\n${stderr}` };
}

const isHere = files.every(([file]) => existsSync(path.join(shared, file)));

if (isHere) {
  test.each(files)(
    'the shared %s passes on the built package: %i tests',
    (file, tests) => {
      const { counts: found, report } = run(file);
      expect(found, report).toEqual({ pass: tests, fail: 0, cancelled: 0, todo: 0 });
    },
    120_000,
  );
} else {
  const reason = 'not run: the shared contract tests are not beside this checkout';
  test(`the shared contract tests pass on the built package (${reason})`, (context) => {
    context.skip(reason);
  });
}
