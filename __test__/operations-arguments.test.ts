// Wrong arguments: what each is refused with, and that nothing is done.
import { describe, expect, it } from 'vitest';
import {
  OperationJournal,
  OperationLogs,
  OperationRunner,
  OperationService,
  SubmissionRefused,
  inputDigest,
  journalKey,
  operationDescriptor,
} from '../index.js';
import {
  DIGEST,
  ask,
  expectError,
  inMemory,
  newPath,
  openLogs,
  outcomeOf,
  refusal,
  rejection,
  temporary,
} from './operations-kit.js';

const TYPE = 'ERR_INVALID_ARG_TYPE';
const VALUE = 'ERR_INVALID_ARG_VALUE';
const RANGE = 'ERR_OUT_OF_RANGE';

const NO_STRINGS = [undefined, null, 5, {}, [], true, Symbol('s'), () => {}, Object('x')];
const NO_OBJECTS = [undefined, null, 5, 'text', true, 5n, Symbol('s')];
const NO_NUMBERS = [null, '1', {}, true, 5n, Symbol('s')];
const NO_FUNCTIONS = [null, 5, 'text', {}];
const NO_SIGNALS = [null, 5, 'text', {}, new EventTarget(), { aborted: false }];
const GOOD_SCHEMA = { resultSchema: true } as const;

type Row = [
  code: string,
  method: string,
  values: readonly unknown[],
  at: (value: unknown) => unknown[],
];

/** Each method with one wrong argument, of each kind of wrong value. */
const JOURNAL: Row[] = [
  ...['reserve', 'update', 'requestCancel', 'resolve'].map((method): Row => [
    TYPE,
    method,
    NO_STRINGS,
    (id) => [id, ...restOf(method)],
  ]),
  ...['status', 'startedAt', 'payload', 'cancelRequested'].map((method): Row => [
    TYPE,
    method,
    NO_STRINGS,
    (id) => [id],
  ]),
  [TYPE, 'reserve', NO_STRINGS, (digest) => ['b', digest, {}]],
  [TYPE, 'reserve', NO_OBJECTS, (payload) => ['b', DIGEST, payload]],
  [TYPE, 'reserve', NO_STRINGS.slice(1), (scope) => ['b', DIGEST, {}, scope]],
  [TYPE, 'update', NO_OBJECTS, (patch) => ['a', patch]],
  [TYPE, 'update', NO_STRINGS.slice(1), (state) => ['a', { state }]],
  [VALUE, 'update', ['', 'done', 'Running', '__proto__'], (state) => ['a', { state }]],
  [TYPE, 'update', NO_STRINGS.slice(1), (submission) => ['a', { submission }]],
  [VALUE, 'update', ['sent', 'queued', 'toString'], (submission) => ['a', { submission }]],
  [TYPE, 'update', NO_NUMBERS.slice(1), (progress) => ['a', { progress }]],
  [TYPE, 'update', NO_STRINGS.slice(2), (stage) => ['a', { stage }]],
  [TYPE, 'update', NO_STRINGS.slice(2), (error) => ['a', { error }]],
  [TYPE, 'update', NO_STRINGS.slice(1), (backendReference) => ['a', { backendReference }]],
  [TYPE, 'update', NO_OBJECTS.slice(2), (result) => ['a', { result }]],
  [TYPE, 'resolve', NO_OBJECTS, (outcome) => ['a', outcome]],
  [TYPE, 'resolve', NO_STRINGS, (state) => ['a', { state }]],
  [VALUE, 'resolve', ['running', 'queued', 'interrupted'], (state) => ['a', { state }]],
  [TYPE, 'resolve', NO_STRINGS.slice(1), (note) => ['a', { state: 'failed', note }]],
  [TYPE, 'resolve', NO_OBJECTS.slice(1), (result) => ['a', { state: 'succeeded', result }]],
  [VALUE, 'resolve', [{}], (result) => ['a', { state: 'cancelled', result }]],
  [TYPE, 'forget', NO_OBJECTS, (options) => [options]],
  [TYPE, 'forget', [undefined, ...NO_NUMBERS], (finishedBefore) => [{ finishedBefore }]],
  [RANGE, 'forget', [NaN, -1, 0.5, 2 ** 53], (finishedBefore) => [{ finishedBefore }]],
  [TYPE, 'page', NO_STRINGS.slice(1), (scope) => [scope]],
  [TYPE, 'page', NO_OBJECTS.slice(1), (options) => ['', options]],
  [TYPE, 'page', NO_NUMBERS, (offset) => ['', { offset }]],
  [RANGE, 'page', [-1, 0.5, NaN, Infinity, 2 ** 53], (offset) => ['', { offset }]],
  [TYPE, 'page', NO_STRINGS.slice(1), (state) => ['', { state }]],
  [VALUE, 'page', ['open', '', 'Queued'], (state) => ['', { state }]],
  [TYPE, 'watch', NO_OBJECTS.slice(1), (options) => [options]],
  [TYPE, 'watch', NO_STRINGS.slice(1), (id) => [{ id }]],
  [TYPE, 'watch', NO_SIGNALS, (signal) => [{ signal }]],
  [TYPE, 'backup', [...NO_STRINGS, ''], (path) => [path]],
  [VALUE, 'backup', ['a\0b', 'a\ud800'], (path) => [path]],
];

