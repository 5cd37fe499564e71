// The package tests in every pool of vitest, with and without isolation: a pool of threads loads the addon
// in workers, one of vm contexts several times in each.
//   npm run test:pools [-- POOL...] [--times N] [--report FILE]
import { parseArgs } from 'node:util';
import { build } from './support/build.mjs';
import { install, requireRust } from './support/install.mjs';
import { finish, runSuites } from './support/report.mjs';
import { leave } from './support/steps.mjs';
import { vitest, withOutput } from './support/suites.mjs';

const pools = {
  forks: ['--pool=forks'],
  'forks-shared': ['--pool=forks', '--no-isolate'],
  threads: ['--pool=threads'],
  'threads-shared': ['--pool=threads', '--no-isolate'],
  vmThreads: ['--pool=vmThreads'],
};

/**
 * What runs in the pool itself. Tests that only start processes of their own learn nothing from it and
 * take the most time: those of the examples, of leaks, of the package's files, and the long ones of threads.
 */
const files = [
  ...['__test__/binding', '__test__/boundary', '__test__/contract'],
  ...['__test__/threads-sharing', '__test__/threads-turns'],
  ...['copies', 'plain', 'runner', 'service', 'threads', 'values', 'watch'].map(
    (name) => `__test__/operations-${name}.test`,
  ),
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'string' }, times: { type: 'string', default: '20' } },
});
const times = Number(values.times);
if (!Number.isSafeInteger(times) || times < 1)
  throw new TypeError('--times takes a number from 1 on');

/** Every round counts: a pool that crashes once has failed. @param {string[]} options */
const rounds = (options) => async () => {
  const tallies = [];
  for (let round = 0; round < times; round += 1) {
    const tally = await vitest([...files, ...options])();
    tallies.push(tally.failed > 0 ? tally : { ...tally, output: '' });
  }
  return withOutput(tallies);
};

try {
  await requireRust();
  await install();
  await build();
  const often = times === 1 ? 'once' : `${times} times`;
  const suites = Object.fromEntries(
    Object.entries(pools).map(([pool, options]) => [
      pool,
      { label: `package tests in the pool ${pool}, ${often}`, run: rounds(options) },
    ]),
  );
  finish(await runSuites(suites, positionals), values.report);
} catch (error) {
  leave(error);
}
