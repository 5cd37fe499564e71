import { randomUUID } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Item, Source, TimelineData } from './data.js';
import { operationItems, type Rows } from './operations.js';
import { beginning, page } from './page.js';
import { readTurns } from './turns.js';

/** A journal that is open for reading. */
export interface OpenRows extends Rows {
  close(): Promise<void>;
}

export interface TimelineOptions {
  /** Where the page goes. */
  readonly file: string;
  readonly journals: readonly string[];
  /** Files of JSON Lines. */
  readonly turns: readonly string[];
  /** Scopes and sessions to show; left out: all. */
  readonly scopes?: readonly string[];
  /** Writes over a file that is no page of ours. */
  readonly force?: boolean;
  readonly openRows: (path: string) => Promise<OpenRows>;
  readonly now?: () => number;
}

export interface TimelineWritten {
  readonly file: string;
  readonly operations: number;
  readonly turns: number;
  readonly bytes: number;
  readonly notes: readonly string[];
}

/** A page is not written over a file that is something else: `ERR_TIMELINE_EXISTS`. */
export class TimelineExists extends Error {
  readonly code = 'ERR_TIMELINE_EXISTS';
  readonly path: string;

  constructor(file: string) {
    super(`${file} is there and is no timeline; choose another name, or replace it with --force`);
    this.name = 'TimelineExists';
    this.path = file;
  }
}

/** Reads everything, then writes the page in one step. */
export async function timeline(options: TimelineOptions): Promise<TimelineWritten> {
  const { file, force = false } = options;
  if (!force && (await isSomethingElse(file))) throw new TimelineExists(file);
  const data = await gathered(options);
  const text = page(data);
  await writeAside(file, text);
  const operations = data.items.filter(({ kind }) => kind === 'operation').length;
  return {
    file,
    operations,
    turns: data.items.length - operations,
    bytes: Buffer.byteLength(text),
    notes: data.notes,
  };
}

/** The data of a page. Journals are open only while they are read. */
export async function gathered(options: Omit<TimelineOptions, 'file'>): Promise<TimelineData> {
  const { journals, turns, scopes, openRows, now = Date.now } = options;
  const sources: Source[] = [];
  const items: Item[] = [];
  const notes: string[] = [];
  for (const name of journals) {
    const rows = await openRows(name);
    try {
      for (const item of operationItems(rows, sources.length, scopes)) items.push(item);
    } finally {
      await rows.close();
    }
    sources.push({ kind: 'journal', name });
  }
  for (const name of turns) {
    const read = await readTurns(name, sources.length, scopes);
    for (const item of read.items) items.push(item);
    sources.push({ kind: 'turns', name });
    if (read.skipped > 0) notes.push(`${name}: ${counted(read.skipped, 'line')} could not be read`);
  }
  return { writtenAt: now(), sources, items, notes };
}

/** What the person is told of a page that was written. */
export function timelineSaid({ file, operations, turns, bytes, notes }: TimelineWritten): string {
  const amounts = `${counted(operations, 'operation')}, ${counted(turns, 'turn')}`;
  const size = `${Math.ceil(bytes / 1024)} KB`;
  return [`Wrote ${file}: ${amounts}, ${size}.`, ...notes.map((note) => `${note}.`), ''].join('\n');
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

async function isSomethingElse(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginning.length), 0);
    return bytesRead > 0 && buffer.toString('latin1', 0, bytesRead) !== beginning;
  } finally {
    await handle.close();
  }
}

/** For its owner's eyes, as a journal is. */
async function writeAside(file: string, text: string): Promise<void> {
  const aside = path.join(path.dirname(file), `.tenure-${randomUUID()}.part`);
  try {
    await writeFile(aside, text, { mode: 0o600, flag: 'wx' });
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
