// The adapter of the example by itself: processes that outlive it, and are found again.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OperationLogs, type JsonObject, type Observation, type OperationBounds } from 'tenure';
import { ShellJobAdapter, type ShellJobOptions } from '../examples/operations/index.mts';
import { isAlive, tempFolder, until } from './fixtures/kernel/support.ts';

const scope = 's';
const never = new AbortController().signal;

class Life {
  readonly adapter: ShellJobAdapter;
  readonly logs: OperationLogs;
  readonly folder: string;

  constructor(folder: string, logs: OperationLogs, options: Partial<ShellJobOptions>) {
    this.folder = folder;
    this.logs = logs;
    const place = { folder: join(folder, 'jobs'), logs, scope };
    this.adapter = new ShellJobAdapter({ ...place, graceMs: 1000, holdMs: 0, ...options });
  }

  submit(id: string, command: string): Promise<string> {
    return this.adapter.submit(id, { command, cwd: this.folder }, never);
  }

  async end(reference: string): Promise<Observation> {
    for (;;) {
      const seen = await this.adapter.observe(reference, never);
      if (seen.state !== 'running') return seen;
    }
  }

  text(id: string): string {
    let text = '';
    for (let offset = 0; ;) {
      const slice = this.logs.read(id, offset, scope);
      if (slice.text === '') return text;
      text += slice.text;
      offset = slice.nextOffset;
    }
  }
}

interface Setup extends Partial<ShellJobOptions> {
  readonly folder?: string;
  readonly bounds?: OperationBounds;
}

async function live({ folder, bounds, ...options }: Setup = {}): Promise<Life> {
  const place = folder ?? (await tempFolder());
  const logs = await OperationLogs.open(join(place, 'logs'), bounds);
  onTestFinished(() => logs.close());
  return new Life(place, logs, options);
}

test('a command ends with its exit code, and what it printed is in its log, in order', async () => {
  const life = await live();
  const ok = await life.submit('ok', 'echo out; echo err >&2; echo; printf "no line feed"');
  expect(await life.end(ok)).toEqual({ state: 'succeeded', result: { code: 0, signal: null } });
  expect(life.text('ok')).toBe('out\nerr\n\nno line feed\n');
  const bad = await life.submit('bad', 'exit 3');
  expect(await life.end(bad)).toEqual({
    state: 'failed',
    error: 'exit code 3',
    result: { code: 3, signal: null },
  });
  const killed = await life.submit('killed', 'kill -SEGV $$');
  expect(await life.end(killed)).toMatchObject({ state: 'failed', error: 'ended by SIGSEGV' });
  expect(life.text('killed')).toBe('');
});

test('a command that cannot be started is refused, and leaves nothing', async () => {
  const life = await live();
  const nowhere: JsonObject = { command: 'echo x', cwd: join(life.folder, 'nowhere') };
  for (const payload of [nowhere, { command: 'echo x' }, {}]) {
    await expect(life.adapter.submit('id', payload, never)).rejects.toMatchObject({
      code: 'ERR_SUBMISSION_REFUSED',
    });
  }
  expect(readdirSync(join(life.folder, 'jobs'))).toEqual([]);
});

test('what was submitted once is not submitted again', async () => {
  const life = await live();
  await life.end(await life.submit('id', 'echo x >>effect'));
  const again = await live({ folder: life.folder });
  await expect(again.submit('id', 'echo x >>effect')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(join(life.folder, 'effect'), 'utf8')).toBe('x\n');
});

test('the first observation of a life says at once that the job runs, the next waits', async () => {
  const life = await live({ holdMs: 60_000 });
  const reference = await life.submit('id', 'while [ ! -e gate ]; do sleep 0.02; done');
  expect(await life.adapter.observe(reference, never)).toEqual({ state: 'running' });
  const aborted = new AbortController();
  const second = life.adapter.observe(reference, aborted.signal);
  aborted.abort(new Error('enough'));
  await expect(second).rejects.toThrow();
  await life.adapter.cancel(reference);
  await life.end(reference);
});

