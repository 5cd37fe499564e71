import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { Kernel, messageOf, ShellBackend } from '../kernel/index.mts';
import { App } from './app.mts';
import { commands, enter, help } from './commands.mts';
import { FaultyLedger } from './faulty-ledger.mts';
import { painter, type Paint } from './paint.mts';
import { PlainScreen } from './screen.mts';
import { parseScript, play, ScriptError, type Direction } from './script.mts';
import { takeFolder } from './state-folder.mts';
import { TtyScreen } from './tty-screen.mts';

const usage = `usage: npm start [-- [--script FILE] [--state FOLDER]]

  --script FILE   types the lines of FILE (- is the standard input), prints a transcript and leaves
  --state FOLDER  where the ledgers are kept (.tenure)
`;

const quitLimitMs = 10_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      script: { type: 'string' },
      state: { type: 'string', default: '.tenure' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${usage}\n${help}\n`);
    return 0;
  }
  const interactive = values.script === undefined && process.stdin.isTTY && process.stdout.isTTY;
  const script = interactive ? undefined : parseScript(await scriptText(values.script));
  return session(values.state, script);
}

/** From the first line to the last process: resolves to the exit code. */
async function session(folder: string, script: Direction[] | undefined): Promise<number> {
  const giveBack = takeFolder(folder);
  const ledger = new FaultyLedger(join(folder, 'ledger'));
  const paint = painter(process.stdout);
  const kernel: Kernel = new Kernel({
    ledger,
    startBackend: (context) => ShellBackend.start({ warmUp: () => app.warmUp }, context),
    onEvent: (event) => app.heard(event),
  });
  let leave!: (code: number) => void;
  const left = new Promise<number>((resolve) => (leave = resolve));
  const app: App = new App({
    kernel,
    paint,
    onQuit: () => leave(0),
    onFailSteering: () => void (ledger.failNextSteering = true),
  });
  process.on('exit', () => {
    kernel.killAll();
    giveBack();
  });
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
  const end = await Promise.race([kernel.close(), late]);
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
  app.refresh();
}

function playScript(app: App, script: Direction[], leave: (code: number) => void): void {
  const screen = new PlainScreen(process.stdout);
  app.screen = screen;
  play(script, app, screen).then(
    () => leave(0),
    (error: unknown) => {
      process.stderr.write(`script: ${messageOf(error)}\n`);
      leave(1);
    },
  );
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
