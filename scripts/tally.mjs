// Adds up the reports of several runs: node scripts/tally.mjs FILE...
import { sum } from './support/counts.mjs';
import { readJson } from './support/paths.mjs';
import { finish } from './support/report.mjs';

finish(sum(process.argv.slice(2).map(readJson)), undefined);
