// The commands by their first words. One that reads its own arguments is an Entry; add it here.
import { help, read, type Command, type Entry } from './command.js';
import { UsageError } from './exit.js';
import { interruptedOnce } from './interrupt.js';
import { backup, compact } from './journal/copy.js';
import { stats, verify } from './journal/look.js';
import { exporting, importing } from './journal/transfer.js';
import { cancel, resolve } from './ops/change.js';
import { forget } from './ops/forget.js';
import { list } from './ops/list.js';
import { log } from './ops/log.js';
import { status } from './ops/status.js';
import { Output } from './terminal/output.js';
import { timelineEntry } from './timeline/entry.js';

let shared: Output | undefined;
const output = (): Output => (shared ??= new Output());

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  let call;
  try {
    call = read(command, argv);
  } catch (error) {
    if (error instanceof UsageError) error.message += `\nSee tenure ${command.name} --help.`;
    throw error;
  }
  if (call.values['help'] === true) {
    await output().text(help(command));
    return 0;
  }
  const { values, positionals } = call;
  return command.run({
    values,
    positionals,
    get interrupted() {
      return interruptedOnce();
    },
  });
}

const names = (group: string, commands: readonly Command[]): string => {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return (
    commands.map(({ name, summary }) => `  tenure ${name.padEnd(width)}  ${summary}`).join('\n') +
    `\n\nMore of each: tenure ${group} <command> --help\n`
  );
};

function group(name: string, summary: string, commands: readonly Command[]): Entry {
  return {
    summary,
    run: async ([word, ...rest]) => {
      const command = commands.find((each) => each.name === `${name} ${word}`);
      if (command !== undefined) return runCommand(command, rest);
      const page = `tenure ${name}: ${summary}\n\n${names(name, commands)}`;
      if (word === undefined) throw new UsageError(`Which command?\n\n${page}`);
      if (word !== '--help' && word !== '-h' && word !== 'help')
        throw new UsageError(`There is no 'tenure ${name} ${word}'.\n\n${page}`);
      const asked = commands.find((each) => each.name === `${name} ${rest[0]}`);
      await output().text(word === 'help' && asked !== undefined ? help(asked) : page);
      return 0;
    },
  };
}

const of = (...makers: readonly ((to: () => Output) => Command)[]): Command[] =>
  makers.map((make) => make(output));

export const ENTRIES: Readonly<Record<string, Entry>> = {
  ops: group(
    'ops',
    'look at the operations of a journal, and decide on them',
    of(list, status, log, cancel, resolve, forget),
  ),
  journal: group(
    'journal',
    'look after the file of a journal',
    of(stats, verify, compact, backup, exporting, importing),
  ),
  timeline: timelineEntry(output),
};

export const print = (text: string): Promise<void> => output().text(text);
