// Errors of the reference model: the codes and the frozen messages of the contract.

export class CoreError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

export class ApplicationOperationBusyError extends CoreError {
  constructor(registration, key) {
    super('ERR_OPERATION_BUSY', `Operation ${registration.operationId} is active`);
    this.registration = registration;
    this.key = key;
  }
}

export class SessionBusyError extends CoreError {
  constructor(sessionIds) {
    super('ERR_SESSION_BUSY', `Session ${sessionIds[0]} has a live execution claim`);
    this.sessionIds = sessionIds;
  }
}

export function coded(error, code) {
  return Object.assign(error, { code });
}

export const closedError = () => new CoreError('ERR_CLOSED', 'The core is closed');

export function cancellationError(sessionId) {
  const message = `Execution for session ${sessionId} was cancelled before dispatch`;
  const error = new CoreError('ERR_EXECUTION_CANCELLED', message);
  error.name = 'RuntimeExecutionCancellation';
  return error;
}

const argument = (name, expected) =>
  coded(new TypeError(`The "${name}" argument must be ${expected}`), 'ERR_INVALID_ARG_TYPE');

export function needId(value, name) {
  if (typeof value !== 'string' || value === '') throw argument(name, 'a non-empty string');
}

export function needString(value, name) {
  if (typeof value !== 'string') throw argument(name, 'a string');
}

export function needRoute(value) {
  if (value !== undefined && typeof value !== 'string')
    throw argument('route', 'a string or undefined');
}

export function needFunction(value, name) {
  if (typeof value !== 'function') throw argument(name, 'a function');
}

export function needObject(value, name) {
  if (typeof value !== 'object' || value === null) throw argument(name, 'an object');
}

export function needIds(value, name) {
  if (!Array.isArray(value) || value.length === 0) throw argument(name, 'a non-empty array');
  for (const each of value) needId(each, name);
}

const CAUSES = 8;

/** An error as another member sees it: a copy, never the object itself. */
export function cross(error, depth = 0) {
  if (!(error instanceof Error)) return new Error(String(error));
  const copy = new Error(error.message);
  copy.name = error.name;
  if (error.code !== undefined) copy.code = error.code;
  if (error.cause instanceof Error && depth < CAUSES) copy.cause = cross(error.cause, depth + 1);
  return copy;
}
