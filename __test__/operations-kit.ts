// What the tests of durable operations share: journals and logs that go with their test, rows in any
// state, and the errors that calls end with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { OperationJournal, OperationLogs, ResultRefused, TenureError } from '../index.js';
import type {
  JournalOptions,
  OperationBounds,
  OperationPage,
  OperationState,
  OperationStatus,
  PageOptions,
} from '../index.js';

export { gate, macrotask, type Gate } from './contract-kit.js';

/** A digest of an input, as good as any. */
export const DIGEST = 'd'.repeat(64);
export const OTHER_DIGEST = 'e'.repeat(64);

export const STATES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
export const ENDED = ['succeeded', 'failed', 'cancelled'] as const;
export const isEnded = (state: string): boolean => (ENDED as readonly string[]).includes(state);

/** A directory that goes with the test. */
export function temporary(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-operations-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** Where a journal may be made. */
export const newPath = (): string => path.join(temporary(), 'journal');

/** A clock that is set by hand; it stands otherwise. */
export function handClock(now = 1_000): { now: number; readonly read: () => number } {
  const clock = { now, read: () => clock.now };
  return clock;
}

export function inMemory(bounds?: OperationBounds, clock?: () => number): OperationJournal {
  return OperationJournal.inMemory({
    ...(bounds === undefined ? {} : { bounds }),
    ...(clock === undefined ? {} : { clock }),
  });
}

export async function openJournal(
  at: string = newPath(),
  options: JournalOptions = {},
): Promise<OperationJournal> {
  const journal = await OperationJournal.open(at, options);
  onTestFinished(() => journal.close());
  return journal;
}

/** The journal anew, as after an orderly end: what a file holds, and nothing else. */
export async function reopened(
  journal: OperationJournal,
  at: string,
  options: JournalOptions = {},
): Promise<OperationJournal> {
  await journal.close();
  return openJournal(at, options);
}

export async function openLogs(
  bounds?: OperationBounds,
  directory: string = temporary(),
): Promise<OperationLogs> {
  const logs = await OperationLogs.open(directory, bounds);
  onTestFinished(() => logs.close());
  return logs;
}

/**
 * A new row, as `state/submission` says. What was accepted has the reference `ref-` and its id; the input
 * names the id.
 */
export function rowIn(
  journal: OperationJournal,
  id: string,
  kind: string,
  scope?: string,
): OperationStatus {
  const [state, submission] = kind.split('/') as [OperationState, OperationStatus['submission']];
  const { status } = journal.reserveSync(id, DIGEST, { of: id }, scope);
  if (kind === 'queued/pending') return status;
  const sent =
    submission === 'pending'
      ? {}
      : { submission, ...(submission === 'accepted' ? { backendReference: `ref-${id}` } : {}) };
  if (state === 'queued') return journal.updateSync(id, sent, scope);
  if (submission === 'refused') return journal.updateSync(id, { state, ...sent }, scope);
  // Only what runs, or was accepted, may succeed.
  if (isEnded(state)) journal.updateSync(id, { state: 'running', ...sent }, scope);
  return journal.updateSync(id, { state, ...sent }, scope);
}

export const kindOf = ({ state, submission }: OperationStatus): string => `${state}/${submission}`;

export const idsOf = (page: OperationPage): string[] =>
  page.operations.map(({ operationId }) => operationId);

/** The ids that a listing gives, page by page. */
export function walk(
  journal: OperationJournal,
  scope?: string,
  options: PageOptions = {},
): string[] {
  const seen: string[] = [];
  for (let offset: number | null = 0, pages = 0; offset !== null; pages += 1) {
    const page: OperationPage = journal.page(scope, { ...options, offset });
    expect(pages, 'a listing ends').toBeLessThan(10_000);
    seen.push(...idsOf(page));
    offset = page.nextOffset;
  }
  return seen;
}

export const moment = (ms = 1): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Looks again and again, for far longer than anything takes. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: () => unknown = () => String(holds),
): Promise<void> {
  // What keeps this thread busy meanwhile is no waiting.
  for (let waited = 0; !(await holds());) {
    if (waited > 25_000) expect.unreachable(`still waiting: ${JSON.stringify(what())}`);
    const from = performance.now();
    await moment();
    waited += Math.min(performance.now() - from, 100);
  }
}

/** An error has a code, is of the class that goes with it, has a message, and these fields. */
export function expectError(error: unknown, code: string, fields: object = {}): TenureError {
  expect(error, `no ${code}`).toBeInstanceOf(Error);
  expect({ code: (error as TenureError).code, ...pick(error, fields) }).toEqual({
    code,
    ...fields,
  });
  const [type, name] = classOf(code);
  expect(error).toBeInstanceOf(type);
  expect((error as Error).name).toBe(name);
  expect((error as Error).message.length).toBeGreaterThan(0);
  return error as TenureError;
}

function classOf(code: string): [type: unknown, name: string] {
  switch (code) {
    case 'ERR_INVALID_ARG_TYPE':
    case 'ERR_INVALID_ARG_VALUE':
    case 'ERR_INVALID_THIS':
      return [TypeError, 'TypeError'];
    case 'ERR_OUT_OF_RANGE':
      return [RangeError, 'RangeError'];
    case 'ERR_RESULT_REFUSED':
      return [ResultRefused, 'ResultRefused'];
    default:
      return [TenureError, 'TenureError'];
  }
}

const pick = (from: unknown, like: object) =>
  Object.fromEntries(
    Object.keys(like).map((name) => [name, (from as Record<string, unknown>)[name]]),
  );

/** The error that a call throws. */
export function refusal(code: string, call: () => unknown, fields?: object): TenureError {
  let given: unknown;
  try {
    given = call();
  } catch (error) {
    return expectError(error, code, fields);
  }
  return expect.unreachable(`no ${code} but ${JSON.stringify(given)}, of ${String(call)}`);
}

/** The error that a call rejects with; a method that returns a promise never throws. */
export async function rejection(
  code: string,
  call: () => Promise<unknown>,
  fields?: object,
): Promise<TenureError> {
  const promise = call();
  expect(promise).toBeInstanceOf(Promise);
  const ended = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in ended) return expectError(ended.error, code, fields);
  return expect.unreachable(`no ${code} but ${JSON.stringify(ended.value)}, of ${String(call)}`);
}

/** What a call threw, or rejected with, or gave. */
export async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return error;
  }
}

/** A method with arguments of any kind. */
export function ask(handle: object, method: string, ...args: unknown[]): unknown {
  const found = (handle as Record<string, unknown>)[method];
  return Reflect.apply(found as () => unknown, handle, args);
}

/** Numbers in [0, 1), the same for the same seed. */
export function randomOf(seed: number): { next(): number; below(limit: number): number } {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (limit) => Math.floor(next() * limit) };
}
