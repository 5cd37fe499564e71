import { invalidArgument } from './errors.js';
import type { Outcome, RunIdentity } from './values.js';

export function nonEmpty(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw invalidArgument(name, 'a non-empty string');
  return value;
}

export function string(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  return value;
}

export function optionalString(value: unknown, name: string): string | undefined {
  if (value !== undefined && typeof value !== 'string')
    throw invalidArgument(name, 'a string or undefined');
  return value;
}

export function callable<F>(value: F, name: string): F {
  if (typeof value !== 'function') throw invalidArgument(name, 'a function');
  return value;
}

export function object<O>(value: O, name: string): O {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    throw invalidArgument(name, 'an object');
  return value;
}

/** A list of strings, read once: a getter or a proxy is not asked again. */
export function strings(value: unknown, name: string, empty: boolean): string[] {
  if (!Array.isArray(value)) throw invalidArgument(name, 'an array of strings');
  const list: string[] = [];
  for (let index = 0; index < value.length; index += 1) {
    const each: unknown = value[index];
    if (typeof each !== 'string' || (each === '' && !empty))
      throw invalidArgument(`${name}[${index}]`, empty ? 'a string' : 'a non-empty string');
    list.push(each);
  }
  return list;
}

/** The strings of a run, each read once. */
export function identity(value: unknown, name: string): RunIdentity {
  const run = object(value, name) as RunIdentity;
  return {
    sessionId: string(run.sessionId, `${name}.sessionId`),
    runId: string(run.runId, `${name}.runId`),
    turnId: string(run.turnId, `${name}.turnId`),
  };
}

/** How something ended, read once. */
export function outcome(value: unknown, name: string): Outcome {
  const given = object(value, name) as { ok: unknown; error?: unknown };
  const ok = given.ok;
  if (typeof ok !== 'boolean') throw invalidArgument(`${name}.ok`, 'a boolean');
  return ok ? { ok } : { ok, error: given.error };
}
