import { parseArgs } from 'node:util';

/** What `tenure timeline` is asked for. */
export interface TimelineArguments {
  readonly file: string;
  readonly journals: readonly string[];
  readonly turns: readonly string[];
  readonly scopes?: readonly string[];
  readonly force: boolean;
  readonly json: boolean;
}

/** The words of the call are not understood; the message says why. */
export class WrongArguments extends Error {
  override readonly name = 'WrongArguments';
}

export const timelineSummary = 'write operations and turns over time as a page';

export const timelineHelp = `tenure timeline FILE.html [options]

Writes one page that shows operations and turns over time: bars by state, a table
beside them, search and filters. The page is a file by itself: it asks for nothing
else and may be handed on. Inputs, results and references are not in it; ids,
scopes, stages, errors and labels are.

Options:
  -j, --journal PATH  the file of a journal, as often as wanted; else TENURE_JOURNAL
  -t, --turns FILE    turns as JSON Lines, as often as wanted
  -s, --scope NAME    this scope, or this session, and others named so; else all
  -f, --force         write over a FILE that is no timeline
      --json          print JSON, for programs
  -h, --help          print this

Examples:
  tenure timeline jobs.html --journal jobs.journal
      everything that is in one journal
  tenure timeline day.html -j .tenure/journal -t .tenure/turns.jsonl
      what the session of \`npm start\` did

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 open in another process,
4 damaged or no journal, 5 no such operation or file, 130 interrupted.
`;

/** Reads the words after \`tenure timeline\`. Throws \`WrongArguments\`. */
export function timelineArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TimelineArguments | 'help' {
  const { values, positionals } = parsed(argv);
  if (values.help) return 'help';
  const [file, ...others] = positionals;
  if (file === undefined || file === '') throw new WrongArguments('FILE.html is missing.');
  if (others.length > 0) throw new WrongArguments(`Unexpected argument '${others[0]}'.`);
  const { journal, turns = [], scope, force = false, json = false } = values;
  const fallback = env['TENURE_JOURNAL'] ?? '';
  // The variable is for a call that names nothing; turns alone are a page too.
  const journals = journal ?? (turns.length === 0 && fallback !== '' ? [fallback] : []);
  if (journals.length + turns.length === 0)
    throw new WrongArguments(
      'Of what? Give --journal PATH or --turns FILE, or set TENURE_JOURNAL.',
    );
  if ([...journals, ...turns].includes(''))
    throw new WrongArguments('--journal and --turns take the name of a file.');
  return { file, journals, turns, ...(scope === undefined ? {} : { scopes: scope }), force, json };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      strict: true,
      options: {
        journal: { type: 'string', short: 'j', multiple: true },
        turns: { type: 'string', short: 't', multiple: true },
        scope: { type: 'string', short: 's', multiple: true },
        force: { type: 'boolean', short: 'f' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new WrongArguments((error as Error).message, { cause: error });
  }
}
