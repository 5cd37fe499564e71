import { expect, test } from 'vitest';
import {
  isAlive,
  makeKernel,
  makeLedger,
  recordsOf,
  until,
  Watched,
} from './fixtures/kernel/support.ts';

const S = 'main';

test('an immediate stop kills the process tree of the step and takes no further step', async () => {
  const kernel = await makeKernel();
  const text = 'sh -c "echo \\$\\$; sleep 61" & sleep 62 & echo $$ $!; wait\necho never';
  const turn = new Watched(kernel.startTurn(S, { text }));
  const pids = await until('three processes', () => {
    const found = turn.output.match(/\d+/g)?.map(Number) ?? [];
    return found.length === 3 ? found : undefined;
  });
  expect(pids.every(isAlive)).toBe(true);
  await kernel.stopSession(S);
  await turn.done;
  await until('the end of the tree', () => !pids.some(isAlive));
  expect(turn.outcome).toBe('stopped');
  expect(turn.all('step_end')[0]?.result).toMatchObject({ ended: 'killed', signal: 'SIGTERM' });
  expect(turn.hasRun('echo never')).toBe(false);
});

test('a process that ignores the polite request is killed after the grace', async () => {
  const kernel = await makeKernel({ shell: { graceMs: 100 } });
  const text = 'trap "" TERM; echo $$; while :; do sleep 0.05; done';
  const turn = new Watched(kernel.startTurn(S, { text }));
  await turn.until('output');
  await kernel.stopSession(S);
  await turn.done;
  expect(turn.all('step_end')[0]?.result).toMatchObject({ ended: 'killed', signal: 'SIGKILL' });
  await until('its end', () => !isAlive(Number(turn.output)));
});

test('a process may use the grace to put its things in order', async () => {
  const kernel = await makeKernel();
  const text = 'trap "echo tidied; exit 0" TERM; echo up; while :; do sleep 0.05; done';
  const turn = new Watched(kernel.startTurn(S, { text }));
  await turn.untilOutput('up');
  await kernel.stopSession(S);
  await turn.done;
  expect(turn.output).toContain('tidied');
  expect(turn.all('step_end')[0]?.result).toMatchObject({ ended: 'killed', code: 0 });
});

test('a stop after the step lets the step end, and takes no further one', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(
    kernel.startTurn(S, { text: 'echo up; sleep 0.3; echo end\necho never' }),
  );
  await turn.untilOutput('up');
  await kernel.stopSession(S, { mode: 'after_step' });
  await turn.done;
  expect(turn.output).toBe('up\nend\n');
  expect(turn.all('step_end')[0]?.result).toMatchObject({ ended: 'exited', code: 0 });
  expect(turn.outcome).toBe('stopped');
});

test('a stop that waits for a step is hastened by an immediate one, which joins it', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  const first = kernel.stopSession(S, { mode: 'after_step' });
  const second = kernel.stopSession(S);
  expect(second).toBe(first);
  await second;
  await turn.done;
  expect(turn.all('step_end')[0]?.result.ended).toBe('killed');
});

test('what is queued when a stop comes is returned by an event and does not run', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  kernel.queueMessage(S, 'echo queued');
  kernel.steer(S, 'echo steered');
  await kernel.stopSession(S);
  await turn.done;
  expect(turn.all('returned').map(({ texts }) => texts)).toEqual([['echo steered', 'echo queued']]);
  expect(kernel.drainFollowup(S)).toBeUndefined();
  expect(turn.output).toBe('up\n');
});

test('what is queued while no turn runs is returned to the listener of the kernel', async () => {
  const heard: unknown[] = [];
  const kernel = await makeKernel({ onEvent: (event) => heard.push(event) });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.1' }));
  await turn.untilOutput('up');
  kernel.queueMessage(S, 'echo queued');
  await turn.done;
  await kernel.disposeBackend(S);
  expect(heard).toEqual([{ type: 'returned', sessionId: S, texts: ['echo queued'] }]);
});

test('a reader may wait for the stop of the very turn that it reads', async () => {
  const kernel = await makeKernel({ shell: { graceMs: 5000 } });
  let outcome: string | undefined;
  let stopped: Promise<void> | undefined;
  for await (const event of kernel.startTurn(S, { text: 'yes' })) {
    if (event.type === 'output') await (stopped ??= kernel.stopSession(S));
    if (event.type === 'end') outcome = event.outcome;
  }
  expect(outcome).toBe('stopped');
});

