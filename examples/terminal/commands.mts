import type { App } from './app.mts';
import { codeOf, type LedgerRecord } from '../kernel/index.mts';
import { needed, usage, type Command } from './command.mts';
import { operationCommands } from './operation-commands.mts';
import { quoted } from './paint.mts';

const faults = {
  stop: 'the next stop fails: the session is quarantined until its process ends or is disposed',
  dispose: 'the next disposal fails: the session is quarantined for good',
  steering: 'the next steered text does not reach the ledger, and is queued again',
  reference:
    'the next command is held once it has started, for 10 s: the journal does not know its process',
} as const;

export const commands: readonly Command[] = [
  {
    name: 'queue',
    args: 'LINE',
    help: 'run LINE as the next turn, after the one that runs (short: > LINE)',
    run: (app, rest) => app.queue(needed(rest)),
  },
  {
    name: 'stop',
    args: '[after]',
    help: 'stop the session: kill the step that runs, or let it end first with "after"',
    run: (app, rest) => {
      if (rest !== '' && rest !== 'after') throw usage;
      app.stop(rest === 'after' ? 'after_step' : 'immediate');
    },
  },
  {
    name: 'retract',
    help: 'take back every text that no turn has taken yet',
    run: (app) => {
      const texts = app.kernel.retractQueue(app.session);
      app.print(texts.length > 0 ? `taken back: ${quoted(texts)}` : 'Nothing is queued.');
    },
  },
  {
    name: 'resume',
    help: 'run the steps that are left of a turn that was cut short',
    run: (app) => app.resume(),
  },
  {
    name: 'child',
    args: 'LINE',
    help: 'run LINE beside the turn, as a child turn on a backend of its own',
    run: (app, rest) => app.startChild(needed(rest)),
  },
  {
    name: 'compact',
    help: 'fold the ledger of the session into a checkpoint; refused while it runs',
    run: (app) => app.compact(),
  },
  {
    name: 'session',
    args: 'NAME',
    help: 'go to another session; what runs in this one goes on',
    run: (app, rest) => {
      app.session = needed(rest);
      app.refresh();
      app.print(`session ${app.session}`);
    },
  },
  {
    name: 'sessions',
    help: 'list the sessions and what the core knows of each',
    run: async (app) => {
      const known = await app.kernel.sessions();
      const ids = known.includes(app.session) ? known : [...known, app.session];
      app.print(ids.map((id) => sessionLine(app, id)).join('\n'));
    },
  },
  {
    name: 'stats',
    help: 'live records of the core, and the active operations',
    run: (app) => {
      const { sessions, admissions, operations } = app.kernel.stats();
      const active = operations.map(({ ownerId, sessionId }) => `\n  ${ownerId} in ${sessionId}`);
      app.print(`session records: ${sessions} · admissions: ${admissions}${active.join('')}`);
    },
  },
  {
    name: 'ledger',
    args: '[N]',
    help: 'the last N records of the ledger of the session (10)',
    run: async (app, rest) => {
      const count = rest === '' ? 10 : Number(rest);
      if (!Number.isInteger(count) || count < 1) throw usage;
      const { records } = await app.kernel.history(app.session);
      app.print(records.slice(-count).map(recordLine).join('\n') || 'The ledger is empty.');
    },
  },
  {
    name: 'invalidate',
    help: 'give the session a new backend: now if it is idle, else after its turn',
    run: (app) => app.kernel.invalidateBackend(app.session),
  },
  {
    name: 'dispose',
    help: 'end the backends of the session now, and what runs on them',
    run: (app) => app.kernel.disposeBackend(app.session),
  },
  {
    name: 'warmup',
    args: 'LINE|off',
    help: 'let each new backend run LINE before its first turn (try: sleep 3)',
    run: (app, rest) => {
      app.warmUp = needed(rest) === 'off' ? undefined : rest;
      app.print(
        app.warmUp ? `A new backend first runs "${rest}". /invalidate gets you one.` : 'off',
      );
    },
  },
  {
    name: 'fail',
    args: Object.keys(faults).join('|'),
    help: 'let something fail next, to see what comes of it',
    run: (app, rest) => {
      if (rest === 'steering' || rest === 'reference') app.failNext(rest);
      else if (rest !== 'stop' && rest !== 'dispose') throw usage;
      else if (!app.kernel.failNext(app.session, rest)) {
        return app.print('The session has no backend yet: run something first.');
      }
      app.print(faults[rest]);
    },
  },
  ...operationCommands,
  { name: 'help', help: 'this', run: (app) => app.print(help) },
  {
    name: 'quit',
    help: 'stop what turns run and leave (or Ctrl-D, or Ctrl-C twice)',
    run: (app) => app.quit(),
  },
];

/** Does what a typed line says. Steps of one prompt are separated by ";;". */
export function enter(app: App, line: string): void {
  const text = line.trim();
  if (text === '') return;
  if (text.startsWith('>')) return enter(app, `/queue ${text.slice(1)}`);
  if (!text.startsWith('/') || isPath(text)) return app.typed(steps(text));
  const [, name = '', rest = ''] = /^\/(\S*)\s*([^]*)$/.exec(text) ?? [];
  const command = commands.find((each) => each.name === name);
  if (!command) return app.print(`There is no /${name}. /help lists the commands.`);
  app.track(
    (async () => {
      try {
        await command.run(app, steps(rest));
      } catch (error) {
        if (error !== usage) throw error;
        app.print(`usage: /${name} ${command.args ?? ''}`.trim());
      }
    })(),
  );
}

/** Programs can be named by their path: those have a second slash. */
function isPath(text: string): boolean {
  return /^\/\S+\//.test(text);
}

function steps(text: string): string {
  return text.split(/\s*;;\s*/).join('\n');
}

function sessionLine(app: App, id: string): string {
  const { turnIds, backends, refusal } = app.kernel.state(id);
  const what =
    refusal !== undefined
      ? (codeOf(refusal) ?? 'refuses')
      : turnIds.length > 0
        ? 'running'
        : 'idle';
  const held = backends.map(
    ({ id: backend, route, phase, runs }) =>
      `backend ${backend}${route === undefined ? '' : ' (child)'} ${phase}, ${runs} runs`,
  );
  return [`${id === app.session ? '*' : ' '} ${id}: ${what}`, ...held].join('; ');
}

function recordLine(record: LedgerRecord): string {
  const { id: _id, ts, type, ...rest } = record;
  return `${new Date(ts).toISOString().slice(11, 23)} ${type} ${JSON.stringify(rest)}`;
}

const width = Math.max(...commands.map(({ name, args }) => name.length + (args?.length ?? 0)));
const commandList = commands.map(
  ({ name, args = '', help: text }) => `  ${`/${name} ${args}`.padEnd(width + 4)}${text}`,
);

export const help = `Type a command line and it runs as a turn of the session, step by step:
  make ;; make test          two steps of one turn
While it runs, what you type goes to the turn:
  echo more                  steered: becomes its next steps, when the present step ends
  > echo later               queued: opens the next turn
Ctrl-C stops the turn and gives back what was queued; twice within 2 s quits.
Each step is a shell of its own (cd does not last), and nothing it starts outlives it. It is an
operation, too: kill this program, start it again, and it is found and followed to its end.

${commandList.join('\n')}`;
