import { getSystemErrorName } from 'node:util';
import { ResultRefused, TenureError, invalidValue, outOfRange } from '../errors.js';
import type { OperationErrorCode } from '../codes.js';

/** JSON text, a number, nothing; or a refusal: text with a mark in front, or a negative number. */
export type Answer = string | number | undefined;

const MARK = '!'.charCodeAt(0);

/** A refusal as the core tells it. */
interface Refused {
  code: OperationErrorCode | 'ERR_INVALID_ARG_VALUE' | 'ERR_OUT_OF_RANGE';
  message: string;
  operationId?: string;
  scope?: string;
  path?: string;
  limit?: number;
  actual?: number;
  pid?: number;
  cause?: { message: string; errno?: number };
}

function causeOf({ message, errno }: { message: string; errno?: number }): Error {
  const cause: Error & { code?: string; errno?: number } = new Error(message);
  if (errno !== undefined) {
    cause.errno = errno;
    cause.code = getSystemErrorName(-errno);
  }
  return cause;
}

/** The error of a refusal. */
export function errorOf(refused: Refused): Error {
  const { code, message, cause, ...fields } = refused;
  if (code === 'ERR_RESULT_REFUSED') return ResultRefused._of(message, fields);
  if (code === 'ERR_OUT_OF_RANGE') return outOfRange(message);
  if (code === 'ERR_INVALID_ARG_VALUE') return invalidValue(fields.path ?? 'options', message);
  const options = cause === undefined ? fields : { ...fields, cause: causeOf(cause) };
  return new TenureError(code, message, options);
}

/** What a call gives; a refusal is thrown. */
export function accepted<A extends Answer>(answer: A): A {
  if (typeof answer === 'string' && answer.charCodeAt(0) === MARK)
    throw errorOf(JSON.parse(answer.slice(1)) as Refused);
  // No answer is below zero: a panic of ours was caught.
  if (typeof answer === 'number' && answer < 0)
    throw new TenureError('ERR_INTERNAL', 'A fault of tenure itself');
  return answer;
}
