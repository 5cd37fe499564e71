// One command: what it takes, how it is explained, and how a call of it is read.
import { parseArgs } from 'node:util';
import { UsageError } from './exit.js';

export interface Option {
  /** How its value is called in the help; left out, it takes none. */
  readonly value?: string;
  readonly short?: string;
  readonly help: string;
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** A call that has been read. */
export interface Call {
  readonly values: Values;
  readonly positionals: readonly string[];
  /** Aborted by Ctrl-C. Whoever looks at it ends by itself then; all others are ended. */
  readonly interrupted: AbortSignal;
}

export interface Command {
  readonly name: string;
  /** One line, beginning with a verb. */
  readonly summary: string;
  readonly about: string;
  /** What stands without a name, in order; those in brackets may be left out. */
  readonly positionals?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly (readonly [line: string, what: string])[];
  run(call: Call): Promise<number>;
}

/** What the first words of the command lead to. A page of its own is one more of these. */
export interface Entry {
  readonly summary: string;
  run(argv: readonly string[]): Promise<number>;
}

export const JOURNAL: Option = {
  value: 'PATH',
  short: 'j',
  help: 'the file of the journal; else TENURE_JOURNAL',
};
export const JSON_OUT: Option = { help: 'print JSON, for programs' };
const HELP: Option = { short: 'h', help: 'print this' };

const all = (command: Command): Record<string, Option> => ({ ...command.options, help: HELP });

/** Reads the words of a call; `UsageError` for what the command does not take. */
export function read(command: Command, argv: readonly string[]): Omit<Call, 'interrupted'> {
  const options = Object.fromEntries(
    Object.entries(all(command)).map(([name, { value, short }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const values = parsed.values as Values;
  const { positionals } = parsed;
  if (values['help'] === true) return { values, positionals };
  const wanted = command.positionals ?? [];
  const missing = wanted[positionals.length];
  if (missing !== undefined && !missing.startsWith('['))
    throw new UsageError(`${missing} is missing.`);
  if (positionals.length > wanted.length)
    throw new UsageError(`Unexpected argument '${positionals[wanted.length]}'.`);
  return { values, positionals };
}

const optionText = ([name, { value, short }]: [string, Option]): string =>
  `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

/** The page that `--help` prints. */
export function help(command: Command): string {
  const options = Object.entries(all(command));
  const width = Math.max(...options.map((option) => optionText(option).length));
  const words = ['tenure', command.name, ...(command.positionals ?? []), '[options]'];
  return [
    `${words.join(' ')}`,
    '',
    command.about.trim(),
    '',
    'Options:',
    ...options.map((option) => `  ${optionText(option).padEnd(width)}  ${option[1].help}`),
    '',
    'Examples:',
    ...command.examples.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]),
    '',
    'Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 open in another process,',
    '4 damaged or no journal, 5 no such operation or file, 130 interrupted.',
    '',
  ].join('\n');
}

/** A text that an option was given; undefined if it was not. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** A whole number that an option was given. */
export function countOf(values: Values, name: string): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`--${name} takes a whole number, not '${text}'.`);
  return Number(text);
}

/** A time: a date as ISO 8601 has it, or how long ago, as `90m`, `12h` or `30d`. */
export function timeOf(text: string, name: string, now: number): number {
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  const units: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
  const time = ago ? now - Number(ago[1]) * (units[ago[2] ?? ''] ?? 0) : NaN;
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  const found = Number.isNaN(time) ? date : time;
  if (Number.isNaN(found))
    throw new UsageError(
      `--${name} takes a date (2026-01-31) or an age (30d, 12h, 90m), not '${text}'.`,
    );
  return Math.max(0, found);
}
