import { JOURNAL, JSON_OUT, type Call, type Command } from '../command.js';
import { EXIT } from '../exit.js';
import { find, reading, type Found } from '../journals.js';
import type { Output } from '../terminal/output.js';
import { json, safe, safeJson } from '../terminal/safe.js';
import { styleOf } from '../terminal/style.js';
import { date, percent, remark } from './words.js';

export const SCOPE = {
  value: 'SCOPE',
  help: "the operation's; needed only if several scopes have the id",
} as const;

/** What is known of an operation, a line each. */
export function described(
  { scope, status }: Found,
  more: { readonly startedAt: number | null; readonly cancelRequested: boolean },
  to: Output,
): string[] {
  const time = (at: number | null): string | null => (at === null ? null : date(at));
  const facts: [name: string, value: string | null][] = [
    ['operation', safe(status.operationId)],
    ['scope', scope === '' ? null : safe(scope)],
    ['state', to.paint(styleOf(status.state), status.state)],
    ['submission', status.submission],
    ['remark', remark(status) || null],
    ['done', percent(status.progress) || null],
    ['cancel', more.cancelRequested ? 'requested' : null],
    ['stale', status.stale ? 'what is known may be out of date' : null],
    ['asked', time(status.submittedAt)],
    ['started', time(more.startedAt)],
    ['seen', time(status.updatedAt)],
    ['finished', time(status.finishedAt)],
    ['reference', status.backendReference === null ? null : safe(status.backendReference)],
    ['digest', safe(status.inputDigest)],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`${to.paint('gray', name.padEnd(12))}${value}`],
  );
  for (const [name, value] of [
    ['input', status.input],
    ['result', status.result],
  ] as const) {
    if (value === null) continue;
    lines.push(
      to.paint('gray', name),
      ...safeJson(JSON.stringify(value, null, 2))
        .split('\n')
        .map((line) => `  ${line}`),
    );
  }
  return lines;
}

export const status = (output: () => Output): Command => ({
  name: 'ops status',
  summary: 'show all that is recorded of one operation',
  about: `
Shows one operation whole: state, times, the backend's reference, the recorded input and result.
The file is only read. An operation that was pruned or forgotten is not in the history any more:
exit code 5. With --json it is one object: what journal.status() gives, with scope, startedAt and
cancelRequested.`,
  positionals: ['ID'],
  options: { journal: JOURNAL, scope: SCOPE, json: JSON_OUT },
  examples: [
    ['tenure ops status render-17 -j jobs.journal', 'one operation'],
    ['tenure ops status render-17 -j jobs.journal --json | jq .result', 'its result'],
  ],
  run: ({ values, positionals: [id = ''] }: Call) =>
    reading(values, async (journal) => {
      const found = find(journal, id, values);
      const { scope } = found;
      const more = {
        startedAt: journal.startedAt(id, scope),
        cancelRequested: journal.cancelRequested(id, scope),
      };
      const to = output();
      if (values['json'] === true) await to.line(json({ scope, ...found.status, ...more }));
      else await to.lines(described(found, more, to));
      return EXIT.done;
    }),
});