test('another life finds the job, running or ended, and its log goes on where it was', async () => {
  const first = await live();
  const { folder } = first;
  const command = 'echo 1; while [ ! -e gate ]; do sleep 0.02; done; echo 2; echo x >>effect';
  const reference = await first.submit('id', command);
  await until('the first line', async () => {
    await first.adapter.observe(reference, never);
    return first.text('id') === '1\n';
  });
  const second = await live({ folder });
  expect(await second.adapter.observe(reference, never)).toEqual({ state: 'running' });
  await (await live({ folder })).end(await second.submit('opener', 'touch gate'));
  await until('the end', () => existsSync(join(folder, 'effect')));
  expect(second.text('id')).toBe('1\n');
  const third = await live({ folder });
  expect(await third.end(reference)).toMatchObject({ state: 'succeeded' });
  expect(third.text('id')).toBe('1\n2\n');
  // The runner may ask again: it was killed before it could write down the answer.
  expect(await (await live({ folder })).end(reference)).toMatchObject({ state: 'succeeded' });
  expect(third.text('id')).toBe('1\n2\n');
});

test('a line is copied once, however it is cut: long, without an end, or with a bad one', async () => {
  const first = await live();
  const { folder } = first;
  const long = `${'é'.repeat(20_000)}!`;
  const script = [
    `process.stdout.write(${JSON.stringify(`${long}\n`)});`,
    String.raw`process.stdout.write('10%\r20%\r100%\nwindows\r\n\n');`,
    String.raw`process.stdout.write(Buffer.from([0x61, 0xff, 0x62, 0x0a]));`,
    `process.stdout.write('x'.repeat(16 * 1024) + '\\n' + 'y'.repeat(16 * 1024 + 1));`,
  ].join('');
  writeFileSync(join(folder, 'print.cjs'), script);
  const reference = await first.submit('id', `'${process.execPath}' print.cjs`);
  await first.end(reference);
  const whole = [
    ...[long.slice(0, 8192), long.slice(8192, 16384), long.slice(16384)],
    ...['100%', 'windows', '', 'a\ufffdb', 'x'.repeat(16 * 1024)],
    ...['y'.repeat(16 * 1024), 'y'],
  ];
  const lines = (life: Life, id: string): string[] => life.text(id).split('\n').slice(0, -1);
  expect(lines(first, 'id')).toEqual(whole);
  for (let kept = 0; kept <= whole.length; kept += 1) {
    // As if the life had ended when so much of the log was written.
    first.logs.retireSync('id', scope);
    for (const line of whole.slice(0, kept)) first.logs.appendSync('id', line, scope);
    await (await live({ folder })).end(reference);
    expect(lines(first, 'id'), String(kept)).toEqual(whole);
  }
});

test('a log that is full stays a true beginning, and its job ends all the same', async () => {
  const life = await live({ bounds: { logBytes: 10 } });
  const reference = await life.submit('id', 'echo 12345; echo 67890; echo 1');
  expect(await life.end(reference)).toMatchObject({ state: 'succeeded' });
  expect(life.text('id')).toBe('12345\n');
});

test('a cancel reaches all of the group, and is no failure of the command', async () => {
  const life = await live();
  const reference = await life.submit('id', 'sleep 60 & echo $! $$; wait');
  const pids = await until('the pids', async () => {
    await life.adapter.observe(reference, never);
    return /^(\d+) (\d+)\n/.exec(life.text('id'))?.slice(1).map(Number);
  });
  await life.adapter.cancel(reference);
  expect(await life.end(reference)).toEqual({
    state: 'cancelled',
    result: { code: null, signal: 'SIGTERM' },
  });
  expect(pids.some(isAlive)).toBe(false);
});

test('what ignores the polite request is killed after the grace, by a later life as well', async () => {
  const first = await live({ graceMs: 60_000 });
  const stubborn = 'trap "" TERM; echo up; while :; do sleep 0.02; done';
  const reference = await first.submit('id', stubborn);
  await until('its beginning', async () => {
    await first.adapter.observe(reference, never);
    return first.text('id') === 'up\n';
  });
  await first.adapter.cancel(reference);
  expect(await first.adapter.observe(reference, never)).toEqual({ state: 'running' });
  const second = await live({ folder: first.folder, graceMs: 50 });
  // A runner tells it again: the intent is in its journal.
  await second.adapter.cancel(reference);
  expect(await second.end(reference)).toEqual({
    state: 'cancelled',
    result: { code: null, signal: 'SIGKILL' },
  });
});

