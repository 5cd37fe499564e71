import { readFileSync } from 'node:fs';

/**
 * What a run of tests or checks came to. `notRun` has one reason for each check that could not run:
 * that is neither a success nor a failure.
 * @typedef {{ passed: number, failed: number, notRun: string[] }} Tally
 */

/** @returns {Tally} */
export const nothing = () => ({ passed: 0, failed: 0, notRun: [] });

/** @param {readonly Tally[]} tallies @returns {Tally} */
export const sum = (tallies) => ({
  passed: tallies.reduce((n, tally) => n + tally.passed, 0),
  failed: tallies.reduce((n, tally) => n + tally.failed, 0),
  notRun: tallies.flatMap((tally) => tally.notRun),
});

/**
 * A runner that ends badly without a failed test (a crash, no test found, an error between tests)
 * has failed all the same.
 * @param {Tally} tally @param {number} code @returns {Tally}
 */
const judged = (tally, code) => {
  const silent = code === 0 ? tally.passed === 0 && tally.notRun.length === 0 : tally.failed === 0;
  return silent ? { ...tally, failed: tally.failed + 1 } : tally;
};

/** @param {string} output of `cargo test` @param {number} code @returns {Tally} */
export function cargoTally(output, code) {
  const tally = nothing();
  const lines = output.matchAll(/^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored/gm);
  for (const [, passed, failed, ignored] of lines) {
    tally.passed += Number(passed);
    tally.failed += Number(failed);
    if (Number(ignored) > 0) tally.notRun.push(`${ignored} Rust tests are marked as ignored`);
  }
  return judged(tally, code);
}

/** @param {string} output of `node --test` with the tap reporter @param {number} code @returns {Tally} */
export function nodeTally(output, code) {
  /** @param {string} name */
  const count = (name) => Number(output.match(new RegExp(`^# ${name} (\\d+)$`, 'm'))?.[1] ?? 0);
  const tally = nothing();
  tally.passed = count('pass');
  tally.failed = count('fail') + count('cancelled');
  for (const [, name, why] of output.matchAll(/^ *ok \d+ - (.*) # SKIP ?(.*)$/gm)) {
    tally.notRun.push(why || `"${name}" is skipped`);
  }
  return judged(tally, code);
}

/** @param {string} file vitest's json report @param {number} code @returns {Tally} */
export function vitestTally(file, code) {
  const tally = nothing();
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    tally.passed = report.numPassedTests;
    tally.failed = report.numFailedTests;
    for (const { assertionResults, status } of report.testResults) {
      // A file that fails outside its tests, in a hook or at its import.
      const alone = assertionResults.every((/** @type {any} */ test) => test.status !== 'failed');
      if (status === 'failed' && alone) tally.failed += 1;
      for (const test of assertionResults) {
        if (test.status === 'passed' || test.status === 'failed') continue;
        tally.notRun.push(test.meta?.notRun ?? `"${test.fullName}" is ${test.status}`);
      }
    }
  } catch (error) {
    if (code === 0) throw error;
  }
  return judged(tally, code);
}
