// The program of `npm start`: each command is a durable operation, whatever becomes of the program.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isAlive, tempFolder, until } from './fixtures/kernel/support.ts';
import {
  assertBuilt,
  file,
  main,
  start,
  stateFolder,
  Terminal,
  type Ended,
} from './fixtures/kernel/terminal.ts';

beforeAll(assertBuilt);

/** A state, for one life of the program after the other, and files for commands to read and write. */
class Scene {
  readonly state: string;
  readonly effect: string;
  readonly gate: string;

  constructor(state: string, files: string) {
    this.state = state;
    this.effect = join(files, 'effect');
    this.gate = join(files, 'gate');
  }

  /** A command that says the first, waits for the gate, says the second, and leaves its mark. */
  waiting(first: string, second: string): string {
    const wait = `while [ ! -e ${this.gate} ]; do sleep 0.02; done`;
    // What is typed is shown as well, and shall not be taken for what is said.
    const say = (word: string): string => `w=${word}; echo "says $w"`;
    return `${say(first)}; ${wait}; ${say(second)}; echo x >>${this.effect}`;
  }

  open(): void {
    writeFileSync(this.gate, '');
  }

  /** How often a command came to its end. */
  get effects(): number {
    return existsSync(this.effect) ? readFileSync(this.effect, 'utf8').length / 2 : 0;
  }

  start(script: string): Promise<Terminal> {
    return start(script, [], this.state);
  }

  async play(script: string): Promise<Ended> {
    const ended = await (await this.start(script)).ended;
    expect([ended.code, ended.stderr], ended.stdout).toEqual([0, '']);
    return ended;
  }

  /** Plays until a text is shown, and kills the program there. */
  async killAt(script: string, shown: string | RegExp): Promise<string> {
    const life = await this.start(script);
    await life.untilShown(shown);
    life.child.kill('SIGKILL');
    return (await life.ended).stdout;
  }
}

async function scene(): Promise<Scene> {
  return new Scene(await stateFolder(), await tempFolder());
}

const linesOf = (stdout: string): string[] => stdout.split('\n').map((line) => line.slice(8));

/** What was shown of a log, without the id in front. */
function logOf(stdout: string, typed = '/log'): string[] {
  const lines = linesOf(stdout);
  const from = lines.lastIndexOf(`main> ${typed}`);
  const logged = lines.slice(from).filter((line) => /^\[[0-9a-f-]+\] /.test(line));
  return logged.map((line) => line.slice(line.indexOf(' ') + 1));
}

const waits = '!until says first\n!wait\n';

test('each command is an operation in the journal, with its log', async () => {
  const { stdout } = await (
    await scene()
  ).play('echo one; echo two >&2 ;; exit 3\n!wait\n/ops\n/log\n/log nothing\n!wait\n');
  const lines = linesOf(stdout);
  expect(lines).toContain('active: 0 · outstanding: 0');
  const rows = lines.filter((line) => /^ {2}[0-9a-f]{8}-\d /.test(line));
  expect(rows[0]).toMatch(/^ {2}([0-9a-f]{8})-1 failed, exit code 3 · \d+\.\ds · exit 3$/);
  expect(rows[1]).toMatch(/^ {2}([0-9a-f]{8})-0 succeeded · .* · echo one; echo two >&2$/);
  expect(lines).toContain('Not one operation begins with nothing. /ops lists them.');
});

test('the log of an operation that runs is followed to its end', async () => {
  const scenery = await scene();
  const life = await scenery.start(
    `${scenery.waiting('first', 'second')}\n!until says first\n/log\n!wait\n`,
  );
  await life.untilShown(/\] says first$/m);
  expect(life.stdout).not.toMatch(/\] says second$/m);
  scenery.open();
  const { code, stdout } = await life.ended;
  expect(code).toBe(0);
  expect(logOf(stdout)).toEqual(['says first', 'says second']);
  expect(stdout).toMatch(/^ *[\d.]+ {4}[0-9a-f]{8}-0 succeeded/m);
});

test('a command is planned and then started by its plan, as often as one likes', async () => {
  const scenery = await scene();
  const plan = `/plan echo planned >>${scenery.effect}`;
  const { stdout } = await scenery.play(`
    /start
    ${plan}
    !until /start
    /start
    !until succeeded
    !wait
    ${plan}
    !until succeeded last
    /start
    !until succeeded
    !wait
    /start 0000
    /ops
  `);
  expect(stdout).toMatch(/plan ([0-9a-f]{8}): in .*: echo planned >>.*\n.*\/start \1 runs it/);
  expect(stdout.match(/There is no such plan/g)).toHaveLength(2);
  expect(readFileSync(scenery.effect, 'utf8')).toBe('planned\nplanned\n');
});

