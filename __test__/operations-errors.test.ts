// Errors of durable operations: one class, stable codes, fields to act on, and no words of others.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  ApplicationOperationBusyError,
  ResultRefused,
  SubmissionRefused,
  TenureError,
} from '../index.js';
import { DIGEST, inMemory, refusal, rowIn } from './operations-kit.js';

const text = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const codesIn = (source: string) => [...new Set(source.match(/\bERR_[A-Z_]+\b/g))].sort();
const declared = codesIn(/type OperationErrorCode =([^;]*);/.exec(text('index.d.ts'))?.[1] ?? '');

describe('the codes of durable operations', () => {
  it('are those of the contract', () => {
    expect(declared).toEqual(
      [
        ...['AUTHORITY', 'BACKUP_EXISTS', 'CALL_SHAPE', 'CLOSED', 'FENCE_FULL', 'INPUT_REFUSED'],
        ...['JOURNAL_CORRUPT', 'JOURNAL_IO', 'JOURNAL_LOCKED', 'JOURNAL_OPTIONS'],
        ...['JOURNAL_VERSION', 'LOG_IO', 'OPERATION_CONFLICT', 'OPERATION_RETIRED'],
        ...['OPERATION_TERMINAL', 'OPERATION_TRANSITION', 'OPERATION_UNKNOWN', 'PLAN_EXPIRED'],
        ...['PLAN_FAILED', 'PLAN_MISMATCH', 'QUEUE_FULL', 'RESULT_REFUSED', 'SCHEMA_INVALID'],
        ...['SCOPE_OWNED', 'SUBMISSION_REFUSED'],
      ].map((name) => `ERR_${name}`),
    );
  });

  it('are each told of in docs/errors.md, with what to do', () => {
    const rows = codesIn((text('docs/errors.md').match(/^\| *`ERR_.*$/gm) ?? []).join('\n'));
    expect(declared.filter((code) => !rows.includes(code))).toEqual([]);
  });
});

describe('an error', () => {
  it('has the fields that a caller can act on, and no others', () => {
    const journal = inMemory({ maxQueued: 1, inputBytes: 8 });
    journal.reserveSync('a', DIGEST, {}, 's');
    const full = refusal('ERR_QUEUE_FULL', () => journal.reserveSync('b', DIGEST, {}, 's'));
    expect(full.constructor).toBe(TenureError);
    expect({ ...full }).toEqual({
      code: 'ERR_QUEUE_FULL',
      ...{ operationId: 'b', scope: 's', limit: 1, actual: 1 },
    });
    const input = { text: 'long' };
    const large = refusal('ERR_INPUT_REFUSED', () => journal.reserveSync('b', DIGEST, input, 's'));
    expect({ ...large }).toEqual({
      code: 'ERR_INPUT_REFUSED',
      ...{ operationId: 'b', scope: 's', path: '', limit: 8, actual: 15 },
    });
    const conflict = refusal('ERR_OPERATION_CONFLICT', () =>
      journal.reserveSync('a', 'other', {}, 's'),
    );
    expect({ ...conflict }).toEqual({
      code: 'ERR_OPERATION_CONFLICT',
      ...{ operationId: 'a', scope: 's' },
    });
  });

  it('of a value that the journal will not keep is a ResultRefused, which is a TenureError', () => {
    const journal = inMemory();
    rowIn(journal, 'a', 'running/accepted', 's');
    const error = refusal('ERR_RESULT_REFUSED', () =>
      journal.updateSync('a', { stage: 'x'.repeat(65) }, 's'),
    );
    expect(error.constructor).toBe(ResultRefused);
    expect(error).toBeInstanceOf(TenureError);
    expect({ ...error }).toEqual({
      code: 'ERR_RESULT_REFUSED',
      ...{ operationId: 'a', scope: 's', path: '/stage', limit: 64, actual: 65 },
    });
  });

  it('has a stack that begins with what it says and leads to the caller', () => {
    const error = refusal('ERR_OPERATION_UNKNOWN', () => inMemory().updateSync('a', {}));
    expect(error.stack).toMatch(/^(Tenure)?Error: /);
    expect(error.stack).toContain(error.message);
    expect(error.stack).toContain('operations-errors');
  });

  it('does not repeat what it was given, which may be a secret', () => {
    const journal = inMemory({ inputBytes: 40 });
    const secret = 'token-1234567890'.repeat(4);
    rowIn(journal, 'r', 'running/accepted');
    for (const [code, call] of [
      ['ERR_INPUT_REFUSED', () => journal.reserveSync('a', DIGEST, { secret })],
      ['ERR_INPUT_REFUSED', () => journal.reserveSync('a', DIGEST, { x: [secret, NaN] })],
      ['ERR_RESULT_REFUSED', () => journal.updateSync('r', { stage: secret + secret })],
      ['ERR_RESULT_REFUSED', () => journal.updateSync('r', { error: secret.repeat(9) })],
      ['ERR_INVALID_ARG_VALUE', () => journal.updateSync('r', { state: secret as never })],
    ] as const)
      expect(refusal(code, call).message).not.toContain('token');
  });
});

describe('the named errors', () => {
  it('are subclasses of the one', () => {
    for (const type of [SubmissionRefused, ResultRefused, ApplicationOperationBusyError]) {
      expect(Object.getPrototypeOf(type)).toBe(TenureError);
      expect(type.prototype.name).toBe(type.name);
    }
  });

  it('SubmissionRefused is for adapters to make; whether its reason is fit to be shown is judged later', () => {
    const refused = new SubmissionRefused('no such model');
    expect([refused.name, refused.code, refused.message]).toEqual([
      'SubmissionRefused',
      'ERR_SUBMISSION_REFUSED',
      'no such model',
    ]);
    expect(refused).toBeInstanceOf(TenureError);
    expect(refused).not.toBeInstanceOf(ResultRefused);
    for (const reason of ['', '\ud800', 'x'.repeat(10_000)])
      expect(new SubmissionRefused(reason).message).toBe(reason);
  });
});
