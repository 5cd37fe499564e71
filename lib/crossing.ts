import { types } from 'node:util';
import { closedError } from './errors.js';

/** An error that crosses to another member keeps its name, message, code and causes, to this depth. */
const DEPTH = 8;

interface Crossed {
  name: string;
  message: string;
  code?: string;
  cause?: Crossed;
}

const isError = (value: unknown): value is Error =>
  types.isNativeError(value) || value instanceof Error;

function describe(value: unknown, depth: number): Crossed {
  if (!isError(value)) return { name: 'Error', message: String(value) };
  const { name, message } = value;
  const crossed: Crossed = { name: String(name), message: String(message) };
  const code = (value as { code?: unknown }).code;
  if (typeof code === 'string') crossed.code = code;
  if (depth > 1 && isError(value.cause)) crossed.cause = describe(value.cause, depth - 1);
  return crossed;
}

/** The text of an error. One whose getters throw crosses as an Error that says so. */
export function cross(error: unknown): string {
  try {
    return JSON.stringify(describe(error, DEPTH));
  } catch {
    return JSON.stringify({ name: 'Error', message: 'An error that cannot be read' });
  }
}

function revive({ name, message, code, cause }: Crossed): Error {
  const error = cause ? new Error(message, { cause: revive(cause) }) : new Error(message);
  if (name !== 'Error')
    Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
  if (code !== undefined) (error as { code?: string }).code = code;
  return error;
}

/** The error of a text; without one, its member has ended. */
export const uncross = (text: string | undefined): Error =>
  text === undefined ? closedError() : revive(JSON.parse(text) as Crossed);
