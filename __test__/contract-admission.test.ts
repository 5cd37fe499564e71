// Active application operations: to exist is to be active, and nothing else is stored.
import { describe, expect, test } from 'vitest';
import {
  ApplicationOperationBusyError,
  ApplicationOperationService,
  sessionOperationExclusivityKey,
} from '../index.js';
import type { ApplicationOperationRequest, OperationLease } from '../index.js';
import { DISPOSE, NOTHING, newCore, refusal } from './contract-kit.ts';

function registry(): {
  operations: ApplicationOperationService;
  reserve: (id: string, more?: Partial<ApplicationOperationRequest>) => OperationLease;
} {
  const operations = new ApplicationOperationService();
  const reserve = (id: string, more = {}): OperationLease =>
    operations.reserve({ operationId: id, ownerId: 'owner', exclusivityKeys: [], ...more });
  return { operations, reserve };
}

describe('a reservation', () => {
  test('takes all its keys or none, and names whoever holds the first that is held', () => {
    const { operations, reserve } = registry();
    reserve('request', { sessionId: 'chat', exclusivityKeys: ['k1', 'k2'] });
    const compaction = { ownerId: 'compactor', exclusivityKeys: ['free', 'k2', 'k1'] };
    const error = refusal('ERR_OPERATION_BUSY', () => reserve('compaction', compaction));
    expect(error).toBeInstanceOf(ApplicationOperationBusyError);
    const busy = error as ApplicationOperationBusyError;
    expect(busy.key).toBe('k2');
    expect(busy.message).toBe('Operation request is active');
    expect(busy.registration).toEqual({
      operationId: 'request',
      ownerId: 'owner',
      sessionId: 'chat',
    });
    expect(operations.get('compaction')).toBeNull();
    reserve('another', { exclusivityKeys: ['free'] });
  });

  test('is judged by its keys before its id', () => {
    const { reserve } = registry();
    reserve('same', { exclusivityKeys: ['k'] });
    refusal('ERR_OPERATION_BUSY', () => reserve('same', { exclusivityKeys: ['k'] }));
    const error = refusal('ERR_OPERATION_DUPLICATE', () => reserve('same'));
    expect(error.message).toBe('Operation same is already active');
  });

  test('may name a key twice, and may have none', () => {
    const { operations, reserve } = registry();
    const lease = reserve('twice', { exclusivityKeys: ['k', 'k'] });
    reserve('none');
    reserve('none either');
    lease.release();
    reserve('again', { exclusivityKeys: ['k'] });
    expect(operations.listActive().length).toBe(3);
  });

  test('compares keys exactly', () => {
    const { reserve } = registry();
    for (const [at, key] of ['k', 'K', 'k ', '\u00e9', 'e\u0301', '\ud800'].entries()) {
      reserve(`o${at}`, { exclusivityKeys: [key] });
    }
    refusal('ERR_OPERATION_BUSY', () => reserve('last', { exclusivityKeys: ['\ud800'] }));
  });

  test('with a wrong argument is a TypeError that names it and changes nothing', () => {
    const { operations, reserve } = registry();
    const wrong: [string, object][] = [
      ['operationId', { operationId: '' }],
      ['operationId', { operationId: 1 }],
      ['ownerId', { ownerId: null }],
      ['sessionId', { sessionId: '' }],
      ['sessionId', { sessionId: 5 }],
      ['exclusivityKeys', { exclusivityKeys: undefined }],
      ['exclusivityKeys', { exclusivityKeys: 'k' }],
      ['exclusivityKeys', { exclusivityKeys: ['k', ''] }],
      ['exclusivityKeys', { exclusivityKeys: ['k', 3] }],
    ];
    for (const [name, more] of wrong) {
      const error = refusal('ERR_INVALID_ARG_TYPE', () => reserve('o', more));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(name);
    }
    refusal('ERR_INVALID_ARG_TYPE', () => operations.reserve(undefined as never));
    expect(operations.listActive()).toEqual([]);
    reserve('o', { exclusivityKeys: ['k'] });
  });
});

describe('a registration', () => {
  test('is frozen, and is three names only', () => {
    const { operations, reserve } = registry();
    const lease = reserve('o', { exclusivityKeys: ['k'] });
    const found = operations.get('o');
    expect(found).toEqual({ operationId: 'o', ownerId: 'owner', sessionId: null });
    expect(found).toEqual(lease.registration);
    expect(Object.isFrozen(found)).toBe(true);
    expect(operations.get('p')).toBeNull();
  });

  test('is listed in the order of admission, by session and by owner', () => {
    const { operations, reserve } = registry();
    reserve('z', { sessionId: 'chat' });
    const gone = reserve('y', { ownerId: 'b' });
    reserve('x', { sessionId: null });
    reserve('w', { sessionId: 'chat', ownerId: 'b' });
    const ids = (filter?: Parameters<typeof operations.listActive>[0]): string[] =>
      operations.listActive(filter).map((each) => each.operationId);
    expect(ids()).toEqual(['z', 'y', 'x', 'w']);
    expect(ids({ sessionId: 'chat' })).toEqual(['z', 'w']);
    expect(ids({ sessionId: null })).toEqual(['y', 'x']);
    expect(ids({ ownerId: 'b' })).toEqual(['y', 'w']);
    expect(ids({ ownerId: 'b', sessionId: 'chat' })).toEqual(['w']);
    expect(ids({ ownerId: 'nobody' })).toEqual([]);
    gone.release();
    expect(ids()).toEqual(['z', 'x', 'w']);
  });
});

describe('a lease', () => {
  test('removes the registration that it made, and never a later one of the same id', () => {
    const { operations, reserve } = registry();
    const first = reserve('o', { exclusivityKeys: ['k'] });
    first.release();
    const second = reserve('o', { exclusivityKeys: ['k'] });
    first.release();
    first[DISPOSE]();
    expect(operations.get('o')).toEqual(second.registration);
    refusal('ERR_OPERATION_BUSY', () => reserve('p', { exclusivityKeys: ['k'] }));
    second[DISPOSE]();
    expect(operations.get('o')).toBeNull();
  });
});

describe('a closed service', () => {
  test('has no registration, admits none, and leaves leases harmless', () => {
    const { operations, reserve } = registry();
    const lease = reserve('o', { exclusivityKeys: ['k'] });
    operations.close();
    operations.close();
    expect(operations.get('o')).toBeNull();
    expect(operations.listActive()).toEqual([]);
    lease.release();
    refusal('ERR_ADMISSION_CLOSED', () => reserve('p'));
  });
});

test('the operations of a core are its own, and are counted', () => {
  const core = newCore();
  const { operations } = core;
  expect(core.operations).toBe(operations);
  const request = { operationId: 'o', ownerId: 'w', exclusivityKeys: ['k'] };
  const lease = operations.reserve(request);
  newCore().operations.reserve(request);
  registry().reserve('o', { exclusivityKeys: ['k'] });
  expect(core.stats()).toEqual({ sessions: 0, admissions: 1 });
  lease.release();
  expect(core.stats()).toEqual(NOTHING);
});

test('a session has one key for its operations', () => {
  expect(sessionOperationExclusivityKey('chat')).toBe('session:chat');
  expect(sessionOperationExclusivityKey('\ud800')).toBe('session:\ud800');
});