test('a command that finishes what it was told to stop has succeeded', async () => {
  const life = await live();
  const tidy = 'trap "echo tidied; exit 0" TERM; echo up; while :; do sleep 0.02; done';
  const reference = await life.submit('id', tidy);
  await until('its beginning', async () => {
    await life.adapter.observe(reference, never);
    return life.text('id') === 'up\n';
  });
  await life.adapter.cancel(reference);
  expect(await life.end(reference)).toMatchObject({ state: 'succeeded' });
  expect(life.text('id')).toMatch(/^up\n(?:.*\n)?tidied\n$/);
});

test('what a command leaves behind in its group ends with it', async () => {
  const life = await live({ graceMs: 100 });
  const leaves = 'sleep 60 & echo $!; (trap "" TERM; while :; do sleep 0.02; done) & echo $!';
  const reference = await life.submit('id', leaves);
  expect(await life.end(reference)).toMatchObject({ state: 'succeeded' });
  const pids = life.text('id').trim().split('\n').map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.some(isAlive)).toBe(false);
});

test('a job that is gone without a word has failed, and says so', async () => {
  const life = await live();
  const reference = await life.submit('id', 'echo up; sleep 60');
  const { pid } = JSON.parse(reference) as { pid: number };
  await until('its beginning', async () => {
    await life.adapter.observe(reference, never);
    return life.text('id') === 'up\n';
  });
  process.kill(-pid, 'SIGKILL');
  const failure = {
    state: 'failed',
    error: 'ended without an exit status: it was killed, or the machine went down',
  };
  expect(await (await live({ folder: life.folder })).end(reference)).toEqual(failure);
  expect(await life.end(reference)).toEqual(failure);
  expect(life.text('id')).toBe('up\n');
});

test('a process that was given the id of the job later is neither it nor harmed', async () => {
  const life = await live({ graceMs: 0 });
  const reference = await life.submit('id', 'true');
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const pid = stranger.pid ?? 0;
  await life.end(reference);
  const { start, ...rest } = JSON.parse(reference) as { start: string };
  // Started a tick of the clock before it.
  const earlier = start.replace(/^\d+/, (ticks) => String(Number(ticks) - 1));
  const reused = JSON.stringify({ ...rest, pid, start: earlier });
  const later = await live({ folder: life.folder, graceMs: 0 });
  await later.adapter.cancel(reused);
  expect(await later.end(reused)).toMatchObject({ state: 'succeeded' });
  expect(isAlive(pid)).toBe(true);
});

test('what has the id of the group of a job that ended unwatched is not harmed either', async () => {
  const life = await live();
  const reference = await life.submit('id', 'echo $$; sleep 60');
  await until('its beginning', async () => {
    await life.adapter.observe(reference, never);
    return life.text('id') !== '';
  });
  const { pid } = JSON.parse(reference) as { pid: number };
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
  process.kill(pid, 'SIGKILL');
  await until('its end', () => !isAlive(pid));
  const later = await live({ folder: life.folder, graceMs: 0 });
  await later.adapter.cancel(reference);
  expect(await later.end(reference)).toMatchObject({ state: 'failed' });
  expect(isAlive(Number(later.text('id')))).toBe(true);
});

test('the files of a job go when the journal has its end, and of others with the next sweep', async () => {
  const life = await live();
  for (const id of ['one', 'two', 'three']) await life.end(await life.submit(id, `echo ${id}`));
  const jobs = (): number => readdirSync(join(life.folder, 'jobs')).length;
  await life.adapter.settle('one');
  expect(jobs()).toBe(2);
  await life.adapter.sweep(['two']);
  expect(jobs()).toBe(1);
  expect(['one', 'two', 'three'].map((id) => life.text(id))).toEqual(['one\n', 'two\n', 'three\n']);
});

test('of a job without a reference it can be told whether it began, how it ended and what it said', async () => {
  const life = await live({ onStarted: () => Promise.reject(new Error('cut off')) });
  expect(await life.adapter.inspect('id')).toEqual({ hasBegun: false, code: undefined });
  await expect(life.submit('id', 'echo 1; printf 2; exit 4')).rejects.toThrow('cut off');
  const later = await live({ folder: life.folder });
  await until('its end', async () => (await later.adapter.inspect('id')).code !== undefined);
  expect(await later.adapter.inspect('id')).toEqual({ hasBegun: true, code: 4 });
  expect(later.text('id')).toBe('1\n2\n');
});
