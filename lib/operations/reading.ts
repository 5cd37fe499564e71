import { object } from '../arguments.js';
import {
  ResultRefused,
  TenureError,
  invalidArgument,
  invalidValue,
  outOfRange,
} from '../errors.js';
import { plain } from './plain.js';

/** Reads the arguments of the durable rooms: each member once, and what cannot be recorded is refused. */

const STATES: readonly unknown[] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
];
const TERMINAL: readonly unknown[] = ['succeeded', 'failed', 'cancelled'];
const SUBMISSIONS: readonly unknown[] = ['pending', 'uncertain', 'accepted', 'refused'];

export const isTerminal = (state: unknown): boolean => TERMINAL.includes(state);

/** The operation that a call is about. */
export interface Key {
  readonly operationId: string;
  readonly scope: string;
}

function word(value: unknown, name: string, words: readonly unknown[]): string {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!words.includes(value)) throw invalidValue(name, `one of ${words.join(', ')}`);
  return value;
}

export const stateWord = (value: unknown, name: string): string => word(value, name, STATES);

/** A clock's answer: whole milliseconds. What it throws is thrown on. */
export function timeOf(clock: () => number): number {
  const now: unknown = clock();
  if (typeof now !== 'number' || !(now >= 0 && now <= Number.MAX_SAFE_INTEGER))
    throw outOfRange('The clock gave no number of milliseconds since the Unix epoch');
  return Math.trunc(now);
}

/** The text of an input: `ERR_INPUT_REFUSED` unless it is plain JSON. */
export function inputText(value: unknown, name: string, key?: Key): string {
  return plain(
    object(value, name) as object,
    (path, why) =>
      new TenureError('ERR_INPUT_REFUSED', `The value at ${path || '/'} ${why}`, { ...key, path }),
  );
}

const refusal = (path: string, why: string, key: Key): ResultRefused =>
  ResultRefused._of(`The value at ${path} ${why}`, { ...key, path });

function resultText(value: unknown, name: string, key: Key): string {
  return plain(object(value, name) as object, (path, why) => refusal(`/result${path}`, why, key));
}

/** Text that is recorded and shown: a string that is well-formed. */
function shownText(value: unknown, name: string, path: string, key: Key): string {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!value.isWellFormed()) throw refusal(path, 'has a lone surrogate', key);
  return JSON.stringify(value);
}

/** The JSON text of a patch. */
export function patchText(value: unknown, key: Key): string {
  const patch = object(value, 'patch') as { readonly [name: string]: unknown };
  const members: string[] = [];
  const { state, submission, progress, stage, error, backendReference, result } = patch;
  if (state !== undefined) members.push(`"state":"${stateWord(state, 'patch.state')}"`);
  if (submission !== undefined)
    members.push(`"submission":"${word(submission, 'patch.submission', SUBMISSIONS)}"`);
  if (progress !== undefined && progress !== null && typeof progress !== 'number')
    throw invalidArgument('patch.progress', 'a number, null or undefined');
  // JSON has no word for what is no finite number: 2 is as far out of range.
  if (progress !== undefined)
    members.push(`"progress":${progress === null || Number.isFinite(progress) ? progress : 2}`);
  for (const [name, text] of [
    ['stage', stage],
    ['error', error],
  ] as const) {
    if (text === undefined) continue;
    members.push(
      `"${name}":${text === null ? 'null' : shownText(text, `patch.${name}`, `/${name}`, key)}`,
    );
  }
  if (backendReference !== undefined) {
    const text = shownText(backendReference, 'patch.backendReference', '/backendReference', key);
    members.push(`"backendReference":${text}`);
  }
  if (result !== undefined)
    members.push(`"result":${result === null ? 'null' : resultText(result, 'patch.result', key)}`);
  return `{${members.join()}}`;
}

/** The JSON text of a person's decision. */
export function resolutionText(value: unknown, key: Key): string {
  const { state, note, result } = object(value, 'outcome') as { readonly [name: string]: unknown };
  const members = [`"state":"${word(state, 'outcome.state', TERMINAL)}"`];
  if (note !== undefined) members.push(`"note":${shownText(note, 'outcome.note', '/note', key)}`);
  if (result !== undefined) {
    if (state !== 'succeeded') throw invalidValue('outcome.result', 'left out unless succeeded');
    members.push(`"result":${resultText(result, 'outcome.result', key)}`);
  }
  return `{${members.join()}}`;
}

/** An observation as far as it can be read; undefined for what is none. Throws what its getters throw. */
export function observationText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { state, progress, stage, error, result } = value as { readonly [name: string]: unknown };
  let readable = true;
  const members: string[] = [];
  if (progress !== undefined) {
    const fits = progress === null || (typeof progress === 'number' && Number.isFinite(progress));
    if (fits) members.push(`"progress":${progress}`);
    else readable = false;
  }
  for (const [name, text] of [
    ['stage', stage],
    ['error', error],
  ] as const) {
    if (text === undefined) continue;
    const fits = text === null || (typeof text === 'string' && text.isWellFormed());
    if (fits) members.push(`"${name}":${JSON.stringify(text)}`);
    else readable = false;
  }
  if (result !== undefined && isTerminal(state)) {
    const text = observedResult(result);
    if (text === undefined) readable = false;
    else members.push(`"result":${text}`);
  }
  const known = STATES.includes(state) ? `"${state as string}"` : 'null';
  return `{"state":${known},"readable":${readable}${members.map((member) => `,${member}`).join('')}}`;
}

const UNFIT = Symbol('unfit');

function observedResult(result: unknown): string | undefined {
  if (result === null) return 'null';
  if (typeof result !== 'object' && typeof result !== 'function') return undefined;
  try {
    return plain(result, () => UNFIT as unknown as Error);
  } catch (error) {
    if (error === UNFIT) return undefined;
    throw error;
  }
}

const BOUNDS = [
  'maxQueued',
  'maxReservations',
  'retain',
  'inputBytes',
  'inputEchoBytes',
  'resultBytes',
  'referenceBytes',
  'pageSize',
  'frameBytes',
  'logBytes',
  'logSliceBytes',
  'maxRuntimeSeconds',
];

/** The JSON text of bounds: those that are given, each a number. */
export function boundsText(value: unknown, name: string): string {
  const bounds = object(value, name) as { readonly [name: string]: unknown };
  const members: string[] = [];
  for (const bound of BOUNDS) {
    const given = bounds[bound];
    if (given === undefined) continue;
    if (given === null && bound === 'maxRuntimeSeconds') continue;
    if (typeof given !== 'number') throw invalidArgument(`${name}.${bound}`, 'a number');
    if (!Number.isFinite(given)) throw outOfRange(`${name}.${bound} is out of range`);
    members.push(`"${bound}":${given}`);
  }
  return `{${members.join()}}`;
}
