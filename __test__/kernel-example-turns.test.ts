import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isAlive, makeKernel, until, Watched } from './fixtures/kernel/support.ts';

const S = 'main';

test('a turn is claimed, attached and reserved, and each of its lines is a process', async () => {
  const kernel = await makeKernel();
  const turn = new Watched(kernel.startTurn(S, { text: 'echo "$$"\n\n  echo "$$" >&2\nexit 3' }));
  expect(await turn.done).toBeUndefined();
  expect(turn.phases).toEqual(['claimed', 'attached', 'reserved', 'running']);
  const pids = turn.all('output').map(({ text }) => Number(text));
  expect(pids).toHaveLength(2);
  expect(pids[0]).not.toBe(pids[1]);
  expect(turn.all('output').map(({ stream }) => stream)).toEqual(['stdout', 'stderr']);
  expect(turn.all('step_end').map(({ result }) => [result.ended, result.code])).toEqual([
    ['exited', 0],
    ['exited', 0],
    ['exited', 3],
  ]);
  expect(turn.outcome).toBe('completed');
  expect(kernel.hasActiveRuns(S)).toBe(false);
});

test('one backend serves the turns of a session, and its disposal leaves nothing', async () => {
  const kernel = await makeKernel();
  for (const text of ['echo 1', 'echo 2']) {
    const turn = new Watched(kernel.startTurn(S, { text }));
    await turn.done;
    expect(turn.all('phase').find(({ phase }) => phase === 'reserved')?.generation).toBe(1);
  }
  expect(kernel.state(S).backends).toEqual([{ id: 1, route: undefined, phase: 'active', runs: 0 }]);
  await kernel.disposeBackend(S);
  expect(kernel.stats()).toEqual({ sessions: 0, admissions: 0, operations: [] });
});

test('a second turn of a session is refused and told who runs; other sessions go on', async () => {
  const kernel = await makeKernel();
  const first = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await first.untilOutput('up');
  const second = new Watched(kernel.startTurn(S, { text: 'echo no' }));
  expect(await second.done).toMatchObject({
    code: 'ERR_OPERATION_BUSY',
    registration: { ownerId: 'turn', sessionId: S },
  });
  expect(second.phases).toEqual(['claimed']);
  const other = new Watched(kernel.startTurn('other', { text: 'echo other' }));
  expect(await other.done).toBeUndefined();
  expect(other.output).toBe('other\n');
  await kernel.stopSession(S);
  await first.done;
});

test('a prompt without a line is refused before anything is claimed', async () => {
  const kernel = await makeKernel();
  expect(await new Watched(kernel.startTurn(S, { text: ' \n ' })).done).toMatchObject({
    code: 'ERR_PROMPT_EMPTY',
  });
  expect(kernel.stats().sessions).toBe(0);
});

test('a claim made early is the one that the turn runs on, once', async () => {
  const kernel = await makeKernel();
  const claim = kernel.claimExecution(S);
  const turn = new Watched(kernel.startTurn(S, { text: 'echo mine', claim }));
  expect(await turn.done).toBeUndefined();
  expect(claim.run.turnId).toBe(turn.events[0]?.turnId);
  const again = new Watched(kernel.startTurn(S, { text: 'echo mine', claim }));
  expect(await again.done).toMatchObject({ code: 'ERR_CLAIM_FOREIGN' });
});

test('a backend that cannot be built refuses the turn, and the next one tries again', async () => {
  let shell = '/no/such/shell';
  const kernel = await makeKernel({
    startBackend: async (context) => {
      const { ShellBackend } = await import('../examples/kernel/index.mts');
      return ShellBackend.start({ shell }, context);
    },
  });
  expect(await new Watched(kernel.startTurn(S, { text: 'echo x' })).done).toMatchObject({
    code: 'ENOENT',
  });
  expect(kernel.stats()).toEqual({ sessions: 0, admissions: 0, operations: [] });
  shell = '/bin/sh';
  const turn = new Watched(kernel.startTurn(S, { text: 'echo x' }));
  expect(await turn.done).toBeUndefined();
  expect(turn.output).toBe('x\n');
});

test('a reader that leaves takes the process with it, and the session is free again', async () => {
  const kernel = await makeKernel();
  let pid = 0;
  for await (const event of kernel.startTurn(S, { text: 'echo $$; sleep 60' })) {
    if (event.type !== 'output') continue;
    pid = Number(event.text);
    break;
  }
  expect(isAlive(pid)).toBe(false);
  const next = new Watched(kernel.startTurn(S, { text: 'echo next' }));
  expect(await next.done).toBeUndefined();
});

