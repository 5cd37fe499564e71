// A panic inside a call of the durable rooms: an error of that call, and of nothing else.
import { beforeAll, expect, it } from 'vitest';
import { findingsOf } from './fixtures/boundary/child.js';

let members: Record<string, { readonly first: string; readonly next: string }>;
beforeAll(async () => {
  const env = { TENURE_TEST_PANIC: '1', RUST_BACKTRACE: '0' };
  members = await findingsOf('durable-panics', { env });
});

/** What the next call of a member answers, where it is not done: the row waits and is not interrupted. */
const REFUSED: Record<string, string> = {
  'OperationJournal.resolve': 'ERR_OPERATION_TRANSITION',
  'OperationJournal.resolveSync': 'ERR_OPERATION_TRANSITION',
};

it('a panic in any member of a journal or of logs is ERR_INTERNAL of that call', () => {
  const first = Object.fromEntries(Object.entries(members).map(([name, of]) => [name, of.first]));
  expect(Object.keys(first).length).toBeGreaterThan(30);
  expect(first).toEqual(
    Object.fromEntries(Object.keys(members).map((name) => [name, 'ERR_INTERNAL'])),
  );
});

it('the next call of the same handle is done as ever', () => {
  const next = Object.fromEntries(Object.entries(members).map(([name, of]) => [name, of.next]));
  expect(next).toEqual(
    Object.fromEntries(Object.keys(members).map((name) => [name, REFUSED[name] ?? 'done'])),
  );
});
