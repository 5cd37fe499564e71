import { writeFileSync } from 'node:fs';
import { nothing, sum } from './counts.mjs';
import { step, StepFailed } from './steps.mjs';

/** @typedef {import('./counts.mjs').Tally} Tally */

/**
 * A suite of tests, or a single check, by the name it is asked for.
 * @typedef {object} Suite
 * @property {string} label
 * @property {() => Promise<Tally & { output?: string, told?: string[] }>} run `output` is shown if
 *   anything failed, and what is `told` always
 */

/** A check that could not run. @param {string} why @returns {Tally} */
export const notRun = (why) => ({ ...nothing(), notRun: [why] });

/** A check that holds if `work` throws nothing. @param {() => Promise<unknown>} work */
export async function holds(work) {
  try {
    await work();
    return { ...nothing(), passed: 1 };
  } catch (error) {
    if (error instanceof StepFailed) return { ...nothing(), failed: 1, output: error.output };
    throw error;
  }
}

/** @param {Tally} tally */
const describe = (tally) => ({
  ok: tally.failed === 0,
  note: [
    `${tally.passed} passed`,
    ...(tally.failed > 0 ? [`${tally.failed} failed`] : []),
    ...(tally.notRun.length > 0 ? [`${tally.notRun.length} not run`] : []),
  ].join(', '),
});

/** @param {Record<string, Suite>} suites @param {readonly string[]} asked all of them when empty */
export async function runSuites(suites, asked) {
  for (const name of asked) {
    if (name in suites) continue;
    process.stderr.write(`There is no "${name}"; choose from: ${Object.keys(suites).join(', ')}\n`);
    throw new StepFailed(name, '');
  }
  const tallies = [];
  for (const [name, suite] of Object.entries(suites)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const tally = await step(suite.label, suite.run, describe);
    if (tally.failed > 0 && tally.output) process.stderr.write(`${tally.output.trimEnd()}\n`);
    for (const line of tally.told ?? []) process.stderr.write(`  ${line}\n`);
    tallies.push(tally);
  }
  return sum(tallies);
}

/** What could not run and why, then the one line that counts. @param {Tally} tally */
export function printTally(tally) {
  const reasons = new Map();
  for (const why of tally.notRun) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  for (const [why, times] of reasons) console.log(`not run: ${times}, because ${why}`);
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
}

/** @param {Tally} tally @param {string | undefined} file where `.ci/run` collects the tallies */
export function finish(tally, file) {
  if (file) writeFileSync(file, JSON.stringify({ ...tally }));
  printTally(tally);
  if (tally.failed > 0) process.exitCode = 1;
}
