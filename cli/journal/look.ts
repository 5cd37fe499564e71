// What tells of a journal as a whole: stats, verify.
import process from 'node:process';
import type { ScopeCounts } from '../../index.js';
import { JOURNAL, JSON_OUT, textOf, type Call, type Command } from '../command.js';
import { EXIT } from '../exit.js';
import { journalPath, reading } from '../journals.js';
import type { Output } from '../terminal/output.js';
import { Progress } from '../terminal/progress.js';
import { json, safe } from '../terminal/safe.js';
import { styleOf } from '../terminal/style.js';
import { table, type Column } from '../terminal/table.js';

const STATES = ['queued', 'running', 'interrupted', 'succeeded', 'failed', 'cancelled'] as const;

/** Bytes as a person reads them. */
export function size(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < units.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

const COUNTS: Column<ScopeCounts>[] = [
  { title: 'SCOPE', text: ({ scope }) => (scope === '' ? "''" : safe(scope)), least: 6 },
  ...STATES.map((state, at) => ({
    title: state.toUpperCase(),
    text: (counts: ScopeCounts) => String(counts[state]),
    style: (counts: ScopeCounts) => (counts[state] === 0 ? ('gray' as const) : styleOf(state)),
    toTheRight: true,
    rank: STATES.length - at,
  })),
];

export const stats = (output: () => Output): Command => ({
  name: 'journal stats',
  summary: 'count operations by scope and state, and tell the size of the file',
  about: `
Counts the operations of the history by scope and state, and the ids that the fence holds: those
of the history and those that left it. The file is only read. With --json it is one object: path,
fileBytes, fence.used and scopes, each with its counts.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: 'this scope only' },
    json: JSON_OUT,
  },
  examples: [['tenure journal stats -j jobs.journal', 'all scopes']],
  run: ({ values }: Call) =>
    reading(values, async (journal) => {
      const path = journalPath(values);
      const { scopes, fence, fileBytes } = journal.stats();
      const only = textOf(values, 'scope');
      const shown = scopes
        .filter(({ scope }) => only === undefined || scope === only)
        .sort((a, b) => (a.scope < b.scope ? -1 : 1));
      const to = output();
      if (values['json'] === true) {
        await to.line(json({ path, fileBytes, fence: { used: fence.used }, scopes: shown }));
        return EXIT.done;
      }
      const rows = shown.reduce(
        (sum, counts) => sum + STATES.reduce((of, state) => of + counts[state], 0),
        0,
      );
      await to.lines([
        `${safe(path)}: ${size(fileBytes)}, ${rows} in the history, ${fence.used} ids on the fence`,
        ...(shown.length === 0 ? [] : ['', ...table(COUNTS, shown, to.room, to.paint)]),
      ]);
      return EXIT.done;
    }),
});

export const verify = (output: () => Output): Command => ({
  name: 'journal verify',
  summary: 'read every record, and tell what cannot be read',
  about: `
Reads everything and checks every checksum and that the parts fit together. The file is only read.
Whatever is named can no longer be read and is passed over by everything else; an id that it had
stays reserved. Problems are exit code 4, as is a file that is no journal at all. With --json it is
one object: path, ok and problems, each with scope, operationId (null where unknown) and message.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: 'tell problems of this scope only, and those of none' },
    json: JSON_OUT,
  },
  examples: [['tenure journal verify -j jobs.journal && echo sound', 'before a backup']],
  run: ({ values }: Call) =>
    reading(values, async (journal) => {
      const progress = new Progress('verifying', undefined, process.stderr);
      const { problems: all } = await journal.verify().finally(() => progress.end());
      const only = textOf(values, 'scope');
      const problems = all.filter(
        ({ scope }) => only === undefined || scope === null || scope === only,
      );
      const [path, ok] = [journalPath(values), problems.length === 0];
      const to = output();
      if (values['json'] === true) await to.line(json({ path, ok, problems }));
      else {
        const lines = problems.map(({ scope, operationId, message }) => {
          const of = scope === null || scope === '' ? '' : ` of scope ${safe(scope)}`;
          const who = operationId === null ? '' : `${safe(operationId)}${of}: `;
          return to.paint('red', `${who}${safe(message)}`);
        });
        await to.lines(ok ? [`${safe(path)} is sound`] : lines);
      }
      return ok ? EXIT.done : EXIT.damaged;
    }),
});