const LOGS: Row[] = [
  [TYPE, 'append', NO_STRINGS, (id) => [id, 'line']],
  [TYPE, 'append', NO_STRINGS, (line) => ['a', line]],
  [TYPE, 'append', NO_STRINGS.slice(1), (scope) => ['a', 'line', scope]],
  [TYPE, 'retire', NO_STRINGS, (id) => [id]],
  [TYPE, 'read', NO_STRINGS, (id) => [id, 0]],
  [TYPE, 'read', [undefined, ...NO_NUMBERS], (offset) => ['a', offset]],
  [RANGE, 'read', [-1, 0.5, NaN, 2 ** 53], (offset) => ['a', offset]],
  [TYPE, 'follow', NO_STRINGS, (id) => [id]],
  [TYPE, 'follow', NO_OBJECTS.slice(1), (options) => ['a', options]],
  [TYPE, 'follow', NO_NUMBERS, (offset) => ['a', { offset }]],
  [RANGE, 'follow', [-1, 0.5, Infinity], (offset) => ['a', { offset }]],
  [TYPE, 'follow', NO_SIGNALS, (signal) => ['a', { signal }]],
];

function restOf(method: string): unknown[] {
  if (method === 'reserve') return [DIGEST, {}];
  if (method === 'update') return [{}];
  return method === 'resolve' ? [{ state: 'failed' }] : [];
}

async function strays(handle: object, rows: readonly Row[]): Promise<string[]> {
  const found: string[] = [];
  for (const [code, method, values, at] of rows)
    for (const value of values)
      for (const name of [method, `${method}Sync`].filter((each) => each in handle)) {
        const error = (await outcomeOf(() => ask(handle, name, ...at(value)))) as { code?: string };
        if (error?.code === code) expectError(error, code);
        else found.push(`${name} given ${String(value)}: ${error?.code ?? error}`);
      }
  return found;
}

