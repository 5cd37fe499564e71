import type { ApplicationOperationRegistration } from './values.js';
import type { CoreErrorCode, OperationErrorCode } from './codes.js';

/** On the prototype, so that a stack begins with it. */
function named(of: { prototype: Error }, name: string): void {
  Object.defineProperty(of.prototype, 'name', { value: name, writable: true, configurable: true });
}

const OPEN = { enumerable: true, writable: true, configurable: true };
const FIELDS = ['operationId', 'scope', 'path', 'limit', 'actual', 'pid'] as const;

/**
 * Every error that tenure throws on purpose, wrong arguments aside: those are a `TypeError` or a
 * `RangeError` with a `code`. Codes never change, messages may; test by `code`, since another copy of
 * the package (a vm context, a worker) has classes of its own.
 */
export class TenureError extends Error {
  static {
    named(this, 'TenureError');
  }

  /** What to test; see docs/errors.md for each. */
  readonly code: CoreErrorCode | OperationErrorCode;
  /** The operation it is about. */
  declare readonly operationId?: string;
  /** The scope it is about. */
  declare readonly scope?: string;
  /** JSON Pointer of the refused value, or the path of the file. */
  declare readonly path?: string;
  /** The bound that was passed. */
  declare readonly limit?: number;
  /** What passed it. */
  declare readonly actual?: number;
  /** `ERR_JOURNAL_LOCKED`: the process that has the file open, where known. */
  declare readonly pid?: number;

  /** For a plan function to throw: a TenureError of its own is passed on as it is. */
  constructor(
    code: CoreErrorCode | OperationErrorCode,
    message: string,
    options?: ErrorOptions & ErrorFields,
  ) {
    super(message, options);
    this.code = code;
    if (options === undefined) return;
    for (const field of FIELDS) {
      const value = options[field];
      if (value !== undefined) Object.defineProperty(this, field, { value, ...OPEN });
    }
  }
}

/** What an error may tell besides its code. */
export type ErrorFields = {
  operationId?: string | undefined;
  scope?: string | undefined;
  path?: string | undefined;
  limit?: number | undefined;
  actual?: number | undefined;
  pid?: number | undefined;
};

/**
 * `ERR_SUBMISSION_REFUSED`: for an adapter to throw from `submit` before anything was sent, a definite
 * failure. `reason` is published as the operation's `error`, so it must be safe to show; one that is
 * empty, too long for `error` or not well-formed is replaced by a fixed one.
 */
export class SubmissionRefused extends TenureError {
  static {
    named(this, 'SubmissionRefused');
  }

  /** Always this one. */
  declare readonly code: 'ERR_SUBMISSION_REFUSED';

  /** `ERR_INVALID_ARG_TYPE` unless a string. */
  constructor(reason: string) {
    if (typeof reason !== 'string') throw invalidArgument('reason', 'a string');
    super('ERR_SUBMISSION_REFUSED', reason);
  }
}

/** `ERR_RESULT_REFUSED`: a value that the journal will not keep. The message is safe to show. */
export class ResultRefused extends TenureError {
  static {
    named(this, 'ResultRefused');
  }

  /** Always this one. */
  declare readonly code: 'ERR_RESULT_REFUSED';

  /** @internal */
  protected constructor(message: string, fields: ErrorFields) {
    super('ERR_RESULT_REFUSED', message, fields);
  }

  /** @internal */
  static _of(message: string, fields: ErrorFields): ResultRefused {
    return new ResultRefused(message, fields);
  }
}

/** `ERR_SESSION_BUSY`: a quiescent mutation met live claims. */
export class SessionBusyError extends TenureError {
  static {
    named(this, 'SessionBusyError');
  }

  /** Always this one. */
  declare readonly code: 'ERR_SESSION_BUSY';
  /** The sessions that have a live claim, sorted; the message names the first. */
  readonly sessionIds: readonly string[];

  /** Made by `mutateSessions`. */
  constructor(sessionIds: readonly string[]) {
    super('ERR_SESSION_BUSY', `Session ${sessionIds[0]} has a live execution claim`);
    this.sessionIds = sessionIds;
  }
}

/** `ERR_OPERATION_BUSY`: another active operation holds a key. */
export class ApplicationOperationBusyError extends TenureError {
  static {
    named(this, 'ApplicationOperationBusyError');
  }

  /** Always this one. */
  declare readonly code: 'ERR_OPERATION_BUSY';
  /** The holder's registration, and nothing else of it. */
  readonly registration: ApplicationOperationRegistration;
  /** The first of the caller's own keys, in the caller's order, that is held. */
  readonly key: string;

  /** Made by `reserve`. */
  constructor(registration: ApplicationOperationRegistration, key: string) {
    super('ERR_OPERATION_BUSY', `Operation ${registration.operationId} is active`);
    this.registration = registration;
    this.key = key;
  }
}

/** The name that the contract gives the error of a cancelled execution. */
export class RuntimeExecutionCancellation extends TenureError {
  static {
    named(this, 'RuntimeExecutionCancellation');
  }

  declare readonly code: 'ERR_EXECUTION_CANCELLED';

  constructor(sessionId: string) {
    super(
      'ERR_EXECUTION_CANCELLED',
      `Execution for session ${sessionId} was cancelled before dispatch`,
    );
  }
}

function coded<E extends Error>(error: E, code: CoreErrorCode): E {
  Object.defineProperty(error, 'code', { value: code, writable: true, configurable: true });
  return error;
}

export const invalidArgument = (name: string, expected: string): TypeError =>
  coded(new TypeError(`The argument "${name}" must be ${expected}`), 'ERR_INVALID_ARG_TYPE');

export const invalidValue = (name: string, expected: string): TypeError =>
  coded(new TypeError(`The argument "${name}" must be ${expected}`), 'ERR_INVALID_ARG_VALUE');

export const outOfRange = (message: string): RangeError =>
  coded(new RangeError(message), 'ERR_OUT_OF_RANGE');

export const invalidThis = (name: string): TypeError =>
  coded(new TypeError(`Called on something that is no ${name}`), 'ERR_INVALID_THIS');

/** What only the package itself has: handles are made by calls, not by `new`. */
export const MAKER = Symbol('tenure');

export function made(maker: unknown, name: string): void {
  if (maker !== MAKER)
    throw coded(new TypeError(`A ${name} is not to be constructed`), 'ERR_INVALID_THIS');
}

export const closedError = (): TenureError => new TenureError('ERR_CLOSED', 'The core is closed');

export const coreError = (code: CoreErrorCode, message: string, options?: ErrorOptions): OfCore =>
  new TenureError(code, message, options) as OfCore;

/** An error of the core. */
export type OfCore = TenureError & { readonly code: CoreErrorCode };

/** The error of a generation whose disposal failed. */
export const failureOf = (generation: number, cause: unknown): OfCore =>
  coreError(
    'ERR_GENERATION_FAILED',
    `Backend generation ${generation} is permanently quarantined after disposal failed`,
    { cause },
  );
