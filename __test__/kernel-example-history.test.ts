import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileLedger, type LedgerRecord } from '../examples/kernel/index.mts';
import {
  makeKernel,
  makeLedger,
  recordsOf,
  tempFolder,
  Watched,
} from './fixtures/kernel/support.ts';

const S = 'main';
const note = (id: string): LedgerRecord => ({ type: 'note', id, ts: 1, kind: 'abort', source: id });
const ids = (records: LedgerRecord[]): string[] => records.map(({ id }) => id);

test('ledger: records come back in order, whole, with the session’s name before them', async () => {
  const ledger = await makeLedger();
  for (const id of ['a', 'b\n', '\ud800']) await ledger.append(S, note(id));
  const records = await recordsOf(ledger, S);
  expect(ids(records)).toEqual(['session', 'a', 'b\n', '\ud800']);
  expect(records[0]).toMatchObject({ type: 'session', sessionId: S });
  const [, a] = await ledger.read(S);
  expect(ids((await ledger.read(S, a?.end)).map(({ record }) => record))).toEqual([
    'b\n',
    '\ud800',
  ]);
  expect(await ledger.read('none')).toEqual([]);
});

test('ledger: an append that was cut short costs itself and no other record', async () => {
  const folder = await tempFolder();
  const ledger = new FileLedger(folder);
  await ledger.append(S, note('a'));
  const [name = ''] = await readdir(folder);
  await appendFile(join(folder, name), '{"type":"note","id":"torn","ts":1');
  expect(ids(await recordsOf(ledger, S))).toEqual(['session', 'a']);
  await ledger.append(S, note('b'));
  expect(ids(await recordsOf(ledger, S))).toEqual(['session', 'a', 'b']);
});

test('ledger: a record without its newline is there, and stays there', async () => {
  const folder = await tempFolder();
  const ledger = new FileLedger(folder);
  await ledger.append(S, note('a'));
  const [name = ''] = await readdir(folder);
  await appendFile(join(folder, name), JSON.stringify(note('whole')));
  expect(ids(await recordsOf(ledger, S))).toEqual(['session', 'a', 'whole']);
  await ledger.append(S, note('b'));
  expect(ids(await recordsOf(ledger, S))).toEqual(['session', 'a', 'whole', 'b']);
});

test('ledger: any string names a session, and no two share a file', async () => {
  const ledger = await makeLedger();
  const names = [
    'a',
    'A',
    'a/b',
    'a?b',
    '../a',
    'é',
    'e\u0301',
    '\ud800',
    '\ud801',
    'x'.repeat(400),
    'CON',
  ];
  for (const name of names) await ledger.append(name, note(name));
  for (const name of names) expect(ids(await recordsOf(ledger, name))).toEqual(['session', name]);
  expect((await ledger.sessions()).sort()).toEqual([...names].sort());
});

test('a damaged ledger of one session does not keep another from running', async () => {
  const folder = await tempFolder();
  const ledger = new FileLedger(folder);
  await ledger.append(S, note('a'));
  const [name = ''] = await readdir(folder);
  await appendFile(join(folder, name), 'null\n{"type":1}\n\u0000\u0001\n');
  const kernel = await makeKernel({ ledger });
  for (const id of [S, 'other']) {
    const turn = new Watched(kernel.startTurn(id, { text: 'echo on' }));
    expect(await turn.done).toBeUndefined();
    expect(turn.output).toBe('on\n');
  }
});

test('compaction is refused while a turn runs, before anything is written', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const child = new Watched(kernel.startChildTurn(S, { text: 'echo up; sleep 60' }));
  await child.untilOutput('up');
  expect(await new Watched(kernel.compactSession(S)).done).toMatchObject({
    code: 'ERR_COMPACTION_BUSY',
  });
  await kernel.stopSession(S);
  await child.done;
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  expect(await new Watched(kernel.compactSession(S)).done).toMatchObject({
    code: 'ERR_OPERATION_BUSY',
  });
  expect(
    (await recordsOf(ledger, S)).some((r) => r.type === 'run' && r.kind === 'compaction'),
  ).toBe(false);
  await kernel.stopSession(S);
  await turn.done;
});

test('compaction folds what was into a checkpoint, for this kernel and the next', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  for (const text of ['echo 1\necho 22', 'echo 333']) {
    await new Watched(kernel.startTurn(S, { text })).done;
  }
  const compaction = new Watched(kernel.compactSession(S));
  expect(await compaction.done).toBeUndefined();
  const checkpoint = {
    runs: 2,
    steps: 3,
    bytes: 9,
    lastCommands: ['echo 1', 'echo 22', 'echo 333'],
  };
  expect(compaction.all('compacted')[0]?.checkpoint).toEqual(checkpoint);
  for (const each of [kernel, await makeKernel({ ledger })]) {
    const history = await each.history(S);
    expect(history.checkpoint).toEqual(checkpoint);
    expect(history.records.map(({ type }) => type)).toEqual(['end']);
  }
  await new Watched(kernel.startTurn(S, { text: 'echo 4' })).done;
  const again = new Watched(kernel.compactSession(S));
  await again.done;
  expect(again.all('compacted')[0]?.checkpoint).toMatchObject({ runs: 3, steps: 4, bytes: 11 });
});

