// Journals and logs as the commands open them.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { OperationJournal, OperationLogs } from '../index.js';
import type { OperationStatus } from '../index.js';
import { textOf, type Values } from './command.js';
import { UsageError } from './exit.js';
import { safe } from './terminal/safe.js';

/** The bounds are the owner's. These refuse nothing and, above all, prune nothing. */
const BOUNDS = {
  maxQueued: 1_000_000,
  maxReservations: 10_000_000,
  retain: 1_000_000,
  inputBytes: 16_777_216,
  inputEchoBytes: 16_777_216,
  resultBytes: 16_777_216,
  referenceBytes: 4_096,
  pageSize: 1_000,
};

export function journalPath(values: Values): string {
  const path = textOf(values, 'journal') ?? process.env['TENURE_JOURNAL'] ?? '';
  if (path === '')
    throw new UsageError('Which journal? Give --journal PATH, or set TENURE_JOURNAL.');
  return path;
}

/** A command opens what is there; it never makes a journal of a name that was mistyped. */
function present(path: string): string {
  if (existsSync(path)) return path;
  throw Object.assign(new Error('no such file'), { code: 'ENOENT', path });
}

async function openAt(path: string, readOnly: boolean): Promise<OperationJournal> {
  return OperationJournal.open(present(path), { bounds: BOUNDS, readOnly });
}

/** A journal that is only read; whoever opens it closes it. */
export const openToRead = (path: string): Promise<OperationJournal> => openAt(path, true);

async function using<T>(
  values: Values,
  readOnly: boolean,
  work: (journal: OperationJournal) => Promise<T>,
): Promise<T> {
  const journal = await openAt(journalPath(values), readOnly);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

/** Works on a journal that is only read: the file stays as it is. */
export const reading = <T>(
  values: Values,
  work: (journal: OperationJournal) => Promise<T>,
): Promise<T> => using(values, true, work);

/** Works on a journal that this process owns meanwhile: what was running is interrupted by that. */
export const writing = <T>(
  values: Values,
  work: (journal: OperationJournal) => Promise<T>,
): Promise<T> => using(values, false, work);

export async function usingLogs<T>(
  values: Values,
  work: (logs: OperationLogs) => Promise<T>,
): Promise<T> {
  const directory = textOf(values, 'logs') ?? process.env['TENURE_LOGS'] ?? '';
  if (directory === '')
    throw new UsageError('Where are the logs? Give --logs DIRECTORY, or set TENURE_LOGS.');
  const logs = await OperationLogs.open(present(directory));
  try {
    return await work(logs);
  } finally {
    await logs.close();
  }
}

/** The scopes that are meant: the one that was asked for, or all that have rows, sorted. */
export function scopesOf(journal: OperationJournal, values: Values): string[] {
  const scope = textOf(values, 'scope');
  if (scope !== undefined) return [scope];
  return journal
    .stats()
    .scopes.map((each) => each.scope)
    .sort();
}

export interface Found {
  readonly scope: string;
  readonly status: OperationStatus;
}

/** The operation of an id: in the scope that was asked for, or in the only one that has it. */
export function find(journal: OperationJournal, id: string, values: Values): Found {
  const found = scopesOf(journal, values).flatMap((scope) => {
    const status = journal.status(id, scope);
    return status === null ? [] : [{ scope, status }];
  });
  const [first, ...others] = found;
  if (first === undefined) {
    const where = textOf(values, 'scope');
    const scope = where === undefined ? 'any scope' : `scope '${where}'`;
    throw Object.assign(new Error(`There is no operation '${id}' in the history of ${scope}.`), {
      code: 'ERR_OPERATION_UNKNOWN',
      operationId: id,
      ...(where === undefined ? {} : { scope: where }),
    });
  }
  if (others.length > 0) {
    const scopes = found.map(({ scope }) => `'${safe(scope)}'`).join(', ');
    throw new UsageError(
      `Several scopes have an operation '${safe(id)}': ${scopes}. Give --scope.`,
    );
  }
  return first;
}

/** Whether it waits in the journal's own queue. */
export const waits = ({ state, submission }: OperationStatus): boolean =>
  state === 'queued' && submission === 'pending';

export const hasEnded = ({ state }: OperationStatus): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled';
