// Makes sure that there is a Chromium to test the timeline with; installs Debian's where that is possible.
//   node scripts/browser.mjs [--report FILE]
import { parseArgs } from 'node:util';
import { findBrowser, installBrowser } from './support/browser.mjs';
import { nothing } from './support/counts.mjs';
import { finish, notRun } from './support/report.mjs';
import { leave, step } from './support/steps.mjs';

const { values } = parseArgs({ options: { report: { type: 'string' } } });

try {
  const why = await step('looking for a Chromium', installBrowser, (missing) => ({
    ok: true,
    note: missing ?? `found ${findBrowser()}`,
  }));
  finish(why === undefined ? { ...nothing(), passed: 1 } : notRun(why), values.report);
} catch (error) {
  leave(error);
}
