import process from 'node:process';
import type { OperationJournal, OperationState, OperationStatus } from '../../index.js';
import { JOURNAL, JSON_OUT, countOf, textOf, type Call, type Command } from '../command.js';
import { EXIT, UsageError } from '../exit.js';
import { reading, scopesOf, type Found } from '../journals.js';
import { note, type Output } from '../terminal/output.js';
import { json, safe } from '../terminal/safe.js';
import { styleOf } from '../terminal/style.js';
import { table, type Column } from '../terminal/table.js';
import { ago, percent, remark } from './words.js';

const STATES: readonly string[] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
];

function* rowsOf(
  journal: OperationJournal,
  scope: string,
  state?: OperationState,
): Generator<Found> {
  let offset: number | null = 0;
  while (offset !== null) {
    const page = journal.page(scope, state === undefined ? { offset } : { offset, state });
    for (const status of page.operations) yield { scope, status };
    offset = page.nextOffset;
  }
}

/** Newest first. Within a scope the order is that of the journal, whatever the clock said. */
function listed(
  journal: OperationJournal,
  scopes: readonly string[],
  state?: OperationState,
): Found[] {
  const lists = scopes.map((scope) => [...rowsOf(journal, scope, state)]);
  if (lists.length === 1) return lists[0] ?? [];
  return lists.flat().sort((a, b) => b.status.submittedAt - a.status.submittedAt);
}

function columns(now: number, several: boolean): Column<Found>[] {
  const of = (text: (status: OperationStatus) => string) => (row: Found) => text(row.status);
  const scope: Column<Found> = {
    title: 'SCOPE',
    text: (row) => safe(row.scope),
    least: 6,
    rank: 4,
  };
  return [
    { title: 'ID', text: of((status) => safe(status.operationId)), least: 8, style: () => 'bold' },
    ...(several ? [scope] : []),
    {
      title: 'STATE',
      text: of((status) => status.state),
      style: ({ status }) => styleOf(status.state),
    },
    { title: 'DONE', text: of((status) => percent(status.progress)), toTheRight: true, rank: 2 },
    {
      title: 'ASKED',
      text: of((status) => ago(status.submittedAt, now)),
      toTheRight: true,
      rank: 1,
    },
    { title: 'SEEN', text: of((status) => ago(status.updatedAt, now)), toTheRight: true, rank: 3 },
    { title: 'REMARK', text: of(remark), least: 12, rank: 5 },
  ];
}

export const list = (output: () => Output): Command => ({
  name: 'ops list',
  summary: 'list the operations of the history, newest first',
  about: `
Lists what the history of a journal holds, of all scopes or of one, newest first. The file is only
read: rows are shown as they were recorded, and those of a process that died are still running.

A table is as wide as the terminal (or COLUMNS); elsewhere nothing is cut. ASKED and SEEN are how
long ago the operation was reserved and last observed. With --json each line is one operation, as
journal.page() gives it, with its scope.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: "this scope only; '' is the one without a name" },
    state: { value: 'STATE', help: `one of ${STATES.join(', ')}` },
    limit: { value: 'N', help: 'the newest N only' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure ops list -j jobs.journal', 'everything'],
    ['tenure ops list -j jobs.journal --state interrupted', 'what waits for a runner, or for you'],
    ['tenure ops list -j jobs.journal --json | jq -r .operationId', 'ids, one a line'],
  ],
  run: ({ values }: Call) =>
    reading(values, async (journal) => {
      const state = textOf(values, 'state');
      if (state !== undefined && !STATES.includes(state))
        throw new UsageError(`--state takes one of ${STATES.join(', ')}, not '${state}'.`);
      const limit = countOf(values, 'limit') ?? Infinity;
      const scopes = scopesOf(journal, values);
      const all = listed(journal, scopes, state as OperationState | undefined);
      const rows = all.slice(0, limit);
      const to = output();
      if (values['json'] === true) {
        for (const { scope, status } of rows) await to.line(json({ scope, ...status }));
        return EXIT.done;
      }
      if (rows.length === 0) {
        if (process.stderr.isTTY) note('No operation is there.');
        return EXIT.done;
      }
      await to.lines(table(columns(Date.now(), scopes.length > 1), rows, to.room, to.paint));
      if (rows.length < all.length) note(`${all.length - rows.length} more`);
      return EXIT.done;
    }),
});