test('a stopped turn is continued once, with the steps that were left', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const text = 'echo up\necho wait; sleep 60\necho last';
  const turn = new Watched(kernel.startTurn(S, { text }));
  await turn.untilOutput('wait');
  expect(await kernel.resumable(S)).toBeUndefined();
  await kernel.stopSession(S);
  await turn.done;
  const source = await kernel.resumable(S);
  expect(source?.steps).toEqual(['echo wait; sleep 60', 'echo last']);
  if (!source) return;

  const [one, two] = [source, source].map((each) => new Watched(kernel.resumeContinuation(each)));
  expect(await two?.done).toMatchObject({
    code: 'ERR_OPERATION_BUSY',
    key: expect.stringMatching(/^continuation:/),
  });
  await one?.untilOutput('wait');
  await kernel.stopSession(S);
  await one?.done;
  expect(one?.phases).toEqual(['claimed', 'attached', 'reserved', 'running']);
  expect(await new Watched(kernel.resumeContinuation(source)).done).toMatchObject({
    code: 'ERR_CONTINUATION_TAKEN',
  });
  const starts = (await recordsOf(ledger, S)).filter(
    (r) => r.type === 'run' && r.lineage.continues,
  );
  expect(starts).toHaveLength(1);
  expect((await kernel.resumable(S))?.sourceRunId).not.toBe(source.sourceRunId);
});

test('a continuation finds its source unchanged, or is refused', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  await kernel.stopSession(S);
  await turn.done;
  const source = await kernel.resumable(S);
  if (!source) throw new Error('nothing to continue');
  await ledger.append(S, {
    type: 'steered',
    id: 'late',
    ts: 1,
    runId: source.sourceRunId,
    text: 'x',
  });
  expect(await new Watched(kernel.resumeContinuation(source)).done).toMatchObject({
    code: 'ERR_CONTINUATION_STALE',
  });
  const next = new Watched(kernel.startTurn(S, { text: 'echo free' }));
  expect(await next.done).toBeUndefined();
  expect(await kernel.resumable(S)).toBeUndefined();
});

test('a steered text that no step was taken for is among the steps that are left', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.1\necho last' }));
  await turn.untilOutput('up');
  kernel.steer(S, 'echo in; sleep 60');
  await turn.untilOutput('in');
  await kernel.stopSession(S);
  await turn.done;
  expect((await kernel.resumable(S))?.steps).toEqual(['echo in; sleep 60', 'echo last']);
});

test('a turn that was cut short with its kernel can be continued by the next', async () => {
  const ledger = await makeLedger();
  await ledger.append(S, {
    ...{ type: 'run', id: 'run:r', ts: 1, runId: 'r', turnId: 't', kind: 'turn', lineage: {} },
    steps: ['echo one', 'echo two'],
  });
  await ledger.append(S, {
    ...{ type: 'step', id: 's', ts: 2, runId: 'r', command: 'echo one', ended: 'exited' },
    ...{ code: 0, signal: null, bytes: 4, tail: 'one\n' },
  });
  const kernel = await makeKernel({ ledger });
  const source = await kernel.resumable(S);
  if (!source) throw new Error('nothing to continue');
  const turn = new Watched(kernel.resumeContinuation(source));
  expect(await turn.done).toBeUndefined();
  expect(turn.output).toBe('two\n');
  expect(await kernel.resumable(S)).toBeUndefined();
});

test('a turn whose beginning the ledger does not take does not run', async () => {
  const ledger = await makeLedger();
  let broken = true;
  ledger.onAppend = () => {
    if (broken) throw new Error('disk full');
  };
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo never' }));
  expect(await turn.done).toMatchObject({ message: 'disk full' });
  expect(turn.hasRun('echo never')).toBe(false);
  broken = false;
  const next = new Watched(kernel.startTurn(S, { text: 'echo free' }));
  expect(await next.done).toBeUndefined();
});

test('a turn whose end the ledger does not take says so, and leaves its session free', async () => {
  const ledger = await makeLedger();
  ledger.onAppend = (record) => {
    if (record.type === 'end') throw new Error('disk full');
  };
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up' }));
  await turn.done;
  expect(turn.all('end')[0]).toMatchObject({ outcome: 'failed', error: { message: 'disk full' } });
  ledger.onAppend = () => {};
  const next = new Watched(kernel.startTurn(S, { text: 'echo free' }));
  expect(await next.done).toBeUndefined();
});
