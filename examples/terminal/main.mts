import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { TenureError } from 'tenure';
import { codeOf, Kernel, messageOf, ShellBackend, type ShellOptions } from '../kernel/index.mts';
import { leftStep, Operations, OperationStep } from '../operations/index.mts';
import { App } from './app.mts';
import { commands, enter, help } from './commands.mts';
import { FaultyLedger } from './faulty-ledger.mts';
import { HeldStart } from './held-start.mts';
import { livesOf, liveThrough } from './lives.mts';
import { painter, type Paint } from './paint.mts';
import { PlainScreen } from './screen.mts';
import { parseScript, play, ScriptError, type Direction } from './script.mts';
import { TtyScreen } from './tty-screen.mts';
import { TurnLog } from './turn-log.mts';

const usage = `usage: npm start [-- [--script FILE] [--state FOLDER]]

  --script FILE   types the lines of FILE (- is the standard input), prints a transcript and leaves
  --state FOLDER  where ledgers, journal and logs are kept (.tenure)
`;

const quitLimitMs = 10_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      script: { type: 'string' },
      state: { type: 'string', default: '.tenure' },
      // Which part of a script with !crash is played; given by the program to itself.
      life: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${usage}\n${help}\n`);
    return 0;
  }
  const interactive = values.script === undefined && process.stdin.isTTY && process.stdout.isTTY;
  if (interactive) return session(values.state);
  const text = await scriptText(values.script);
  const lives = livesOf(parseScript(text));
  if (values.life === undefined && lives.length > 1) {
    return liveThrough(text, lives.length, ['--state', values.state]);
  }
  return session(values.state, lives[Number(values.life ?? 0)] ?? []);
}

/** From the first line to the last process: resolves to the exit code. */
async function session(folder: string, script?: readonly Direction[]): Promise<number> {
  const held = new HeldStart();
  const operations = await openFolder(folder, held);
  const ledger = new FaultyLedger(join(folder, 'ledger'));
  const paint = painter(process.stdout);
  const shell: ShellOptions = {
    warmUp: () => app.warmUp,
    startStep: (...step) => new OperationStep(operations, ...step),
  };
  const kernel: Kernel = new Kernel({
    ledger,
    startBackend: (context) => ShellBackend.start(shell, context),
    leftStep: (place) => leftStep(operations, place),
    onEvent: (event) => app.heard(event),
  });
  let leave!: (code: number) => void;
  const left = new Promise<number>((resolve) => (leave = resolve));
  const app: App = new App({
    kernel,
    operations,
    turnLog: new TurnLog(join(folder, 'turns.jsonl')),
    paint,
    onQuit: () => leave(0),
    onFailNext: (fault) => {
      if (fault === 'steering') ledger.failNextSteering = true;
      else held.holdsNext = true;
    },
  });
  held.onHeld = (id) => app.print(`held: operation ${id} has started, and is not recorded yet`);
  process.on('exit', () => kernel.killAll());
  let leaving = false;
  // Nobody reads any more, as after `| head`.
  process.stdout.on('error', () => process.exit(1));
  process.on('SIGTERM', () => leave(143));
  process.on('SIGHUP', () => leave(129));
  // On a terminal Ctrl-C is a key and no signal, until its end is waited for.
  process.on('SIGINT', () => (leaving ? process.exit(130) : leave(130)));
  if (script) playScript(app, script, leave);
  else openTerminal(app, paint);

  const code = await left;
  leaving = true;
  app.screen.close();
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, quitLimitMs, 'late').unref());
  const end = await Promise.race([kernel.close().then(() => operations.close()), late]);
  if (end === 'late')
    process.stderr.write('Not everything ended in time; what is left is killed.\n');
  return code;
}

function openTerminal(app: App, paint: Paint): void {
  app.screen = new TtyScreen(process.stdout, paint, {
    onLine: (line) => {
      enter(app, line);
      app.refresh();
    },
    onInterrupt: () => app.interrupt(),
    onEnd: () => app.quit(),
    complete: (line) => {
      const names = commands.map(({ name }) => `/${name} `);
      return [names.filter((name) => name.startsWith(line)), line];
    },
  });
  const welcome = 'a small kernel that runs command lines as turns. Try: sleep 5 ;; echo done';
  app.print(`${paint('bold', 'tenure')}: ${welcome}\n/help shows the rest.`);
  app.track(app.operations.begin());
  app.refresh();
}

function playScript(app: App, script: readonly Direction[], leave: (code: number) => void): void {
  const screen = new PlainScreen(process.stdout);
  app.screen = screen;
  play(script, app, screen, () => app.operations.begin()).then(
    () => leave(0),
    (error: unknown) => {
      process.stderr.write(`script: ${messageOf(error)}\n`);
      leave(1);
    },
  );
}

/** The folder has one owner, and that is the owner of its journal. */
async function openFolder(folder: string, held: HeldStart): Promise<Operations> {
  try {
    return await Operations.open({ folder, onStarted: held.onStarted });
  } catch (error) {
    if (codeOf(error) !== 'ERR_JOURNAL_LOCKED') throw error;
    const pid = error instanceof TenureError ? error.pid : undefined;
    const owner = pid === undefined ? 'Another process' : `Process ${pid}`;
    throw new Error(`${owner} uses ${folder}. End it, or choose another folder with --state.`, {
      cause: error,
    });
  }
}

async function scriptText(path: string | undefined): Promise<string> {
  if (path === undefined) {
    process.stderr.write('No terminal: reading a script from the standard input.\n');
  }
  if (path === undefined || path === '-') return readAll(process.stdin);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ScriptError(`cannot be read: ${messageOf(error)}`);
  }
}

function report(error: unknown): void {
  const isUsage = error instanceof TypeError && 'code' in error;
  const what = error instanceof ScriptError ? 'script: ' : '';
  process.stderr.write(`${what}${messageOf(error)}\n${isUsage ? `\n${usage}` : ''}`);
}

const code = await main().catch((error: unknown) => {
  report(error);
  return 1;
});
// A pipe may still hold the end of the transcript.
process.stdout.write('', () => process.exit(code));
