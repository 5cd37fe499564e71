import { expect, test } from 'vitest';
import {
  gate,
  makeKernel,
  makeLedger,
  rawLedger,
  recordsOf,
  tempFolder,
  TestLedger,
  until,
  Watched,
} from './fixtures/kernel/support.ts';

const S = 'main';

test('a steered text becomes the next steps of the turn, before those that are left', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2\necho last' }));
  await turn.untilOutput('up');
  expect(kernel.steer(S, 'echo one\necho two')).toBe(true);
  expect(kernel.steer(S, 'echo three')).toBe(true);
  await turn.done;
  expect(turn.output).toBe('up\none\ntwo\nthree\nlast\n');
});

test('a text can be steered as soon as the turn is attached, and not without a turn', async () => {
  const kernel = await makeKernel({ shell: { warmUp: () => 'sleep 0.2' } });
  expect(kernel.steer(S, 'echo nobody')).toBe(false);
  expect(kernel.queueMessage(S, 'echo nobody')).toBe(false);
  const turn = new Watched(kernel.startTurn(S, { text: 'echo first' }));
  await until('the turn', () => turn.phases.includes('attached'));
  expect(kernel.steer(S, 'echo early')).toBe(true);
  await turn.done;
  expect(turn.output).toBe('first\nearly\n');
  expect(kernel.steer(S, 'echo late')).toBe(false);
});

test('a steered text is acknowledged only when the ledger has been read back', async () => {
  const folder = await tempFolder();
  const ledger = new TestLedger(folder);
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2' }));
  await turn.untilOutput('up');
  kernel.steer(S, 'echo steered');
  const { opened, open } = gate();
  let appended = false;
  ledger.onAppend = (record) => {
    if (record.type === 'steered') appended = true;
  };
  ledger.onRead = async () => {
    if (appended) await opened;
  };
  await until('the append', () => appended);
  await until('the record', async () => (await rawLedger(folder)).includes('"steered"'));
  expect(turn.all('queue').at(-1)?.steering).toEqual(['echo steered']);
  expect(turn.all('steered')).toEqual([]);
  open();
  await turn.done;
  expect(turn.all('queue').at(-1)?.steering).toEqual([]);
  expect(turn.output).toBe('up\nsteered\n');
});

test('a text whose append failed is queued again, and those after it, in order', async () => {
  const ledger = await makeLedger();
  let failures = 0;
  ledger.onAppend = (record) => {
    if (record.type !== 'steered' || failures > 0) return;
    failures += 1;
    throw new Error('disk full');
  };
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2\necho middle' }));
  await turn.untilOutput('up');
  kernel.steer(S, 'echo one');
  kernel.steer(S, 'echo two');
  await turn.done;
  expect(turn.all('not_steered').map(({ text }) => text)).toEqual(['echo one', 'echo two']);
  expect(turn.output).toBe('up\nmiddle\none\ntwo\n');
  const texts = (await recordsOf(ledger, S)).flatMap((r) => (r.type === 'steered' ? [r.text] : []));
  expect(texts).toEqual(['echo one', 'echo two']);
});

test('the read-back decides: a text whose append failed may be there, and runs once', async () => {
  const ledger = await makeLedger();
  ledger.onAppend = (record) => {
    if (record.type !== 'steered') return;
    return () => {
      throw new Error('fsync failed');
    };
  };
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2\necho last' }));
  await turn.untilOutput('up');
  kernel.steer(S, 'echo once');
  await turn.done;
  expect(turn.all('not_steered')).toEqual([]);
  expect(turn.output).toBe('up\nonce\nlast\n');
});

test('if the ledger cannot be read the turn fails, and its leases open the next turn', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2\necho never' }));
  await turn.untilOutput('up');
  let broken = false;
  ledger.onAppend = (record) => {
    broken ||= record.type === 'steered';
  };
  ledger.onRead = () => {
    if (broken) throw new Error('unreadable');
  };
  kernel.steer(S, 'echo steered');
  kernel.queueMessage(S, 'echo queued');
  await turn.done;
  expect(turn.outcome).toBe('failed');
  expect(turn.output).toBe('up\n');
  expect(kernel.drainFollowup(S)).toBe('echo steered\necho queued');
});

test('a text that the turn could not take opens the next one', async () => {
  const ledger = await makeLedger();
  ledger.onAppend = (record) => {
    if (record.type === 'steered') throw new Error('disk full');
  };
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2' }));
  await turn.untilOutput('up');
  kernel.queueMessage(S, 'echo queued');
  kernel.steer(S, 'echo steered');
  await turn.done;
  expect([turn.outcome, turn.output]).toEqual(['completed', 'up\n']);
  expect(turn.all('queue').at(-1)).toMatchObject({
    steering: [],
    followup: ['echo steered', 'echo queued'],
  });
  expect(kernel.steer(S, 'echo late')).toBe(false);
  expect(kernel.drainFollowup(S)).toBe('echo steered\necho queued');
});

test('queued texts are drained as the prompt of the next turn', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2' }));
  await turn.untilOutput('up');
  kernel.queueMessage(S, 'echo one');
  kernel.queueMessage(S, 'echo two');
  await turn.until('queue', 2);
  expect(turn.all('queue').at(-1)?.followup).toEqual(['echo one', 'echo two']);
  await turn.done;
  expect(turn.output).toBe('up\n');
  const text = kernel.drainFollowup(S) ?? '';
  expect(kernel.drainFollowup(S)).toBeUndefined();
  const next = new Watched(kernel.startTurn(S, { text }));
  await next.done;
  expect(next.output).toBe('one\ntwo\n');
});

test('retract takes back what no turn has taken, steered texts first', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2' }));
  await turn.untilOutput('up');
  kernel.queueMessage(S, 'echo queued');
  kernel.steer(S, 'echo steered');
  expect(kernel.retractQueue(S)).toEqual(['echo steered', 'echo queued']);
  expect(kernel.retractQueue(S)).toEqual([]);
  await turn.done;
  expect(turn.output).toBe('up\n');
  expect(kernel.drainFollowup(S)).toBeUndefined();
});
