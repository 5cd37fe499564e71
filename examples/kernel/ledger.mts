import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Checkpoint } from './history.mts';
import type { Lineage, RunKind, StepPlace, StepResult } from './types.mts';

interface Stamped {
  /** Tells a record from its own retry. */
  readonly id: string;
  readonly ts: number;
}

export interface SessionRecord extends Stamped {
  readonly type: 'session';
  readonly sessionId: string;
}

export interface RunRecord extends Stamped {
  readonly type: 'run';
  readonly runId: string;
  readonly turnId: string;
  readonly kind: RunKind;
  readonly steps: readonly string[];
  readonly lineage: Lineage;
}

export interface SteeredRecord extends Stamped {
  readonly type: 'steered';
  readonly runId: string;
  readonly text: string;
}

export interface StepRecord extends Stamped, StepResult {
  readonly type: 'step';
  readonly runId: string;
}

export function stepRecord(
  { runId, index }: StepPlace,
  ts: number,
  result: StepResult,
): StepRecord {
  return { type: 'step', id: `step:${runId}:${index}`, ts, runId, ...result };
}

/** The terminal fact of a run: the first one written is the one that counts. */
export interface EndRecord extends Stamped {
  readonly type: 'end';
  readonly runId: string;
  readonly outcome: 'completed' | 'stopped' | 'failed';
  readonly error?: string;
}

export interface StatusRecord extends Stamped {
  readonly type: 'status';
  readonly status: 'aborted';
}

export interface TurnRecord extends Stamped {
  readonly type: 'turn';
  readonly turnId: string;
  readonly state: 'aborted';
  readonly lineage: Lineage;
}

export interface NoteRecord extends Stamped {
  readonly type: 'note';
  readonly kind: 'abort';
  readonly source: string;
}

export interface CheckpointRecord extends Stamped {
  readonly type: 'checkpoint';
  readonly checkpoint: Checkpoint;
}

export type LedgerRecord =
  | SessionRecord
  | RunRecord
  | SteeredRecord
  | StepRecord
  | EndRecord
  | StatusRecord
  | TurnRecord
  | NoteRecord
  | CheckpointRecord;

export interface LedgerEntry {
  readonly record: LedgerRecord;
  /** Where the next record begins, in bytes. */
  readonly end: number;
}

export interface Ledger {
  /** Durable when it resolves. When it rejects, only a read tells whether the record is there. */
  append(sessionId: string, record: LedgerRecord): Promise<void>;
  read(sessionId: string, from?: number): Promise<LedgerEntry[]>;
  sessions(): Promise<string[]>;
}

/** One append-only file of JSON lines for each session. Appends to one session must not overlap. */
export class FileLedger implements Ledger {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(sessionId: string, record: LedgerRecord): Promise<void> {
    const made = await mkdir(this.#folder, { recursive: true });
    if (made) await Promise.all([dirname(made), dirname(this.#folder)].map(syncFolder));
    const file = await open(this.#path(sessionId), 'a+');
    try {
      const { size } = await file.stat();
      const opening: SessionRecord = { type: 'session', id: 'session', ts: record.ts, sessionId };
      const torn = size > 0 && (await isTorn(file, size));
      const before = size === 0 ? `${JSON.stringify(opening)}\n` : torn ? '\n' : '';
      await file.appendFile(`${before}${JSON.stringify(record)}\n`);
      await file.sync();
      if (size === 0) await syncFolder(this.#folder);
    } finally {
      await file.close();
    }
  }

  async read(sessionId: string, from = 0): Promise<LedgerEntry[]> {
    const path = this.#path(sessionId);
    const bytes = await buffer(createReadStream(path, { start: from })).catch(absent);
    return bytes ? entriesOf(bytes, from) : [];
  }

  async sessions(): Promise<string[]> {
    const names = (await readdir(this.#folder).catch(absent)) ?? [];
    const ledgers = names.filter((name) => name.endsWith('.jsonl')).sort();
    const found: string[] = [];
    for (const name of ledgers) {
      const first = entriesOf(await readFile(join(this.#folder, name)), 0)[0]?.record;
      if (first?.type === 'session') found.push(first.sessionId);
    }
    return found;
  }

  /** A session id may be any string: what is legible of it, and a digest that keeps it apart. */
  #path(sessionId: string): string {
    const legible = sessionId.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 32);
    const digest = createHash('sha256').update(sessionId, 'utf16le').digest('hex').slice(0, 12);
    return join(this.#folder, `${legible}.${digest}.jsonl`);
  }
}

/** No prefix of a JSON object is one: a line that parses is whole, with or without its newline. */
function entriesOf(bytes: Buffer, offset: number): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    const record = parsed(bytes.toString('utf8', start, end));
    if (record) entries.push({ record, end: offset + end });
    start = end;
  }
  return entries;
}

/** A damaged line costs itself and nothing else. */
function parsed(line: string): LedgerRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const whole = typeof value === 'object' && value !== null && 'type' in value && 'id' in value;
    return whole ? (value as LedgerRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the last append was cut short: what follows it must begin a line of its own. */
async function isTorn(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}

/** A new name is durable only with its folder. Windows can neither open nor needs to sync one. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
