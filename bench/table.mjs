// The results as a Markdown table, to a terminal and into README.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Between which marks of the README a table stands. */
export const MAIN = { start: '<!-- bench:start -->', end: '<!-- bench:end -->' };
export const JOURNAL = { start: '<!-- bench:journal:start -->', end: '<!-- bench:journal:end -->' };

const HEAD = [
  '| work | tenure | eager JS | lazy JS | to eager | to lazy | target | spread | |',
  '| --- | ---: | ---: | ---: | ---: | ---: | --- | --- | --- |',
];
const HOW = (rounds) =>
  [
    `Times are medians of ${rounds} rounds in one process, the candidates in alternation; a ratio`,
    'is the median of the ratios round by round, the spread their lowest and highest. Memory is',
    'the growth of RSS for 100 000 claims, read in fresh processes, three each. *Eager JS* keeps',
    'its facts in Maps that it searches through, and makes the controller, error and promise of a',
    'claim at once. *Lazy JS* keeps one record per session and makes nothing unasked, but knows',
    'neither scopes nor threads, stops, mutations or requests.',
  ].join(' ');
export const QUICK = 'A quick run: it proves that the rows run, no more.';
const LABELS = { seed: 'eager', lazy: 'lazy' };

export function grouped(value) {
  if (value < 10 && !Number.isInteger(value)) return value.toFixed(1);
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ');
}

export function times(ratio) {
  if (ratio < 0.01) return ratio.toPrecision(2);
  return ratio.toFixed(ratio < 0.1 ? 3 : 2);
}

function rowOf({ title, unit, own, rivals, target, verdict }) {
  const cost = (name) => (rivals[name] ? `${grouped(rivals[name].value)} ${unit}` : '');
  const ratio = (name) => (rivals[name] ? `${times(rivals[name].ratio)}×` : '');
  const judged = target && rivals[target.rival];
  return [
    title,
    `${grouped(own)} ${unit}`,
    cost('seed'),
    cost('lazy'),
    ratio('seed'),
    ratio('lazy'),
    target ? `≤ ${target.atMost}× ${LABELS[target.rival] ?? target.rival}` : '',
    judged ? `${times(judged.low)}–${times(judged.high)}` : '',
    verdict,
  ].join(' | ');
}

/** Met, missed, or that nothing was judged; empty without a target. */
export function verdictOf({ rivals, target }, quick) {
  if (target === undefined) return '';
  if (quick) return 'not judged';
  return rivals[target.rival].ratio <= target.atMost ? 'met' : '**missed**';
}

/** What it ran on, and when. */
export function circumstances() {
  const [{ model }] = cpus();
  const machine = `Node.js ${process.versions.node}, ${model.trim()}, ${cpus().length} cores`;
  return `${machine}, ${new Date().toISOString().slice(0, 10)}`;
}

export function render(lines, { rounds, quick }) {
  return [
    ...HEAD,
    ...lines.map((line) => `| ${rowOf(line)} |`),
    '',
    `${circumstances()}. ${quick ? QUICK : HOW(rounds)}`,
  ].join('\n');
}

/** Puts `table` between its marks in the README. */
export function writeReadme(table, path, marks) {
  const text = readFileSync(path, 'utf8');
  const start = text.indexOf(marks.start);
  const end = text.indexOf(marks.end);
  if (start < 0 || end < start)
    throw new Error(`${path} has no ${marks.start} before ${marks.end}`);
  const before = text.slice(0, start + marks.start.length);
  writeFileSync(path, `${before}\n\n${table}\n\n${text.slice(end)}`);
}