test('a reader may wait for the end of a step that has more to say than it has read', async () => {
  const kernel = await makeKernel();
  let outcome: string | undefined;
  let stopped: Promise<void> | undefined;
  for await (const event of kernel.startTurn(S, { text: 'yes | head -c 8000000\necho never' })) {
    if (event.type === 'output') await (stopped ??= kernel.stopSession(S, { mode: 'after_step' }));
    if (event.type === 'end') outcome = event.outcome;
  }
  expect(outcome).toBe('stopped');
});

test('a session that is stopping refuses the next turn', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.3' }));
  await turn.untilOutput('up');
  const stopped = kernel.stopSession(S, { mode: 'after_step' });
  const next = new Watched(kernel.startTurn(S, { text: 'echo no' }));
  expect(await next.done).toMatchObject({ code: 'ERR_SESSION_STOPPING' });
  await Promise.all([stopped, turn.done]);
});

test('a failed stop quarantines its session until it is stopped again, and no other', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo $$; sleep 60' }));
  await turn.until('output');
  const pid = Number(turn.output);
  expect(kernel.failNext('nobody', 'stop')).toBe(false);
  expect(kernel.failNext(S, 'stop')).toBe(true);
  await expect(kernel.stopSession(S)).rejects.toMatchObject({
    code: 'ERR_STOP_FAILED',
    cause: { message: 'The backend was told to fail its stop' },
  });
  await turn.until('stop_failed');
  expect(isAlive(pid)).toBe(true);
  const refused = new Watched(kernel.startTurn(S, { text: 'echo no' }));
  expect(await refused.done).toMatchObject({ code: 'ERR_SESSION_QUARANTINED' });
  expect(kernel.state(S).refusal).toMatchObject({ code: 'ERR_SESSION_QUARANTINED' });
  const other = new Watched(kernel.startTurn('other', { text: 'echo other' }));
  expect(await other.done).toBeUndefined();
  expect(other.output).toBe('other\n');

  await kernel.stopSession(S);
  await turn.done;
  expect(turn.outcome).toBe('stopped');
  await until('its end', () => !isAlive(pid));
  const next = new Watched(kernel.startTurn(S, { text: 'echo free' }));
  expect(await next.done).toBeUndefined();
  expect(next.output).toBe('free\n');
});

test('a run that could not be stopped has no end in the ledger before it ends', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  const child = new Watched(kernel.startChildTurn(S, { text: 'echo up; sleep 60' }));
  await child.untilOutput('up');
  kernel.failNext(S, 'stop');
  await expect(kernel.stopSession(S)).rejects.toMatchObject({ code: 'ERR_STOP_FAILED' });
  await child.done;
  expect(child.outcome).toBe('stopped');
  const ends = async (): Promise<number> =>
    (await recordsOf(ledger, S)).filter(({ type }) => type === 'end').length;
  expect(await ends()).toBe(1);
  expect(kernel.state(S).refusal).toMatchObject({ code: 'ERR_SESSION_QUARANTINED' });
  await kernel.stopSession(S);
  await turn.done;
  expect(await ends()).toBe(2);
});

test('a run whose stop failed takes no further step; its end lifts the quarantine', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.3\necho never' }));
  await turn.untilOutput('up');
  kernel.failNext(S, 'stop');
  await expect(kernel.stopSession(S)).rejects.toMatchObject({ code: 'ERR_STOP_FAILED' });
  await turn.done;
  expect([turn.outcome, turn.output]).toEqual(['stopped', 'up\n']);
  const next = new Watched(kernel.startTurn(S, { text: 'echo free' }));
  expect(await next.done).toBeUndefined();
  expect(next.all('phase').find(({ phase }) => phase === 'reserved')?.generation).toBe(2);
  const types = (await recordsOf(ledger, S)).map(({ type }) => type);
  expect(types.filter((type) => type === 'note')).toHaveLength(1);
});