test('a slow reader holds the process back, and still gets every byte', async () => {
  const kernel = await makeKernel();
  const bytes = 8 * 1024 * 1024;
  const text = `echo $$; yes 0123456789 | head -c ${bytes}`;
  let pid = 0;
  let got = 0;
  for await (const event of kernel.startTurn(S, { text })) {
    if (event.type !== 'output') continue;
    got += event.text.length;
    if (pid > 0) continue;
    pid = Number.parseInt(event.text, 10);
    await sleep(500);
    expect(isAlive(pid)).toBe(true);
  }
  expect(got).toBe(bytes + `${pid}\n`.length);
});

test('a reader that is slower than the life of the process gets every byte, too', async () => {
  const kernel = await makeKernel({ shell: { graceMs: 20 } });
  const bytes = 250_000;
  let got = 0;
  for await (const event of kernel.startTurn(S, { text: `yes | head -c ${bytes}` })) {
    if (event.type !== 'output') continue;
    if (got === 0) await sleep(500);
    got += event.text.length;
  }
  expect(got).toBe(bytes);
});

test('what a step leaves behind in its group ends with the step', async () => {
  const kernel = await makeKernel();
  const text = 'sleep 60 & echo $!\nsleep 60 >/dev/null 2>&1 & echo $!\necho end';
  const turn = new Watched(kernel.startTurn(S, { text }));
  expect(await turn.done).toBeUndefined();
  const pids = turn.output.match(/\d+/g)?.map(Number) ?? [];
  expect(pids).toHaveLength(2);
  await until('their end', () => !pids.some(isAlive));
});

test('a child turn runs beside the turn, on a backend of its own that ends with it', async () => {
  const kernel = await makeKernel();
  const parent = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await parent.untilOutput('up');
  const parentTurnId = parent.events[0]?.turnId;
  const child = new Watched(
    kernel.startChildTurn(S, {
      text: 'echo child; sleep 60',
      ...(parentTurnId && { parentTurnId }),
    }),
  );
  await child.untilOutput('child');
  const { backends, turnIds } = kernel.state(S);
  expect(backends.map(({ id, route, runs }) => [id, route, runs])).toEqual([
    [1, undefined, 1],
    [2, child.events[0]?.turnId, 1],
  ]);
  expect(turnIds).toEqual([parentTurnId, child.events[0]?.turnId]);
  await kernel.stopSession(S);
  await Promise.all([parent.done, child.done]);
  expect([parent.outcome, child.outcome]).toEqual(['stopped', 'stopped']);
  expect(kernel.state(S).backends.map(({ id }) => id)).toEqual([1]);
});

test('child turns beyond their number wait for a place, and a stop ends the wait', async () => {
  const kernel = await makeKernel({ maxChildTurns: 1 });
  const first = new Watched(kernel.startChildTurn(S, { text: 'echo up; sleep 60' }));
  await first.untilOutput('up');
  const second = new Watched(kernel.startChildTurn(S, { text: 'echo second' }));
  await until('the wait', () => second.phases.includes('waiting'));
  await kernel.stopSession(S);
  await Promise.all([first.done, second.done]);
  expect(second.outcome).toBe('stopped');
  expect(second.phases).toEqual(['claimed', 'waiting']);
  const third = new Watched(kernel.startChildTurn(S, { text: 'echo third' }));
  await third.done;
  expect(third.output).toBe('third\n');
});

test('kernels of one scope stop each other’s turns', async () => {
  const scope = `example-${process.pid}-${Date.now()}`;
  const [one, two] = [await makeKernel({ scope }), await makeKernel({ scope })];
  const turn = new Watched(one.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  expect(two.hasActiveRuns(S)).toBe(true);
  await two.stopSession(S);
  await turn.done;
  expect(turn.outcome).toBe('stopped');
});

test('the kernel keeps no collection of its own: its facts are in the core', () => {
  const folder = new URL('../examples/kernel/', import.meta.url);
  for (const name of readdirSync(folder)) {
    const source = readFileSync(new URL(name, folder), 'utf8');
    expect(source, name).not.toMatch(/\b(?:Weak)?(?:Map|Set)\b\s*[<(]/);
  }
});