test('an operation is cancelled with all it started, and its turn goes on', async () => {
  const { stdout } = await (
    await scene()
  ).play(
    'sleep 60 & w=pid; echo "$w is $!"; wait ;; echo after\n!until pid is\n/cancel\n!wait\n/ops\n/cancel\n',
  );
  expect(stdout).toMatch(/operation [0-9a-f]{8}-0 is asked to end/);
  expect(stdout).toMatch(/ended with SIGTERM[^]*\$ echo after/);
  expect(stdout).toMatch(/[0-9a-f]{8}-0 cancelled · /);
  expect(stdout).toContain('There is no such operation.');
  expect(isAlive(Number(/ {2}pid is (\d+)$/m.exec(stdout)?.[1]))).toBe(false);
});

test('a command goes on when the program is killed; the next life follows it to its end', async () => {
  const scenery = await scene();
  const command = scenery.waiting('first', 'second');
  await scenery.killAt(`${command} ;; echo rest\n${waits}`, 'says first');
  const life = await scenery.start('!wait\n/log\n!wait\n/resume\n!wait\n/ops\n');
  await life.untilShown(/-0 interrupted.* · w=first[^]*taken up and followed/);
  expect(scenery.effects).toBe(0);
  scenery.open();
  const { code, stdout } = await life.ended;
  expect(code).toBe(0);
  // What was shown by the life before is not shown again, and the log has it once.
  expect(stdout.slice(0, stdout.indexOf('main> /log'))).not.toContain('] says first');
  expect(logOf(stdout)).toEqual(['says first', 'says second']);
  // What is left of the turn is only what was not begun.
  expect(linesOf(stdout).filter((line) => line.startsWith('$ '))).toEqual(['$ echo rest']);
  expect(scenery.effects).toBe(1);
});

test('how a command ended is found out if that was while no program lived', async () => {
  const scenery = await scene();
  const command = scenery.waiting('first', 'second');
  await scenery.killAt(`${command}; exit 7\n${waits}`, 'says first');
  scenery.open();
  await until('the end of the command', () => scenery.effects === 1);
  const { stdout } = await scenery.play('!wait\n/log\n!wait\n/ledger\n!wait\n');
  expect(stdout).toMatch(/[0-9a-f]{8}-0 failed, exit code 7/);
  expect(logOf(stdout)).toEqual(['says first', 'says second']);
  expect(stdout).toMatch(/step .*"code":7,.*"ended":"exited"/);
  expect(scenery.effects).toBe(1);
});

test('however often the program is killed, a log is whole and has no line twice', async () => {
  const scenery = await scene();
  const step = `echo "n $i"; i=$((i+1)); sleep 0.005`;
  const command = `i=0; while [ ! -e ${scenery.gate} ]; do ${step}; done; echo "all $i"`;
  await scenery.killAt(`${command}\n!wait\n`, / {2}n \d+\n/);
  for (let life = 0; life < 3; life += 1) await scenery.killAt('!wait\n', /\] n \d+\n/);
  const last = await scenery.start('!wait\n/log\n!wait\n');
  await last.untilShown(/\] n \d+\n/);
  scenery.open();
  const lines = logOf((await last.ended).stdout);
  const printed = lines.length - 1;
  expect(lines).toEqual([
    ...Array.from({ length: printed }, (_, at) => `n ${at}`),
    `all ${printed}`,
  ]);
});

test('killed before the journal knows the process, it waits for a person to say what became of it', async () => {
  const scenery = await scene();
  const life = await scenery.start(
    `/fail reference\necho ran; echo x >>${scenery.effect} ;; echo rest\n!wait\n`,
  );
  await life.untilShown('held: operation');
  await until('the end of the command', () => scenery.effects === 1);
  life.child.kill('SIGKILL');
  await life.ended;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { stdout } = await scenery.play('!wait\n/ops\n/resume\n!wait\n/log\n!wait\n');
    expect(stdout).toMatch(/-0 interrupted, uncertain · .*\n.*\(it did, and ended with code 0\)/);
    expect(stdout).toContain('active: 0 · outstanding: 1');
    expect(stdout).toContain('ERR_STEP_UNSETTLED');
    expect(logOf(stdout)).toEqual(['ran']);
  }
  const { stdout } = await scenery.play(`
    /resolve
    /resolve last sideways
    /resolve last succeeded it is in the file
    !wait
    /resolve last succeeded
    /resume
    !wait
    /ops
    /log last
    !wait
  `);
  expect(stdout.match(/usage: \/resolve/g)).toHaveLength(2);
  expect(stdout).toMatch(/-0 succeeded, it is in the file · /);
  expect(stdout).toContain('There is no such operation.');
  expect(linesOf(stdout).filter((line) => line.startsWith('$ '))).toEqual(['$ echo rest']);
  expect(stdout).toContain('active: 0 · outstanding: 0');
  expect(scenery.effects).toBe(1);
  expect((await scenery.play('!wait\n')).stdout).not.toContain('left:');
});

