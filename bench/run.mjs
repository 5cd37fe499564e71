// node --expose-gc bench/run.mjs [--row NAME]... [--quick] [--markdown]
//
// Times the package against its rivals and prints the table. NAME is a row, or the start of some
// (`claim`, `turn-`). `--quick` proves only that every row runs; nothing is judged then.
// `--markdown` also puts the tables into README.md. A missed target is no failure; an error is.
// What cannot run says `not run`, and why.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newCore } from './candidates.mjs';
import { BUDGETS, compare, contest, median } from './harness.mjs';
import { runJournal } from './journal/run.mjs';
import { journalRows } from './journal/rows.mjs';
import { liveClaimBytes } from './memory.mjs';
import { rowsFor } from './rows.mjs';
import { JOURNAL, MAIN, grouped, render, verdictOf, writeReadme } from './table.mjs';

const README = fileURLToPath(new URL('../README.md', import.meta.url));

const { values: options } = parseArgs({
  options: {
    row: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
  },
});
const budget = options.quick ? BUDGETS.quick : BUDGETS.full;

function chosenRows() {
  const core = rowsFor(options);
  const journal = journalRows(options);
  if (options.row.length === 0) return { core, journal };
  const all = [...core, ...journal];
  const ids = all.map(({ id }) => id);
  const chosen = options.row.flatMap((name) =>
    ids.includes(name) ? [name] : ids.filter((id) => id.startsWith(name)),
  );
  if (chosen.length === 0) throw new Error(`The rows are: ${ids.join(', ')}`);
  const isChosen = ({ id }) => chosen.includes(id);
  return { core: core.filter(isChosen), journal: journal.filter(isChosen) };
}

async function checkAnswers({ id, facts, rivals }) {
  const expected = await facts(newCore('tenure'));
  for (const name of rivals) {
    assert.deepEqual(
      await facts(newCore(name)),
      expected,
      `${id}: rival ${name} answers otherwise`,
    );
  }
}

async function samplesOf(row) {
  const names = ['tenure', ...row.rivals];
  if (row.reading) {
    const readings = liveClaimBytes(names, { perSession: row.perSession, quick: options.quick });
    return new Map(names.map((name) => [name, readings.get(name)[row.reading]]));
  }
  const candidates = [];
  for (const name of names) candidates.push({ name, ...(await row.prepare(name)) });
  const samples = await contest(candidates, budget);
  for (const { core } of candidates) core.close?.();
  return samples;
}

async function lineOf(row) {
  await checkAnswers(row);
  const samples = await samplesOf(row);
  const per = row.per ?? 1;
  const rivals = {};
  for (const name of row.rivals) {
    const { rival, ...ratios } = compare(samples.get('tenure'), samples.get(name));
    rivals[name] = { value: rival / per, ...ratios };
  }
  const { id, title, unit = 'ns', target } = row;
  return { id, title, unit, target, rivals, own: median(samples.get('tenure')) / per };
}

/** Whether one claim more costs a stop of a thousand what it costs a stop of ten. */
function growthOf(lines) {
  const own = (id) => lines.find((line) => line.id === id)?.own;
  const [few, many] = [own('stop-10'), own('stop-1000')];
  if (few === undefined || many === undefined) return [];
  const ratio = many / 1000 / (few / 10);
  return [
    {
      title: 'stop, what a claim adds: among 1 000 against among 10',
      unit: 'ns',
      own: many / 1000,
      rivals: { itself: { value: few / 10, ratio, low: ratio, high: ratio } },
      target: { rival: 'itself', atMost: 1.5 },
    },
  ];
}

function report({ title, own, unit, rivals }) {
  const others = Object.entries(rivals).map(
    ([name, { value, ratio }]) => `${name} ${grouped(value)} (${ratio.toPrecision(2)}×)`,
  );
  process.stderr.write(`${title}: ${grouped(own)} ${unit}; ${others.join(', ')}\n`);
}

if (globalThis.gc === undefined) throw new Error('Run with node --expose-gc');

async function coreTable(rows) {
  const lines = [];
  for (const row of rows) {
    const line = await lineOf(row);
    report(line);
    lines.push(line);
  }
  const growth = growthOf(lines);
  lines.splice(lines.findLastIndex(({ id }) => id.startsWith('stop')) + 1, 0, ...growth);
  for (const line of lines) line.verdict = verdictOf(line, options.quick);
  return render(lines, { rounds: budget.rounds, quick: options.quick });
}

function publish(table, markers) {
  process.stdout.write(`${table}\n\n`);
  if (options.markdown) writeReadme(table, README, markers);
}

const { core, journal } = chosenRows();
if (core.length > 0) publish(await coreTable(core), MAIN);
if (journal.length > 0) {
  const { table, notRun } = await runJournal(journal, { quick: options.quick, budget });
  if (table) publish(table, JOURNAL);
  for (const why of notRun) process.stdout.write(`not run: ${why}\n`);
}
