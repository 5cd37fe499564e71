import { setTimeout as pause } from 'node:timers/promises';
import type { OperationLog, OperationLogs } from '../../index.js';
import {
  JOURNAL,
  JSON_OUT,
  countOf,
  textOf,
  type Call,
  type Command,
  type Values,
} from '../command.js';
import { EXIT, Interrupted } from '../exit.js';
import { find, hasEnded, journalPath, reading, usingLogs } from '../journals.js';
import type { Output } from '../terminal/output.js';
import { json, safeLines } from '../terminal/safe.js';
import { SCOPE } from './status.js';

/** How often a log of another process is looked at. */
const EVERY_MS = 200;
/** How many looks there are to one at the journal, which keeps its owner from opening it meanwhile. */
const JOURNAL_EVERY = 10;

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as { code?: string }).code ?? '');

const knowsJournal = (values: Values): boolean => {
  try {
    return journalPath(values) !== '';
  } catch {
    return false;
  }
};

interface Place {
  readonly scope: string;
  /** The journal knows no such operation; a log may outlive its row. */
  readonly unknown?: unknown;
}

/** The scope of the log: as it was given, or as the journal tells if it can be read, or none. */
async function placeOf(id: string, values: Values): Promise<Place> {
  const scope = textOf(values, 'scope') ?? '';
  if (!knowsJournal(values)) return { scope };
  try {
    return await reading(values, async (journal) => ({ scope: find(journal, id, values).scope }));
  } catch (error) {
    if (isCode(error, 'ERR_OPERATION_UNKNOWN')) return { scope, unknown: error };
    if (isCode(error, 'ERR_JOURNAL_LOCKED')) return { scope };
    throw error;
  }
}

/** Whether the journal says that it has ended. One that is open elsewhere says nothing. */
async function hasFinished(id: string, scope: string, values: Values): Promise<boolean> {
  if (!knowsJournal(values)) return false;
  try {
    return await reading(values, async (journal) => {
      const status = journal.status(id, scope);
      return status !== null && hasEnded(status);
    });
  } catch (error) {
    if (isCode(error, 'ERR_JOURNAL_LOCKED')) return false;
    throw error;
  }
}

interface Printed {
  /** Where what was printed ends. */
  readonly at: number;
  /** Where the log ended then; its beginning, of one that is gone. */
  readonly end: number;
}

/** Prints what there is from an offset on. */
async function print(
  from: number,
  read: (offset: number) => OperationLog,
  values: Values,
  to: Output,
): Promise<Printed> {
  let at = from;
  for (;;) {
    const slice = read(at);
    if (slice.text === '') return { at, end: slice.nextOffset };
    if (values['json'] === true) await to.line(json(slice));
    else await to.text(values['raw'] === true ? slice.text : safeLines(slice.text));
    at = slice.nextOffset;
  }
}

async function follow(
  id: string,
  scope: string,
  from: number,
  { values, interrupted }: Call,
  logs: OperationLogs,
  to: Output,
): Promise<void> {
  const read = (offset: number): OperationLog => logs.read(id, offset, scope);
  let at = from;
  let longest = 0;
  for (let look = 0; ; look += 1) {
    // Asked before the log is read: what was written until then is there.
    const over = look % JOURNAL_EVERY === 0 && (await hasFinished(id, scope, values));
    const printed = await print(at, read, values, to);
    // A log never gets shorter. An offset that was asked for may be one that it has yet to reach.
    longest = Math.max(longest, printed.at > at ? printed.at : printed.end);
    if (printed.end < longest) return;
    at = printed.at;
    if (over) return;
    if (interrupted.aborted) throw new Interrupted();
    await pause(EVERY_MS, undefined, { signal: interrupted }).catch(() => {
      throw new Interrupted();
    });
  }
}

export const log = (output: () => Output): Command => ({
  name: 'ops log',
  summary: 'print the log of an operation, and follow it',
  about: `
Prints the log of one operation from the directory that OperationLogs writes to. It needs no
journal, and so works while the journal is open in another process; with one it knows the scope by
itself where it can read it. What would steer a terminal is printed as an escape, unless --raw.

--follow goes on as lines come, until the log is retired, or until the journal, if one is given and
nobody else has it open, says that the operation has ended; Ctrl-C ends it, too (exit code 130).
With --json each line is one slice, as OperationLogs.read() gives it.`,
  positionals: ['ID'],
  options: {
    logs: { value: 'DIRECTORY', short: 'l', help: 'the directory of the logs; else TENURE_LOGS' },
    journal: JOURNAL,
    scope: { ...SCOPE, help: "the operation's; else as the journal says, or ''" },
    offset: { value: 'BYTES', help: 'begin there; default 0' },
    follow: { short: 'f', help: 'go on as lines come' },
    raw: { help: 'print the text as it is' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure ops log render-17 -l jobs.logs', 'all of it'],
    ['tenure ops log render-17 -l jobs.logs -f', 'and what comes'],
  ],
  run: (call: Call) =>
    usingLogs(call.values, async (logs) => {
      const {
        values,
        positionals: [id = ''],
      } = call;
      const from = countOf(values, 'offset') ?? 0;
      const { scope, unknown } = await placeOf(id, values);
      const read = (offset: number): OperationLog => logs.read(id, offset, scope);
      if (unknown !== undefined && read(0).text === '') throw unknown;
      const to = output();
      if (values['follow'] === true) await follow(id, scope, from, call, logs, to);
      else await print(from, read, values, to);
      return EXIT.done;
    }),
});