test('what a person says was not done is done by the continuation of its turn', async () => {
  const scenery = await scene();
  const script = `/fail reference\necho x >>${scenery.effect}\n!wait\n`;
  await scenery.killAt(script, 'held: operation');
  await until('the end of the command', () => scenery.effects === 1);
  await scenery.play('/resolve last cancelled\n!wait\n/resume\n!wait\n');
  expect(scenery.effects).toBe(2);
});

test('a command that was killed with the program has failed, and is not run again by itself', async () => {
  const scenery = await scene();
  const life = await scenery.start(
    `echo x >>${scenery.effect}; w=first; echo "says $w"; sleep 60\n!wait\n`,
  );
  await life.untilShown('says first');
  life.child.kill('SIGKILL');
  await life.ended;
  const [job = ''] = readdirSync(join(scenery.state, 'jobs'));
  process.kill(-Number(readFileSync(join(scenery.state, 'jobs', job, 'begun'))), 'SIGKILL');
  const { stdout } = await scenery.play('!wait\n/resume\n!wait\n/log\n!wait\n');
  expect(stdout).toMatch(/-0 failed, ended without an exit status/);
  expect(stdout).toContain('Nothing to resume');
  expect(logOf(stdout)).toEqual(['says first']);
  expect(scenery.effects).toBe(1);
});

test('an orderly end stops what turns run, and lets go on what was started beside them', async () => {
  const scenery = await scene();
  const life = await scenery.start(`
    /plan ${scenery.waiting('beside', 'end')}
    !until /start
    /start
    !until says beside
    w=is; echo "pid $w $$"; sleep 60
    !until pid is
    /quit
  `);
  const { code, stdout } = await life.ended;
  expect(code).toBe(0);
  expect(isAlive(Number(/ {2}pid is (\d+)$/m.exec(stdout)?.[1]))).toBe(false);
  const next = await scenery.start('!wait\n/ops\n');
  await next.untilShown(/An earlier life of this program left:\n.* [0-9a-f]{8} interrupted/);
  scenery.open();
  const ended = await next.ended;
  expect(ended.stdout).toMatch(/ [0-9a-f]{8} succeeded · /);
  expect(ended.stdout).toMatch(/ [0-9a-f]{8}-0 cancelled · .* · w=is/);
  expect(scenery.effects).toBe(1);
});

test('a program that nobody reads any more takes what its turns run with it', async () => {
  const scenery = await scene();
  const life = await scenery.start('while :; do echo "pid $$"; sleep 0.05; done\n!wait\n');
  await life.untilShown(/ {2}pid \d+$/m);
  const pid = Number(/ {2}pid (\d+)$/m.exec(life.stdout)?.[1]);
  life.child.stdout?.destroy();
  expect((await life.ended).code).toBe(1);
  await until('its end', () => !isAlive(pid));
  expect((await scenery.play('!wait\n/ops\n')).stdout).toMatch(/-0 cancelled · /);
});

test('what has ended can be forgotten, with its log and with the files of its job', async () => {
  const scenery = await scene();
  const { stdout } = await scenery.play(
    'echo 1 ;; echo 2\n!wait\n/forget\n!wait\n/ops\n/log\n!wait\n',
  );
  expect(stdout).toContain('operations forgotten: 2');
  expect(stdout).toContain('There is no such operation.');
  expect(['logs', 'jobs'].map((name) => readdirSync(join(scenery.state, name)))).toEqual([[], []]);
});

test('a second program of one folder is told who has it, and ends', async () => {
  const scenery = await scene();
  const first = await scenery.start(`${scenery.waiting('first', 'second')}\n!wait\n`);
  await first.untilShown('says first');
  const second = await (await scenery.start('echo no\n')).ended;
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toMatch(new RegExp(`^Process ${first.child.pid} uses .*--state`));
  scenery.open();
  expect((await first.ended).code).toBe(0);
  expect(scenery.effects).toBe(1);
});

test('the demonstration of operations is killed and started again, and plays to its end', async () => {
  const script = file('examples/terminal/operations.script');
  const state = await stateFolder();
  const args = [main, '--script', script, '--state', state];
  const { code, stdout, stderr } = await new Terminal(process.execPath, args).ended;
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(stdout.match(/killed, and started again/g)).toHaveLength(2);
  for (const text of [
    'failed, exit code 3',
    'run as planned',
    'cancelled · ',
    'taken up and followed to its end',
    '$ echo "the step after it"',
    'interrupted, uncertain',
    'ERR_STEP_UNSETTLED',
    'succeeded, it is in the log',
    '  and went on',
    'operations forgotten: 8',
  ]) {
    expect(stdout).toContain(text);
  }
  const numbered = logOf(stdout.slice(0, stdout.indexOf('main> /resume')));
  expect(numbered).toEqual([1, 2, 3, 4, 5].map((at) => `line ${at}`));
  const help = spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' });
  for (const [, name = ''] of readFileSync(script, 'utf8').matchAll(/^(\/[a-z]+)/gm)) {
    expect(help.stdout).toContain(name);
  }
});
