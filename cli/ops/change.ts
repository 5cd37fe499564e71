// What changes one operation: cancel, resolve.
import { readFileSync } from 'node:fs';
import { JOURNAL, JSON_OUT, textOf, type Call, type Command } from '../command.js';
import { EXIT, UsageError } from '../exit.js';
import { find, hasEnded, waits, writing } from '../journals.js';
import type { Output } from '../terminal/output.js';
import { json, safe } from '../terminal/safe.js';
import { SCOPE } from './status.js';

const OWNER = `
The journal is opened for writing, which another process must not do meanwhile: exit code 3.
Opening it says of every operation that was running that it is interrupted, since nobody watches
it any more; the runner takes up again what the backend had accepted. Nothing is pruned.`;

export const cancel = (output: () => Output): Command => ({
  name: 'ops cancel',
  summary: 'cancel an operation that waits, ask for the end of one that was sent',
  about: `
An operation that waits in the journal's queue is cancelled at once. For one that was sent the
intent is recorded; the runner asks the backend when it is started again, and observes the operation
to its end. One that has ended stays as it is (outcome "terminal"), which is no error.
${OWNER}

With --json it is one object: scope, outcome ("cancelled", "recorded" or "terminal") and status.`,
  positionals: ['ID'],
  options: { journal: JOURNAL, scope: SCOPE, json: JSON_OUT },
  examples: [['tenure ops cancel render-17 -j jobs.journal', 'this one']],
  run: ({ values, positionals: [id = ''] }: Call) =>
    writing(values, async (journal) => {
      const found = find(journal, id, values);
      const { scope } = found;
      const answer = waits(found.status)
        ? {
            outcome: 'cancelled' as const,
            status: await journal.update(id, { state: 'cancelled' }, scope),
          }
        : await journal.requestCancel(id, scope);
      const to = output();
      if (values['json'] === true) await to.line(json({ scope, ...answer }));
      else {
        const words = {
          cancelled: 'is cancelled; it was not sent',
          recorded: 'is to be cancelled: its runner will ask the backend',
          terminal: `has ended: ${answer.status.state}`,
        };
        await to.line(`${safe(id)} ${words[answer.outcome]}`);
      }
      return EXIT.done;
    }),
});

const OUTCOMES = ['succeeded', 'failed', 'cancelled'] as const;

/** A result that is given as JSON, or as the name of a file with it. */
function resultOf(given: string | undefined): object | undefined {
  if (given === undefined) return undefined;
  try {
    const text = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given;
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new UsageError(`--result: ${(error as Error).message}`);
  }
  throw new UsageError('--result takes a JSON object.');
}

export const resolve = (output: () => Output): Command => ({
  name: 'ops resolve',
  summary: 'decide how an interrupted operation ended',
  about: `
Closes an interrupted operation as you say it ended: the way out of a submission of which nobody
knows whether it arrived. Look at the backend first, under the operation id as its idempotency key.
The decision is final, and it is yours: nothing is asked of the backend. An operation that is not
interrupted is refused.
${OWNER}

With --json it is one object: scope and the new status.`,
  positionals: ['ID'],
  options: {
    journal: JOURNAL,
    scope: SCOPE,
    as: { value: 'STATE', help: `how it ended: ${OUTCOMES.join(', ')}` },
    note: { value: 'TEXT', help: 'why, shown with the operation' },
    result: { value: 'JSON', help: 'what came of it, or @FILE; with succeeded only' },
    json: JSON_OUT,
  },
  examples: [
    [
      "tenure ops resolve render-17 -j jobs.journal --as failed --note 'never arrived'",
      'the backend knows nothing of it',
    ],
    [
      'tenure ops resolve render-17 -j jobs.journal --as succeeded --result @result.json',
      'it was done; this is what came of it',
    ],
  ],
  run: ({ values, positionals: [id = ''] }: Call) => {
    const state = OUTCOMES.find((each) => each === textOf(values, 'as'));
    if (state === undefined) throw new UsageError(`--as takes one of ${OUTCOMES.join(', ')}.`);
    const result = resultOf(textOf(values, 'result'));
    if (result !== undefined && state !== 'succeeded')
      throw new UsageError('--result goes with --as succeeded only.');
    const note = textOf(values, 'note');
    const outcome = {
      state,
      ...(note === undefined ? {} : { note }),
      ...(result === undefined ? {} : { result }),
    };
    return writing(values, async (journal) => {
      const { scope } = find(journal, id, values);
      const status = await journal.resolve(id, outcome, scope);
      const to = output();
      if (values['json'] === true) await to.line(json({ scope, ...status }));
      else await to.line(`${safe(id)} is resolved: ${status.state}`);
      return hasEnded(status) ? EXIT.done : EXIT.failed;
    });
  },
});
