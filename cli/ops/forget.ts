import { OperationJournal } from '../../index.js';
import { JOURNAL, JSON_OUT, textOf, timeOf, type Call, type Command } from '../command.js';
import { EXIT, UsageError } from '../exit.js';
import { reading, writing } from '../journals.js';
import type { Output } from '../terminal/output.js';
import { json, safe } from '../terminal/safe.js';

/** How many operations `forget` would take, by what the journal holds of them. */
async function counted(journal: OperationJournal, scope: string, before: number): Promise<number> {
  let count = 0;
  let rest = '';
  for await (const lines of OperationJournal.export(journal, { scope })) {
    const parts = (rest + lines).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const line = JSON.parse(part) as { ended?: number; updatedAt?: number; finishedAt?: number };
      const at = line.ended === undefined ? line.finishedAt : line.updatedAt;
      if (typeof at === 'number' && at < before) count += 1;
    }
  }
  return count;
}

export const forget = (output: () => Output): Command => ({
  name: 'ops forget',
  summary: 'take operations that ended long ago off the fence',
  about: `
Forgets the operations of one scope that ended before a time, pruned ones included. This is the only
way in which the fence gets shorter, and it is for good: a forgotten id may be reserved anew, so a
late retry of it would do the work a second time. Choose a time that no retry outlives.

The journal is opened for writing, which another process must not do meanwhile: exit code 3.
Opening it says of every operation that was running that it is interrupted. With --dry-run it is
only read. Logs are not deleted: the owner of the journal gets the ids from drainRetired().

With --json it is one object: scope, before (milliseconds) and forgotten, their number.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: "the scope; default '', the one without a name" },
    before: { value: 'TIME', help: 'a date (2026-01-31), or an age (30d, 12h, 90m)' },
    'dry-run': { help: 'count them, and change nothing' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure ops forget -j jobs.journal --before 90d --dry-run', 'how many that would be'],
    ['tenure ops forget -j jobs.journal --before 2026-01-01 --scope renders', 'of last year'],
  ],
  run: async ({ values }: Call) => {
    const given = textOf(values, 'before');
    if (given === undefined) throw new UsageError('--before is missing: forget what?');
    const before = timeOf(given, 'before', Date.now());
    const scope = textOf(values, 'scope') ?? '';
    const dry = values['dry-run'] === true;
    const forgotten = dry
      ? await reading(values, (journal) => counted(journal, scope, before))
      : await writing(values, (journal) => journal.forget({ finishedBefore: before, scope }));
    const to = output();
    if (values['json'] === true) await to.line(json({ scope, before, forgotten, dryRun: dry }));
    else {
      const of = scope === '' ? '' : ` of scope ${safe(scope)}`;
      const what = forgotten === 1 ? '1 operation' : `${forgotten} operations`;
      await to.line(`${what}${of} ${dry ? 'would be' : forgotten === 1 ? 'is' : 'are'} forgotten`);
    }
    return EXIT.done;
  },
});
