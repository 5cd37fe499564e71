import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isAlive, tempFolder, until } from './fixtures/kernel/support.ts';
import { assertBuilt, file, main, play, start, Terminal } from './fixtures/kernel/terminal.ts';

const demo = file('examples/terminal/demo.script');

beforeAll(assertBuilt);

test('the demonstration plays to its end, and shows what it promises', async () => {
  const terminal = await start(undefined, ['--script', demo]);
  const { code, stdout, stderr } = await terminal.ended;
  expect([code, stderr]).toEqual([0, '']);
  for (const text of [
    'claimed → attached → reserved on backend 1 → running',
    'finished after',
    'queue: after this step "echo steered in between"',
    'steered into the turn: "echo steered in between"',
    'next turn: "echo queued as the next turn"',
    'not found in the ledger, queued again: "echo tried twice"',
    'returned to you: "echo never either"',
    'killed (SIGTERM)',
    'stopped after',
    'ERR_STOP_FAILED',
    'ERR_SESSION_QUARANTINED',
    'another session runs',
    'free again',
    'ERR_INVALIDATION_FAILED',
    'ERR_GENERATION_FAILED',
  ]) {
    expect(stdout).toContain(text);
  }
  expect(stdout).not.toMatch(/^ *[\d.]+ {4}never/m);
  // A transcript has no colours and nothing that moves.
  expect(stdout).not.toContain('\u001b');
});

test('a script steers, queues, stops and resumes as a person would', async () => {
  const { code, stdout } = await play(`
    # nothing of this line is typed
    echo a1 ;; sleep 0.4 ;; echo a3
    @100 echo steered
    > echo queued
    !wait
    echo b1 ;; sleep 30 ;; echo b3
    !until $ sleep 30
    > echo lost
    !interrupt
    !until /resume runs what is left
    /stats
    \\!wait
  `);
  expect(code).toBe(0);
  const lines = stdout.split('\n').map((line) => line.slice(8));
  const shown = lines.filter((line) => line.startsWith('  ') || line.startsWith('returned'));
  expect(shown.slice(0, 6)).toEqual([
    '  a1',
    '  steered',
    '  a3',
    '  queued',
    '  b1',
    'returned to you: "echo lost"',
  ]);
  expect(lines).toContain('session records: 1 · admissions: 0');
  expect(lines).toContain('$ !wait');
});

test('a script without a terminal can come from the standard input', async () => {
  const terminal = await start(undefined);
  terminal.child.stdin?.end('echo piped\n/session other\necho there\n!wait\n/sessions\n');
  const { code, stdout } = await terminal.ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/ {2}piped$/m);
  expect(stdout).toMatch(/main: idle.*\n.*\* other: idle/);
});

test('a bad script is refused with all its faults, and nothing of it runs', async () => {
  const { code, stdout, stderr } = await play(
    'echo no\n@soon echo\n!stop\n/nothing\n@5\n/bin/echo fine\n',
  );
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim().split('\n')).toEqual([
    'script: line 2: "@soon" is no delay in milliseconds',
    'line 3: "!stop" is no direction: there are !wait [MS], !until TEXT, !interrupt and !crash',
    'line 4: there is no command /nothing',
    'line 5: nothing follows the delay',
  ]);
});

test('a script that cannot be read and an unknown option are told, and end with 1', async () => {
  const missing = await start(undefined, ['--script', '/no/such/file']);
  expect(await missing.ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^script: cannot be read: ENOENT/),
  });
  const unknown = await start(undefined, ['--nothing']);
  expect(await unknown.ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/--nothing[^]*usage:/),
  });
});

test('a script that waits in vain fails, and takes its processes with it', async () => {
  const { code, stdout, stderr } = await play(
    'echo $$; sleep 60\n!until running\n!wait 200\necho no\n',
  );
  expect([code, stderr]).toEqual([1, 'script: line 3: something still runs after 200 ms\n']);
  const pid = Number(/ {2}(\d+)$/m.exec(stdout)?.[1]);
  expect(pid).toBeGreaterThan(1);
  await until('its end', () => !isAlive(pid));
  expect(stdout).not.toContain('> echo no');
});

test('one folder serves one terminal at a time, and outlives one that was killed', async () => {
  const first = await start('echo up $$; sleep 60');
  await first.untilShown(/up \d+/);
  const state = first.child.spawnargs.at(-1) ?? '';
  const second = new Terminal(process.execPath, [main, '--script', demo, '--state', state]);
  expect(await second.ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Process ${first.child.pid}`),
  });
  first.child.kill('SIGKILL');
  await first.ended;

  const third = new Terminal(process.execPath, [main, '--state', state]);
  third.child.stdin?.end(
    '/cancel\n!until cancelled\n/resume\n!until running\n/stop\n!wait\n/ledger\n',
  );
  const { code, stdout } = await third.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('$ echo up $$; sleep 60');
  expect(stdout).toMatch(/run .*"kind":"continuation"/);
});

test('a terminal that is told to end stops what runs', async () => {
  const terminal = await start('echo up $$; sleep 60');
  await terminal.untilShown(/up \d+/);
  terminal.child.kill('SIGTERM');
  expect((await terminal.ended).code).toBe(143);
  const pid = Number(/up (\d+)$/m.exec(terminal.stdout)?.[1]);
  await until('its end', () => !isAlive(pid));
});

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

test.skipIf(!hasScript)(
  'on a terminal there is a prompt with a spinner, Ctrl-C stops, and twice quits',
  async () => {
    const state = join(await tempFolder(), 'state');
    const command = `${process.execPath} ${main} --state ${state}`;
    const env = {
      TERM: 'xterm-256color',
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      CI: undefined,
    };
    const open = (more: NodeJS.ProcessEnv): Terminal =>
      new Terminal('script', ['-qec', command, '/dev/null'], { ...env, ...more });
    const terminal = open({});
    await terminal.untilShown('main> ');
    terminal.child.stdin?.write('sleep 60 ;; echo never\r');
    await terminal.untilShown(/[⠋-⠿] running \d/);
    terminal.child.stdin?.write('> echo later\r');
    await terminal.untilShown('1 queued');
    terminal.child.stdin?.write('\u0003');
    await terminal.untilShown('returned to you: "echo later"');
    await terminal.untilShown(/stopped after/);
    expect(terminal.stdout).toContain('\u001b[33m');
    const asked = (): number => terminal.stdout.split('again within 2 s quits').length;
    const exited = (): boolean => terminal.child.exitCode !== null;
    while (!exited()) {
      const before = asked();
      terminal.child.stdin?.write('\u0003');
      await until('an answer', () => exited() || asked() > before);
    }
    expect((await terminal.ended).code).toBe(0);

    const plain = open({ NO_COLOR: '1' });
    await plain.untilShown('main> ');
    plain.child.stdin?.write('\u0004');
    expect((await plain.ended).code).toBe(0);
    expect(plain.stdout).not.toMatch(/\u001b\[\d+m/);
  },
);

test('the demonstration is listed with its commands where a newcomer looks', () => {
  const help = spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' });
  expect(help.status).toBe(0);
  for (const name of readFileSync(demo, 'utf8').matchAll(/^(?:@\d+ )?(\/[a-z]+)/gm)) {
    expect(help.stdout).toContain(name[1]);
  }
});
