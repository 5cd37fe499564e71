import { open, stat, truncate, type FileHandle } from 'node:fs/promises';
import type { OperationLogs } from 'tenure';

/** A line without an end is cut here, so that it need not be held in memory. */
const longestRecord = 16 * 1024;
const chunkBytes = 64 * 1024;
/** What else happens in the program shall not wait for a flood of short lines. */
const recordsAtOnce = 1000;
/** How large a file may be of which nothing is wanted any more. */
const unwantedBytes = 1024 * 1024;

const lineFeed = 0x0a;
const end = Number.MAX_SAFE_INTEGER;

export interface CopyPlace {
  readonly raw: string;
  readonly logs: OperationLogs;
  readonly operationId: string;
  readonly scope: string;
}

/**
 * Copies what a process writes into a file of its own to the log of its operation. Each line is one
 * record, and where the lines are cut depends on their bytes alone: so the number of records that
 * the log has says what was copied, and there is no second place to say it that a crash could leave
 * behind or ahead of the log.
 */
export class RawCopy {
  readonly #place: CopyPlace;
  #at = 0;
  /** How many records the log has of what follows `#at`; unknown at first. */
  #known: number | undefined;
  #isFull = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: CopyPlace) {
    this.#place = place;
  }

  /**
   * Copies what is there; with `isOver` the rest without a line feed, too. Resolves to whether all of
   * it was copied within this time.
   */
  take(isOver: boolean, withinMs = Infinity): Promise<boolean> {
    const until = performance.now() + withinMs;
    const taken = this.#last.then(() => this.#take(isOver, until));
    this.#last = taken.catch(() => false);
    return taken;
  }

  async #take(isOver: boolean, until: number): Promise<boolean> {
    const { raw } = this.#place;
    this.#known ??= this.#recordsInLog();
    const { size } = (await stat(raw).catch(absent)) ?? { size: 0 };
    // The process appends, so it goes on at the new end.
    if (this.#isFull && size > unwantedBytes) await truncate(raw);
    if (this.#isFull || size <= this.#at) return true;
    const file = await open(raw, 'r');
    try {
      while (await this.#takeChunk(file, isOver)) if (performance.now() > until) return false;
      return true;
    } catch (error) {
      // Some of it may be in the log.
      this.#known = undefined;
      this.#at = 0;
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Whether there may be more. */
  async #takeChunk(file: FileHandle, isOver: boolean): Promise<boolean> {
    const { logs, operationId, scope } = this.#place;
    const buffer = Buffer.alloc(chunkBytes);
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, this.#at);
    const isEnd = bytesRead < chunkBytes;
    const { lines, length, isCut } = recordsOf(buffer.subarray(0, bytesRead), isOver && isEnd);
    const skipped = Math.min(this.#known ?? 0, lines.length);
    // They are written in the order of the calls.
    await Promise.all(lines.slice(skipped).map((line) => logs.append(operationId, line, scope)));
    this.#known = (this.#known ?? 0) - skipped;
    this.#at += length;
    this.#isFull = logs.read(operationId, end, scope).truncated;
    return !this.#isFull && (isCut || !isEnd);
  }

  #recordsInLog(): number {
    const { logs, operationId, scope } = this.#place;
    this.#isFull = logs.read(operationId, end, scope).truncated;
    let count = 0;
    for (let offset = 0; ;) {
      const { text, nextOffset } = logs.read(operationId, offset, scope);
      if (text === '') return count;
      count += text.split('\n').length - 1;
      offset = nextOffset;
    }
  }
}

interface Records {
  readonly lines: string[];
  /** In bytes. */
  readonly length: number;
  /** There are more. */
  readonly isCut: boolean;
}

/** The first records of which all bytes are there. */
function recordsOf(bytes: Buffer, isAll: boolean): Records {
  const lines: string[] = [];
  let from = 0;
  while (from < bytes.length) {
    if (lines.length === recordsAtOnce) return { lines, length: from, isCut: true };
    const feed = bytes.indexOf(lineFeed, from);
    const isLine = feed >= 0 && feed - from <= longestRecord;
    if (!isLine && bytes.length - from <= longestRecord && !isAll) break;
    const to = isLine ? feed : cut(bytes, from);
    lines.push(shown(bytes.toString('utf8', from, to)));
    from = isLine ? to + 1 : to;
  }
  return { lines, length: from, isCut: false };
}

/** Where a line that is too long, or the last one, is cut: between characters. */
function cut(bytes: Buffer, from: number): number {
  const most = from + longestRecord;
  if (most >= bytes.length) return bytes.length;
  for (let at = most; at > most - 4; at -= 1) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  return most;
}

/** What a terminal would be left with: a carriage return begins the line anew. */
function shown(line: string): string {
  const text = line.replace(/\r+$/, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
