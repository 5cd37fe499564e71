// What writes files: compact, backup.
import { statSync } from 'node:fs';
import process from 'node:process';
import { JOURNAL, JSON_OUT, type Call, type Command } from '../command.js';
import { EXIT } from '../exit.js';
import { journalPath, reading, writing } from '../journals.js';
import type { Output } from '../terminal/output.js';
import { Progress } from '../terminal/progress.js';
import { json, safe } from '../terminal/safe.js';
import { size } from './look.js';

export const compact = (output: () => Output): Command => ({
  name: 'journal compact',
  summary: 'give unused space back',
  about: `
Writes the file anew without its gaps, and lets it take the place of the old one; a crash meanwhile
leaves one of the two, whole. It needs as much room again. The journal is opened for writing, which
another process must not do meanwhile: exit code 3. Opening it says of every operation that was
running that it is interrupted. With --json it is one object: path, before and after, in bytes.`,
  options: { journal: JOURNAL, json: JSON_OUT },
  examples: [['tenure journal compact -j jobs.journal', 'after a large forget']],
  run: ({ values }: Call) =>
    writing(values, async (journal) => {
      const progress = new Progress('compacting', undefined, process.stderr);
      const { before, after } = await journal.compact().finally(() => progress.end());
      const [path, to] = [journalPath(values), output()];
      if (values['json'] === true) await to.line(json({ path, before, after }));
      else await to.line(`${safe(path)}: ${size(before)} before, ${size(after)} after`);
      return EXIT.done;
    }),
});

export const backup = (output: () => Output): Command => ({
  name: 'journal backup',
  summary: 'write a consistent copy of the file',
  about: `
Writes a copy that is a journal itself. The file is only read, and nothing is ever written over: a
path at which something is, is refused. Do not run the copy beside the original: both would submit
what is waiting. While the owner runs, it has to make the copy: journal.backup(path).
With --json it is one object: path (of the copy), from and bytes.`,
  positionals: ['COPY'],
  options: { journal: JOURNAL, json: JSON_OUT },
  examples: [['tenure journal backup jobs-monday.journal -j jobs.journal', 'a copy']],
  run: ({ values, positionals: [path = ''] }: Call) =>
    reading(values, async (journal) => {
      const progress = new Progress('copying', undefined, process.stderr);
      await journal.backup(path).finally(() => progress.end());
      const { size: bytes } = statSync(path);
      const to = output();
      if (values['json'] === true) await to.line(json({ path, from: journalPath(values), bytes }));
      else await to.line(`${safe(path)}: ${size(bytes)}`);
      return EXIT.done;
    }),
});
