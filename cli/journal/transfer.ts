// A journal as lines of JSON, out and in.
import { createReadStream, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import process from 'node:process';
import { OperationJournal } from '../../index.js';
import { JOURNAL, JSON_OUT, textOf, type Call, type Command } from '../command.js';
import { EXIT, Interrupted } from '../exit.js';
import { journalPath, reading } from '../journals.js';
import { note, type Output } from '../terminal/output.js';
import { Progress } from '../terminal/progress.js';
import { json, safe, safeJson } from '../terminal/safe.js';

const STATES = ['queued', 'running', 'interrupted', 'succeeded', 'failed', 'cancelled'] as const;

interface End {
  readonly operations: number;
  readonly left: number;
  readonly retired: number;
  readonly damaged: number;
}

const breaksIn = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

const endOf = (text: string): End =>
  JSON.parse(text.slice(text.lastIndexOf('\n', text.length - 2) + 1)) as End;

async function exported(
  journal: OperationJournal,
  { values, interrupted }: Call,
  write: (text: string) => Promise<unknown>,
): Promise<End> {
  const scope = textOf(values, 'scope');
  const { scopes, fence } = journal.stats();
  const of = scopes.filter((each) => scope === undefined || each.scope === scope);
  const rows = of.reduce(
    (sum, counts) => sum + STATES.reduce((n, state) => n + counts[state], 0),
    0,
  );
  const progress = new Progress(
    'exporting',
    scope === undefined ? Math.max(rows, fence.used) : rows,
    process.stderr,
  );
  let [last, lines] = ['', 0];
  try {
    for await (const text of OperationJournal.export(
      journal,
      scope === undefined ? {} : { scope },
    )) {
      if (interrupted.aborted) throw new Interrupted();
      await write(text);
      last = text;
      progress.at((lines += breaksIn(text)));
    }
  } finally {
    progress.end();
  }
  return endOf(last);
}

/** Into a file that is not there yet, and is not there afterwards unless it is whole. */
async function exportedTo(path: string, journal: OperationJournal, call: Call): Promise<End> {
  let file;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw exists ? Object.assign(new Error('exists'), { code: 'ERR_BACKUP_EXISTS', path }) : error;
  }
  try {
    const end = await exported(journal, call, (text) => file.appendFile(text));
    await file.sync();
    await file.close();
    return end;
  } catch (error) {
    await file.close().catch(() => undefined);
    rmSync(path, { force: true });
    throw error;
  }
}

export const exporting = (output: () => Output): Command => ({
  name: 'journal export',
  summary: 'print everything that is recorded, as lines of JSON',
  about: `
Prints all of a journal, or one scope of it, as JSON Lines: a head, each operation of the history
whole (times, intent, reference, input and result), each id that left the history and is held by
the fence, what drainRetired() has not struck, and an end that counts the lines. 'journal import'
makes the same journal of it. The file is only read; rows are exported as they were recorded.

Records that cannot be read are passed over, the ids that the fence holds for them kept; then the
exit code is 4. docs/cli.md describes each line.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: 'this scope only' },
    output: { value: 'FILE', short: 'o', help: 'write to a new file, whole or not at all' },
    json: { help: 'as without: it is JSON anyway' },
  },
  examples: [
    ['tenure journal export -j jobs.journal -o jobs.jsonl', 'to a file'],
    [
      'tenure journal export -j jobs.journal | jq -c \'select(.state == "failed")\'',
      'what failed, with its input',
    ],
  ],
  run: (call: Call) =>
    reading(call.values, async (journal) => {
      const path = textOf(call.values, 'output');
      const to = output();
      const printed = (text: string): Promise<void> =>
        to.text(to.isTerminal ? safeJson(text) : text);
      const end =
        path === undefined
          ? await exported(journal, call, printed)
          : await exportedTo(path, journal, call);
      if (end.damaged === 0) return EXIT.done;
      note(`tenure: damaged records: ${end.damaged}; 'tenure journal verify' names them.`);
      return EXIT.damaged;
    }),
});

/** The text of a file, or of stdin, piece by piece. */
async function* piecesOf(
  path: string,
  interrupted: AbortSignal,
  seen: (bytes: number, text: string) => void,
): AsyncGenerator<string> {
  const stream = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 1 << 20 });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stop = (): void => void stream.destroy(new Interrupted());
  interrupted.addEventListener('abort', stop, { once: true });
  try {
    for await (const bytes of stream as AsyncIterable<Uint8Array>) {
      if (interrupted.aborted) throw new Interrupted();
      const text = decoder.decode(bytes, { stream: true });
      seen(bytes.length, text);
      yield text;
    }
    yield decoder.decode();
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}

export const importing = (output: () => Output): Command => ({
  name: 'journal import',
  summary: 'make a journal of an export',
  about: `
Makes a new journal of what 'journal export' printed; FILE may be - for stdin. The journal must not
be there yet. It is made aside and takes its name once it is whole, so that an import that fails, or
is interrupted, leaves nothing. Every line is checked; the first that cannot be taken is named by
its number. An id that the fence held stays reserved: nothing can be started a second time.

Do not run the new journal beside the one that was exported: both would submit what is waiting.
With --json it is one object: path, operations, left and retired, their numbers.`,
  positionals: ['FILE'],
  options: {
    journal: { ...JOURNAL, help: 'where to make it; else TENURE_JOURNAL' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure journal import jobs.jsonl -j restored.journal', 'from a file'],
    [
      'ssh host tenure journal export -j jobs.journal | tenure journal import - -j jobs.journal',
      'from another machine',
    ],
  ],
  run: async ({ values, positionals: [from = ''], interrupted }: Call) => {
    const path = journalPath(values);
    const total = from === '-' ? undefined : statSync(from).size;
    const progress = new Progress('importing', total, process.stderr);
    let [done, tail] = [0, ''];
    const pieces = piecesOf(from, interrupted, (bytes, text) => {
      progress.at((done += bytes));
      tail = (tail + text).slice(-512);
    });
    try {
      await OperationJournal.import(path, pieces);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
      throw Object.assign(new Error('The export is not UTF-8'), {
        code: 'ERR_JOURNAL_CORRUPT',
        path: from,
      });
    } finally {
      progress.end();
    }
    const { operations, left, retired } = endOf(tail.endsWith('\n') ? tail : `${tail}\n`);
    const to = output();
    if (values['json'] === true) await to.line(json({ path, operations, left, retired }));
    else
      await to.line(
        `${safe(path)}: ${operations} in the history, ${left} more on the fence, ${retired} retired`,
      );
    return EXIT.done;
  },
});