test('a disposal that fails quarantines its session for good, and no other', async () => {
  const kernel = await makeKernel();
  for (const id of [S, 'other']) await new Watched(kernel.startTurn(id, { text: 'echo up' })).done;
  kernel.failNext(S, 'dispose');
  await expect(kernel.invalidateBackend(S)).rejects.toMatchObject({
    code: 'ERR_INVALIDATION_FAILED',
  });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refused = new Watched(kernel.startTurn(S, { text: 'echo no' }));
    expect(await refused.done).toMatchObject({ code: 'ERR_GENERATION_FAILED' });
    await expect(kernel.disposeBackend(S)).rejects.toMatchObject({
      code: 'ERR_INVALIDATION_FAILED',
    });
    await kernel.stopSession(S);
  }
  const other = new Watched(kernel.startTurn('other', { text: 'echo other' }));
  expect(await other.done).toBeUndefined();
});

test('a failed stop and a failed disposal are both reported, and no process is left', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo $$; sleep 60' }));
  await turn.until('output');
  kernel.failNext(S, 'stop');
  kernel.failNext(S, 'dispose');
  await expect(kernel.stopSession(S)).rejects.toMatchObject({ code: 'ERR_STOP_FAILED' });
  await expect(kernel.stopSession(S)).rejects.toThrow(/for good/);
  await turn.done;
  await until('its end', () => !isAlive(Number(turn.output)));
  expect(turn.all('dispose_failed')).not.toEqual([]);
  const refused = new Watched(kernel.startTurn(S, { text: 'echo no' }));
  expect(await refused.done).toMatchObject({ code: 'ERR_GENERATION_FAILED' });
});

test('an invalidated backend serves its turn to the end; what is queued comes back', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 0.2\necho end' }));
  await turn.untilOutput('up');
  await kernel.invalidateBackend(S);
  kernel.queueMessage(S, 'echo queued');
  await turn.done;
  expect(turn.output).toBe('up\nend\n');
  expect(turn.all('returned').map(({ texts }) => texts)).toEqual([['echo queued']]);
  expect(kernel.stats().sessions).toBe(0);
});

test('a disposed backend ends what runs on it', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  await kernel.disposeBackend(S);
  await turn.done;
  expect(turn.outcome).toBe('stopped');
  expect(kernel.stats().sessions).toBe(0);
});

test('a stop is in the ledger once: status, turn, note, and one end of the run', async () => {
  const ledger = await makeLedger();
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  const stops = [
    kernel.stopSession(S, { source: 'first' }),
    kernel.stopSession(S, { source: 'second' }),
  ];
  await Promise.all([...stops, turn.done]);
  await kernel.stopSession(S);
  const records = await recordsOf(ledger, S);
  const stopped = records.filter(({ type }) => ['status', 'turn', 'note', 'end'].includes(type));
  expect(stopped.map(({ type }) => type).sort()).toEqual(['end', 'note', 'status', 'turn']);
  expect(stopped.find(({ type }) => type === 'note')).toMatchObject({ source: 'first' });
  expect(stopped.find(({ type }) => type === 'end')).toMatchObject({ outcome: turn.outcome });
});

test('a stop that the ledger does not take stays owed; the next one pays the rest', async () => {
  const ledger = await makeLedger();
  let broken = true;
  ledger.onAppend = (record) => {
    if (broken && record.type === 'note') throw new Error('disk full');
  };
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  await expect(kernel.stopSession(S)).rejects.toThrow('disk full');
  await turn.done;
  const refused = new Watched(kernel.startTurn(S, { text: 'echo no' }));
  expect(await refused.done).toMatchObject({ code: 'ERR_SESSION_QUARANTINED' });
  broken = false;
  await kernel.stopSession(S);
  const types = (await recordsOf(ledger, S)).map(({ type }) => type);
  for (const type of ['status', 'turn', 'note', 'end']) {
    expect(
      types.filter((each) => each === type),
      type,
    ).toHaveLength(1);
  }
  const next = new Watched(kernel.startTurn(S, { text: 'echo free' }));
  expect(await next.done).toBeUndefined();
});

test('closing the kernel ends every session, what is being built included', async () => {
  let warmUp = 'exit 0';
  const kernel = await makeKernel({ shell: { warmUp: () => warmUp } });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo $$; sleep 60' }));
  await turn.until('output');
  warmUp = 'sleep 60';
  const building = new Watched(kernel.startTurn('other', { text: 'echo never' }));
  await until('the build', () => building.phases.includes('attached'));
  await kernel.close();
  await Promise.all([turn.done, building.done]);
  expect([turn.outcome, building.outcome]).toEqual(['stopped', 'stopped']);
  await until('its end', () => !isAlive(Number(turn.output)));
});
