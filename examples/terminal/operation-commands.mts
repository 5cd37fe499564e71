import { usage, needed, type Command } from './command.mts';

const outcomes = ['succeeded', 'failed', 'cancelled'] as const;

export const operationCommands: readonly Command[] = [
  {
    name: 'ops',
    args: '[OFFSET]',
    help: 'list the operations, newest first',
    run: (app, rest) => {
      if (!/^\d*$/.test(rest)) throw usage;
      app.operations.list(Number(rest));
    },
  },
  {
    name: 'log',
    args: '[ID]',
    help: 'what an operation prints, until it has ended; the beginning of an ID will do, or "last"',
    run: (app, rest) => app.operations.log(rest),
  },
  {
    name: 'cancel',
    args: '[ID]',
    help: 'ask an operation to end: the newest that has not, if none is named',
    run: (app, rest) => app.operations.cancel(rest),
  },
  {
    name: 'plan',
    args: 'LINE',
    help: 'say what would be run, without running it',
    run: (app, rest) => app.operations.plan(needed(rest)),
  },
  {
    name: 'start',
    args: '[PLAN]',
    help: 'run what was planned, beside the turns',
    run: (app, rest) => app.operations.start(rest),
  },
  {
    name: 'resolve',
    args: `ID ${outcomes.join('|')} [NOTE]`,
    help: 'say what became of an operation of which nobody else knows',
    run: (app, rest) => {
      const [, id = '', word, note = ''] = /^(\S+)\s+(\S+)\s*([^]*)$/.exec(rest) ?? [];
      const state = outcomes.find((outcome) => outcome === word);
      if (state === undefined) throw usage;
      return app.operations.resolve(id, state, note);
    },
  },
  {
    name: 'forget',
    help: 'forget all operations that have ended, with their logs',
    run: (app) => app.operations.forget(),
  },
];