describe('a wrong argument', () => {
  it('of a journal is refused by its type, its value or its range, and nothing is done', async () => {
    const journal = inMemory();
    const { status } = journal.reserveSync('a', DIGEST, {});
    const before = journal.stats();
    expect(await strays(journal, JOURNAL)).toEqual([]);
    expect(journal.status('a')).toEqual(status);
    expect(journal.stats()).toEqual(before);
  });

  it('of logs is refused likewise', async () => {
    const logs = await openLogs();
    logs.appendSync('a', 'line');
    expect(await strays(logs, LOGS)).toEqual([]);
    expect(logs.read('a', 0).text).toBe('line\n');
  });

  it('of a function is refused likewise', () => {
    for (const value of NO_STRINGS) {
      refusal(TYPE, () => journalKey(value as never, 'a'));
      refusal(TYPE, () => journalKey('', value as never));
      refusal(TYPE, () => inputDigest(value as never, {}));
      refusal(TYPE, () => new SubmissionRefused(value as never));
    }
    for (const value of NO_OBJECTS) {
      refusal(TYPE, () => inputDigest('', value as never));
      refusal(TYPE, () => operationDescriptor(value as never));
    }
  });

  it('of an opening is refused likewise, and makes no file', async () => {
    const at = newPath();
    for (const value of [...NO_STRINGS, ''])
      await rejection(TYPE, () => OperationJournal.open(value as never));
    for (const value of ['a\0b', 'a\ud800'])
      await rejection(VALUE, () => OperationJournal.open(value));
    for (const value of [...NO_STRINGS, ''])
      await rejection(TYPE, () => OperationLogs.open(value as never));
    for (const value of NO_OBJECTS.slice(1)) {
      await rejection(TYPE, () => OperationJournal.open(at, value as never));
      await rejection(TYPE, () => OperationJournal.open(at, { bounds: value as never }));
      await rejection(TYPE, () => OperationLogs.open(temporary(), value as never));
      refusal(TYPE, () => OperationJournal.inMemory(value as never));
    }
    for (const clock of NO_FUNCTIONS) {
      await rejection(TYPE, () => OperationJournal.open(at, { clock: clock as never }));
      refusal(TYPE, () => OperationJournal.inMemory({ clock: clock as never }));
    }
    for (const durability of NO_STRINGS.slice(1))
      await rejection(TYPE, () => OperationJournal.open(at, { durability: durability as never }));
    await rejection(VALUE, () => OperationJournal.open(at, { durability: 'sometimes' as never }));
    const journal = await OperationJournal.open(at);
    expect(journal.stats().fence.used).toBe(0);
    await journal.close();
  });

  it('of a runner is refused when it is made', async () => {
    const [journal, logs] = [inMemory(), await openLogs()];
    const adapter = { submit: async () => 'r', observe: async () => ({}), cancel: async () => {} };
    const make = (...args: unknown[]) => Reflect.construct(OperationRunner, args) as object;
    for (const wrong of [undefined, null, {}, logs])
      refusal(TYPE, () => make(wrong, logs, adapter, GOOD_SCHEMA));
    for (const wrong of [undefined, null, {}, journal])
      refusal(TYPE, () => make(journal, wrong, adapter, GOOD_SCHEMA));
    for (const wrong of [
      ...NO_OBJECTS,
      {},
      { ...adapter, cancel: 5 },
      { ...adapter, submit: null },
    ])
      refusal(TYPE, () => make(journal, logs, wrong, GOOD_SCHEMA));
    for (const wrong of [...NO_OBJECTS, {}, { resultSchema: 'object' }])
      refusal(TYPE, () => make(journal, logs, adapter, wrong));
    const options = (more: object) => make(journal, logs, adapter, { ...GOOD_SCHEMA, ...more });
    for (const wrong of NO_NUMBERS)
      for (const name of ['pollSeconds', 'adapterSeconds', 'concurrency'])
        refusal(TYPE, () => options({ [name]: wrong }));
    for (const wrong of [0, 0.0009, 3_600.1, NaN, Infinity, -1])
      refusal(RANGE, () => options({ pollSeconds: wrong }));
    for (const wrong of [0, 0.0009, 86_401, NaN, Infinity])
      refusal(RANGE, () => options({ adapterSeconds: wrong }));
    for (const wrong of [0, 1_025, 1.5, NaN]) refusal(RANGE, () => options({ concurrency: wrong }));
    for (const wrong of NO_FUNCTIONS) refusal(TYPE, () => options({ clock: wrong }));
    for (const wrong of NO_STRINGS.slice(1)) refusal(TYPE, () => options({ scope: wrong }));
    refusal(VALUE, () => options({ scope: 'a\n' }));
    refusal('ERR_SCHEMA_INVALID', () => options({ resultSchema: { type: 'objekt' } }));
    for (const good of [
      { pollSeconds: 0.001, adapterSeconds: 0.001, concurrency: 1 },
      { pollSeconds: 3_600, adapterSeconds: 86_400, concurrency: 1_024 },
    ])
      expect(options(good)).toBeInstanceOf(OperationRunner);
  });

  it('of a service is refused when it is made', async () => {
    const [journal, logs] = [inMemory(), await openLogs()];
    const adapter = { submit: async () => 'r', observe: async () => ({}), cancel: async () => {} };
    const runner = new OperationRunner(journal, logs, adapter as never, {
      scope: 's',
      resultSchema: true,
    });
    const good = { scope: 's', journal, logs, runner, plan: async () => ({}) };
    const make = (options: unknown) => Reflect.construct(OperationService, [options]) as object;
    for (const wrong of NO_OBJECTS) refusal(TYPE, () => make(wrong));
    for (const name of ['scope', 'journal', 'logs', 'runner', 'plan'])
      for (const wrong of [undefined, null, 5, {}])
        refusal(TYPE, () => make({ ...good, [name]: wrong }));
    refusal(VALUE, () => make({ ...good, scope: 'a\u0000' }));
    refusal(VALUE, () => make({ ...good, scope: 'another' }));
    for (const inputSchema of [null, 5, 'x']) refusal(TYPE, () => make({ ...good, inputSchema }));
    for (const inputSchema of [{ type: 5 }, { $schema: 'http://json-schema.org/draft-07/schema#' }])
      refusal('ERR_SCHEMA_INVALID', () => make({ ...good, inputSchema }));
    expect(make({ ...good, inputSchema: undefined })).toBeInstanceOf(OperationService);
  });
});

describe('a method', () => {
  it('that writes has a twin that blocks, and no other has', async () => {
    const twins = (handle: object) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(handle)).filter((name) =>
        name.endsWith('Sync'),
      );
    const writing = ['reserve', 'update', 'requestCancel', 'resolve', 'forget', 'drainRetired'];
    expect(twins(inMemory()).sort()).toEqual(writing.map((name) => `${name}Sync`).sort());
    expect(twins(await openLogs()).sort()).toEqual(['appendSync', 'retireSync']);
  });

  it('that gives a promise never throws, not even without any argument', async () => {
    const [journal, logs] = [inMemory(), await openLogs()];
    for (const [handle, methods] of [
      [journal, ['reserve', 'update', 'requestCancel', 'resolve', 'forget', 'backup']],
      [logs, ['append', 'retire']],
      [OperationJournal, ['open']],
      [OperationLogs, ['open']],
    ] as const)
      for (const method of methods)
        await rejection(TYPE, () => ask(handle, method) as Promise<unknown>);
  });

  it('ignores what it does not know, and takes undefined for left out', () => {
    const journal = inMemory({ unknown: 5, retain: undefined } as never);
    ask(journal, 'reserveSync', 'a', DIGEST, {}, undefined, 'more');
    const patch = { state: 'running', unknown: Symbol('s'), progress: undefined };
    expect(journal.updateSync('a', patch as never)).toMatchObject({ state: 'running' });
    const options = { offset: undefined, state: undefined, unknown: 1 };
    expect(ask(journal, 'page', undefined, options)).toMatchObject({ active: 1 });
    void journal.watch({ id: undefined, scope: undefined, signal: undefined } as never).return?.();
  });
});
