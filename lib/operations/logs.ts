import binding from '../binding.js';
import { object } from '../arguments.js';
import {
  MAKER,
  TenureError,
  invalidArgument,
  invalidThis,
  invalidValue,
  made,
  outOfRange,
} from '../errors.js';
import { accepted, type Answer } from './answers.js';
import { identifier, scopeOf } from './identifiers.js';
import { asked, followers, letterBox, now } from './mail.js';
import { boundsText } from './reading.js';
import { Stream } from './stream.js';
import { signalOf } from '../signals.js';
import type { OperationBounds, OperationLog } from './values.js';

/** Where to begin, and until when. */
export interface FollowOptions {
  /** Default 0. */
  readonly offset?: number;
  /** Ends the following when it aborts, without an error. */
  readonly signal?: AbortSignal;
  /** Default `''`. */
  readonly scope?: string;
}

const unused = new FinalizationRegistry<number>((logs) => {
  binding.logsDrop(logs);
});

/**
 * One bounded text file for each operation, directly in a directory, named by a hash of scope and id, so
 * that no id can leave it. Independent of the journal: whatever identifiers will do. A log is a convenience:
 * written in order, not synced. A directory is written by one process at a time; in it all handles of
 * one directory, from any thread, share the files. What cannot be read or written is `ERR_LOG_IO`, with
 * the operating system's error as `cause`; a line that was not written whole is not there at all.
 * Seed 2.
 */
export class OperationLogs implements AsyncDisposable {
  /** @internal */
  readonly _number: number;
  private _closing: Promise<void> | undefined;

  private constructor(maker: symbol, number: number) {
    made(maker, 'OperationLogs');
    this._number = number;
    unused.register(this, number, this);
  }

  /** Creates the directory, parents included. Only `logBytes` and `logSliceBytes` matter here. */
  static open(directory: string, bounds?: OperationBounds): Promise<OperationLogs> {
    try {
      if (typeof directory !== 'string' || directory === '')
        throw invalidArgument('directory', 'a non-empty string');
      if (directory.includes('\0') || !directory.isWellFormed())
        throw invalidValue('directory', 'a path');
      const text = bounds === undefined ? '{}' : boundsText(bounds, 'bounds');
      return asked((ticket) => binding.logsOpen(ticket, directory, text)).then(
        (number) => new OperationLogs(MAKER, Number(number)),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Adds one record: `line` and a line feed. CR and LF inside `line` are written as `\r` and `\n` (two
   * characters), lone surrogates as U+FFFD. A record that would pass `logBytes` is dropped, and so is,
   * for good, every later one: what is kept is a true beginning.
   */
  append(operationId: string, line: string, scope?: string): Promise<void> {
    return called(this, () => this._append(operationId, line, scope));
  }
  /** As `append`, done when it returns; waits for the disk on the calling thread. */
  appendSync(operationId: string, line: string, scope?: string): void {
    now(handle(this)._append(operationId, line, scope));
  }

  /** Deletes the log; unknown is no error. A later append begins a new one. Ends its followers. */
  retire(operationId: string, scope?: string): Promise<void> {
    return called(this, () => this._retire(operationId, scope));
  }
  /** As `retire`, done when it returns. */
  retireSync(operationId: string, scope?: string): void {
    now(handle(this)._retire(operationId, scope));
  }

  /**
   * At most `logSliceBytes`, cut between characters: an offset inside a character counts as the end of
   * that character, one past the end (of an unknown log: 0) as the end.
   */
  read(operationId: string, offset: number, scope?: string): OperationLog {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    const from = position(offset, 'offset');
    const text = accepted(binding.logsRead(logs, id, from, scopeOf(scope, 'scope')));
    return JSON.parse(text) as OperationLog;
  }

  /**
   * Slices with text, from `offset` on, as lines arrive, whichever handle of this process appends. Ends,
   * without error, on `return()`, when `signal` aborts or had aborted, on `retire` and on close. Does not
   * keep the process alive.
   */
  follow(operationId: string, options?: FollowOptions): AsyncIterableIterator<OperationLog> {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    const given = options === undefined ? {} : (object(options, 'options') as FollowOptions);
    const { offset, signal, scope } = given;
    let from = offset === undefined ? 0 : position(offset, 'options.offset');
    const of = scopeOf(scope, 'options.scope');
    const until = signalOf(signal, 'options.signal');
    const follower = accepted(binding.logsFollow(logs, letterBox(), id, of)) as number;
    const isOver = (): boolean =>
      this._closing !== undefined || binding.followerIsOver(follower) === 1;
    // The handle is held: logs that somebody follows are in use.
    const source = {
      take: () => {
        if (isOver()) return undefined;
        const slice = JSON.parse(accepted(binding.logsRead(logs, id, from, of))) as OperationLog;
        if (slice.text === '') return undefined;
        from = slice.nextOffset;
        return slice;
      },
      isOver,
      end: () => {
        followers.delete(follower);
        binding.followerDrop(follower);
      },
    };
    const stream = new Stream<OperationLog>(source, until);
    if (!until?.aborted) followers.set(follower, new WeakRef(stream));
    return stream;
  }

  /** Refuses later calls of this handle with `ERR_CLOSED`, waits for what was called before, and lets go. */
  close(): Promise<void> {
    if (!isHandle(this)) return Promise.reject(invalidThis('OperationLogs'));
    const number = this._number;
    if (this._closing !== undefined) return this._closing;
    unused.unregister(this);
    this._closing = asked((ticket) => binding.logsClose(number, ticket)).then(() => undefined);
    for (const stream of followers.values()) stream.deref()?._wake();
    return this._closing;
  }

  /** `close`, so that `await using` works. */
  [Symbol.asyncDispose](): Promise<void> {
    return OperationLogs.prototype.close.call(this);
  }

  /** @internal */
  _isClosing(): boolean {
    return this._closing !== undefined;
  }

  private _append(operationId: unknown, line: unknown, scope: unknown): Issue {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    if (typeof line !== 'string') throw invalidArgument('line', 'a string');
    const of = scopeOf(scope, 'scope');
    return (ticket) => binding.logsAppend(logs, ticket, id, line.toWellFormed(), of);
  }

  private _retire(operationId: unknown, scope: unknown): Issue {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    const of = scopeOf(scope, 'scope');
    return (ticket) => binding.logsRetire(logs, ticket, id, of);
  }
}

type Issue = (ticket: number) => Answer;

function called(self: unknown, read: () => Issue): Promise<void> {
  try {
    reference(self);
    return asked(read()).then(() => undefined);
  } catch (error) {
    return Promise.reject(error);
  }
}

function position(value: unknown, name: string): number {
  if (typeof value !== 'number') throw invalidArgument(name, 'a number');
  if (!Number.isSafeInteger(value) || value < 0)
    throw outOfRange(`${name} must be a safe integer of at least 0`);
  return value;
}

/** Whether it was made here: an object of the prototype alone has no number. */
const isHandle = (self: unknown): self is OperationLogs =>
  self instanceof OperationLogs && typeof self._number === 'number';

function handle(self: unknown): OperationLogs {
  if (!isHandle(self)) throw invalidThis('OperationLogs');
  return self;
}

function reference(self: unknown): number {
  const logs = handle(self);
  if (logs._isClosing()) throw new TenureError('ERR_CLOSED', 'The logs are closed');
  return logs._number;
}
