// What the command ends with, and how an error is said.
import { json, safe, safeLines } from './terminal/safe.js';

/** Exit codes; part of the interface, see docs/cli.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  locked: 3,
  damaged: 4,
  unknown: 5,
  interrupted: 130,
} as const;

/** The command was called in a way that it does not understand. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** An error of the package, or of Node.js: told by its code. */
interface Coded extends Error {
  readonly code?: string;
  readonly path?: string;
  readonly pid?: number;
  readonly scope?: string;
  readonly operationId?: string;
  readonly cause?: { readonly code?: string; readonly message?: string };
}

const CODES: Readonly<Record<string, number>> = {
  ERR_JOURNAL_LOCKED: EXIT.locked,
  ERR_JOURNAL_CORRUPT: EXIT.damaged,
  ERR_JOURNAL_VERSION: EXIT.damaged,
  ERR_OPERATION_UNKNOWN: EXIT.unknown,
};

const isMissing = (code: string | undefined, cause: Coded['cause']): boolean =>
  code === 'ENOENT' || (code === 'ERR_JOURNAL_IO' && cause?.code === 'ENOENT');

export function exitOf(error: unknown): number {
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.usage;
  const { code, cause } = error as Coded;
  if (isMissing(code, cause)) return EXIT.unknown;
  return CODES[code ?? ''] ?? EXIT.failed;
}

/** What the person is told, in the words of the command. */
function words(error: Coded): string {
  const { code, path, cause, pid, message } = error;
  if (code === 'ERR_JOURNAL_LOCKED') {
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    return `${path} is open in ${who}. One process owns a journal: ask it, or wait until it has ended.`;
  }
  if (isMissing(code, cause)) return `There is no file ${path}.`;
  if (code === 'ERR_BACKUP_EXISTS') return `Something is at ${path}, and nothing is written over.`;
  const where = path !== undefined && code?.startsWith('ERR_JOURNAL_') ? `${path}: ` : '';
  const why =
    cause?.message === undefined || message.includes(cause.message) ? '' : `: ${cause.message}`;
  return `${where}${message}${why}`;
}

/** The line for stderr. */
export function spoken(error: unknown, asJson: boolean): string {
  const given = error as Coded;
  if (asJson) {
    const { code = given.name, path, pid, scope, operationId } = given;
    const message = words(given);
    return json({
      error: { code, message, path, pid, scope, operationId, exitCode: exitOf(error) },
    });
  }
  const code = given.code === undefined ? '' : ` (${given.code})`;
  const told = error instanceof UsageError ? safeLines(given.message) : safe(words(given));
  return `tenure: ${told}${code}`;
}
