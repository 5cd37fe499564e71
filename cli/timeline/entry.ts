// `tenure timeline`: reads its words, writes the page, and says so.
import process from 'node:process';
import type { Entry } from '../command.js';
import { EXIT, UsageError } from '../exit.js';
import { openToRead } from '../journals.js';
import type { Output } from '../terminal/output.js';
import { json, safeLines } from '../terminal/safe.js';
import {
  timelineArguments,
  timelineHelp,
  timelineSummary,
  WrongArguments,
  type TimelineArguments,
} from './arguments.js';
import { timeline, timelineSaid } from './timeline.js';

function wordsOf(argv: readonly string[]): TimelineArguments | 'help' {
  try {
    return timelineArguments(argv, process.env);
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    throw new UsageError(`${error.message}\nSee tenure timeline --help.`);
  }
}

export const timelineEntry = (output: () => Output): Entry => ({
  summary: timelineSummary,
  run: async (argv) => {
    const asked = wordsOf(argv);
    if (asked === 'help') {
      await output().text(timelineHelp);
      return EXIT.done;
    }
    const written = await timeline({ ...asked, openRows: openToRead });
    await (asked.json
      ? output().line(json(written))
      : output().text(safeLines(timelineSaid(written))));
    return EXIT.done;
  },
});
