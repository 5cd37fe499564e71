// Runs the rows about the journal, and makes their table.

import { loadavg } from 'node:os';
import { QUICK, circumstances } from '../table.mjs';
import { missingRival } from './candidates.mjs';
import { assertAlike } from './facts.mjs';
import { workplace } from './place.mjs';

const HEAD = [
  '| work | tenure | rival | its figure | ratio | target | spread | |',
  '| --- | ---: | --- | ---: | ---: | --- | --- | --- |',
];

const how = ({ rounds, reopenings }) =>
  [
    `Medians of ${rounds} rounds in one process, the candidates in alternation; a ratio is the median of`,
    'the ratios round by round, the spread their lowest and highest. Inputs are JSON texts of 1 024',
    'bytes, ids are fresh UUIDs. better-sqlite3 keeps the same facts with `journal_mode = WAL` and',
    '`synchronous = FULL`. *Event loop busy* is the time in which no other callback could have run, as',
    '`performance.eventLoopUtilization` has it: a wait for the disk inside a call counts.',
    `*Reopen* is the time until the first row is read, in ${reopenings} fresh processes each, on a file`,
    'that was being written to when its process was killed, and that the page cache of the system holds.',
  ].join(' ');

const PLANS = {
  full: { rounds: 9, share: 1, reopenings: 5 },
  quick: { rounds: 1, share: 0.05, reopenings: 1 },
};

function lineText(line, above) {
  const same = line.title === above?.title;
  const cells = [
    same ? '' : line.title,
    same ? '' : line.own,
    line.label,
    line.rival,
    line.ratio,
    line.target,
    line.spread,
    line.verdict,
  ];
  return `| ${cells.join(' | ')} |`;
}

function report({ title, own, rival, label, ratio }) {
  process.stderr.write(`${title}: ${own}; ${label} ${rival} (${ratio})\n`);
}

/** The table, and why rows were not run. */
export async function runJournal(rows, { quick, budget }) {
  const missing = missingRival();
  if (missing) return { notRun: [`${rows.length}, because ${missing}`] };
  const plan = { ...PLANS[quick ? 'quick' : 'full'], budget };
  const place = workplace();
  process.once('exit', place.remove);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const lines = [];
  try {
    const names = new Set(['tenure', ...rows.flatMap(({ rivals }) => rivals)]);
    await assertAlike([...names], (name) => place.path(`facts-${name}`));
    for (const row of rows) {
      for (const line of await row.run(place, plan)) {
        report(line);
        lines.push(quick && line.verdict ? { ...line, verdict: 'not judged' } : line);
      }
    }
  } finally {
    place.remove();
  }
  const load = loadavg()[0].toFixed(1);
  const where = `${circumstances()}, load ${load}, files on ${place.fileSystem}.`;
  const table = [
    ...HEAD,
    ...lines.map((line, i) => lineText(line, lines[i - 1])),
    '',
    `${where} ${quick ? QUICK : how(plan)}`,
  ];
  return { table: table.join('\n'), notRun: [] };
}
