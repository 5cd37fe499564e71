// Every row about the journal: what is timed, against whom, and what was aimed at.

import { contest, timedLoop } from '../harness.mjs';
import { pathsFor } from '../candidates.mjs';
import { grouped } from '../table.mjs';
import { openJournal } from './candidates.mjs';
import { writingContest } from './contest.mjs';
import { assertKept } from './facts.mjs';
import { RATE, TIME, linesOf } from './lines.mjs';
import { reopening } from './reopen.mjs';
import { newStarts } from './starts.mjs';

const LIVE = 1000;
/** Where nothing is committed, all ways to write are one. */
const READING = { rivals: ['each'], labels: { each: 'better-sqlite3' } };

/** Opens each candidate's file, has `use` work with them, and closes them. */
async function withJournals({ id, rivals }, place, use) {
  const names = ['tenure', ...rivals];
  const journals = new Map();
  for (const name of names)
    journals.set(name, await openJournal(name, place.path(`${id}-${name}`)));
  const result = await use(journals);
  for (const journal of journals.values()) await journal.close();
  return result;
}

/** Rows that run. */
async function fill(journal, count) {
  const starts = newStarts(count);
  await Promise.all(starts.map(({ id, digest, payload }) => journal.reserve(id, digest, payload)));
  const sent = { state: 'running', submission: 'uncertain' };
  await Promise.all(starts.map(({ id }) => journal.update(id, sent)));
  return starts.map(({ id }) => id);
}

/** `work` makes the timed code. `kept` rows are there in the end, where that is not all that were written. */
function writingRow({ id, title, rivals, work, atOnce = 1, rows, kept, targets, unit, idle }) {
  const row = { id, rivals };
  const run = (place, { rounds, share }) =>
    withJournals(row, place, async (journals) => {
      const count = Math.max(atOnce, rows * share);
      const candidates = [];
      for (const [name, journal] of journals) {
        const paths = await pathsFor(name, 'journal.mjs');
        candidates.push({ name, work: await work(paths, journal) });
      }
      const samples = await writingContest(candidates, { rounds, rows: count });
      const written = (rounds + 1) * count;
      for (const [name, journal] of journals)
        await assertKept(name, journal, { rows: kept ?? written, commits: written / atOnce });
      const of = (part) => new Map([...samples].map(([name, all]) => [name, all[part]]));
      const lines = linesOf({ title, unit, rivals, targets }, of('total'));
      if (!idle) return lines;
      const busy = { title: `${title}: event loop busy, a row`, unit: TIME, rivals };
      return [...lines, ...linesOf(busy, of('busy'))];
    });
  return { ...row, run };
}

function reserveRow(atOnce, rows, targets) {
  return writingRow({
    id: `journal-reserve-${atOnce}`,
    title: `durable \`reserve\`, ${atOnce === 1 ? 'one at a time' : `${grouped(atOnce)} at once`}`,
    rivals: ['each', 'tick', 'worker'],
    work: (paths, journal) => paths.reserves(journal, { atOnce }),
    atOnce,
    rows,
    targets,
    unit: RATE,
    idle: true,
  });
}

function readingRow(id, title, { path, targets }) {
  const row = { id, ...READING };
  const run = (place, { budget }) =>
    withJournals(row, place, async (journals) => {
      const candidates = [];
      for (const [name, journal] of journals) {
        const paths = await pathsFor(name, 'journal.mjs');
        const ids = await fill(journal, LIVE);
        candidates.push({ name, run: timedLoop(paths[path](journal, ids)) });
      }
      return linesOf({ title, unit: TIME, targets, ...row }, await contest(candidates, budget));
    });
  return { ...row, run };
}

function reopenRow(rows, target) {
  const row = { id: `journal-reopen-${rows}`, ...READING };
  const run = async (place, { reopenings }) => {
    const { samples, megabytes } = await reopening(['tenure', ...row.rivals], place, {
      rows,
      reopenings,
    });
    const title = `reopen after kill -9, ${grouped(rows)} rows (${megabytes} MB)`;
    return linesOf({ title, unit: TIME, targets: target, ...row }, samples);
  };
  return { ...row, run };
}

/** The rows; with `quick`, sizes that are set up in no time. */
export function journalRows({ quick }) {
  const sizes = quick ? [10, 100, 1000] : [1000, 10_000, 100_000];
  const second = { tenure: { atMostMs: 1000 } };
  return [
    reserveRow(1, 200, { each: { atLeast: 0.6 } }),
    reserveRow(10, 200, { each: { atLeast: 3 } }),
    reserveRow(100, 300, { each: { atLeast: 8 }, tick: { atLeast: 1 } }),
    reserveRow(1000, 1000, { each: { atLeast: 10 }, tick: { atLeast: 1 } }),
    writingRow({
      id: 'journal-sync',
      title: '`reserveSync`, one at a time',
      rivals: ['each', 'floor'],
      work: (paths, journal) => paths.reservesSync(journal),
      rows: 200,
      unit: TIME,
    }),
    writingRow({
      id: 'journal-update',
      title: '`update` of one row of 1 000, one at a time',
      rivals: ['each'],
      work: async (paths, journal) => paths.updates(journal, await fill(journal, LIVE)),
      rows: 200,
      kept: LIVE,
      unit: TIME,
      idle: true,
    }),
    readingRow('journal-status', '`status` of a row with an input of 1 KB', {
      path: 'statuses',
      targets: { each: { atMost: 0.45 } },
    }),
    readingRow('journal-page', '`page` of 50 rows of 1 000', { path: 'pages' }),
    ...sizes.map((rows) => reopenRow(rows, rows === 100_000 ? second : undefined)),
  ];
}
