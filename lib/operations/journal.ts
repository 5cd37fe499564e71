import binding from '../binding.js';
import { callable, object } from '../arguments.js';
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
import { asked, flushAtExit, letterBox, now, watchers } from './mail.js';
import { boundsText, inputText, patchText, resolutionText, stateWord, timeOf } from './reading.js';
import { Stream } from './stream.js';
import { signalOf } from '../signals.js';
import { Exporting, pathOf, imported, piecesOf, type ExportOptions } from './transfer.js';
import type {
  CancelIntent,
  ForgetOptions,
  JournalProblem,
  JournalStats,
  JsonObject,
  OperationBounds,
  OperationPage,
  OperationPatch,
  OperationStatus,
  PageOptions,
  PlainInput,
  Reservation,
  Resolution,
  WatchOptions,
} from './values.js';

/** What holds for a journal, with or without a file. */
export interface InMemoryOptions {
  /**
   * Belong to this opening and not to the file; left out: defaults, or those it is open with here.
   */
  readonly bounds?: OperationBounds;
  /**
   * Default `Date.now`. Called on the thread that makes the call, at most once per writing call.
   * Fractions are cut off; what is no finite number of at least 0 is `ERR_OUT_OF_RANGE`, as is a time
   * beyond `Number.MAX_SAFE_INTEGER`.
   */
  readonly clock?: () => number;
}

/** What holds for an opening of a file. */
export interface JournalOptions extends InMemoryOptions {
  /**
   * Default false. With true nothing is ever written to the file, which has to be there: rows are shown
   * as they were recorded, what was running when its process died included, and a writing method is
   * `ERR_AUTHORITY`. Other processes may read the file meanwhile, and none may write to it: one that
   * writes keeps it from being opened, `ERR_JOURNAL_LOCKED`, and the other way round. Where this
   * process has the file open for writing, the handle reads what the others write; while it has it open
   * to read only, opening it for writing is `ERR_JOURNAL_OPTIONS`.
   */
  readonly readOnly?: boolean;
  /**
   * `immediate` (default): fulfilled means on the disk. `eventual`: fulfilled means that it will
   * survive the process' orderly end, and that a crash loses at most the calls of about the last
   * 200 ms, never one without all later ones.
   */
  readonly durability?: 'immediate' | 'eventual';
}

interface Options {
  readonly text: string;
  readonly clock: () => number;
}

function options(value: unknown, durable: boolean): Options {
  if (value === undefined) return { text: '{}', clock: Date.now };
  const given = object(value, 'options') as JournalOptions;
  const { bounds, clock } = given;
  const members: string[] = [];
  if (bounds !== undefined) members.push(`"bounds":${boundsText(bounds, 'options.bounds')}`);
  const durability: unknown = durable ? given.durability : undefined;
  if (durability !== undefined) {
    if (typeof durability !== 'string') throw invalidArgument('options.durability', 'a string');
    if (durability !== 'immediate' && durability !== 'eventual')
      throw invalidValue('options.durability', "'immediate' or 'eventual'");
    members.push(`"durability":"${durability}"`);
  }
  const readOnly: unknown = durable ? given.readOnly : undefined;
  if (readOnly !== undefined) {
    if (typeof readOnly !== 'boolean') throw invalidArgument('options.readOnly', 'a boolean');
    members.push(`"readOnly":${readOnly}`);
  }
  const read = clock === undefined ? Date.now : callable(clock, 'options.clock');
  return { text: `{${members.join()}}`, clock: () => read() };
}

/** A started runner, as its journal knows it. */
export interface Stopping {
  stop(): Promise<void>;
}

const unused = new FinalizationRegistry<number>((journal) => {
  binding.journalDrop(journal);
});

/**
 * The rows of all scopes in one file, or in memory, and the fence in front of them: what makes a start
 * safe to retry for ever.
 *
 * Reads are synchronous. A writing method returns a promise, and has a `…Sync` twin that blocks until it
 * is done; those called in one tick share one commit. One call is one atomic step: refused, it changes
 * nothing; fulfilled, with durability `immediate`, it is on the disk. Calls of one thread take effect in
 * the order made, twins included. A call that waits for its answer keeps the process alive.
 *
 * | a row that is | `update` may move to |
 * | --- | --- |
 * | queued, not accepted | running, failed, cancelled, interrupted |
 * | queued, accepted | queued, running, interrupted, any terminal state |
 * | running | running, interrupted, any terminal state, queued once accepted |
 * | interrupted | running, any terminal state, queued once accepted |
 * | terminal | nothing: `ERR_OPERATION_TERMINAL` |
 *
 * Opening turns every row that is running, or queued and no longer `pending`, into `interrupted`: nobody
 * watches it any more. When a scope holds more than `retain` terminal rows, those that ended longest ago
 * leave the history; a row whose submission is `uncertain` never does by itself. The fence keeps their ids.
 *
 * Opening a path that this process has open, from any thread and under any name of the file, gives
 * another handle of the same journal, with a clock of its own. The file is let go with its last handle,
 * or its last handle's thread.
 *
 * Scope, here and in all of it, is the descriptor an operation belongs to; `''`, the default, is one like
 * any other. Identifiers have 1 to 128 Unicode scalar values (a scope 0 to 128), no control characters
 * and no lone surrogates; others are `ERR_INVALID_ARG_VALUE`. After `close` every call is `ERR_CLOSED`.
 * A file that cannot be read or written is `ERR_JOURNAL_IO`: then a write may or may not have taken
 * effect, and repeating it settles which. Seed 2.
 */
export class OperationJournal implements AsyncDisposable {
  /** In force, defaults filled in. */
  readonly bounds: Required<OperationBounds>;
  /** @internal */
  readonly _number: number;
  /** @internal */
  readonly _clock: () => number;
  /** @internal Runners started on it. */
  readonly _runners = new Set<Stopping>();
  /** @internal Exports of it that are under way. */
  readonly _exports = new Set<number>();
  private _closing: Promise<void> | undefined;

  private constructor(maker: symbol, number: number, clock: () => number) {
    made(maker, 'OperationJournal');
    this._number = number;
    this._clock = clock;
    const bounds = JSON.parse(accepted(binding.journalBounds(number)) as string);
    this.bounds = Object.freeze(bounds) as Required<OperationBounds>;
    unused.register(this, number, this);
  }

  /**
   * Opens a file; creates it, for its owner's eyes only, if there is none or it is empty. Its directory
   * must exist. Refused, leaving the file as it was: `ERR_JOURNAL_LOCKED` at once when another process
   * has it open, `ERR_JOURNAL_CORRUPT`, `ERR_JOURNAL_VERSION`, `ERR_JOURNAL_IO`, and `ERR_JOURNAL_OPTIONS`
   * for bounds or a durability other than those it is open with here. A single row that cannot be decoded
   * is skipped.
   */
  static open(path: string, options_?: JournalOptions): Promise<OperationJournal> {
    try {
      pathOf(path);
      const { text, clock } = options(options_, true);
      return asked((ticket) => binding.journalOpen(ticket, path, text)).then((number) => {
        flushAtExit();
        return new OperationJournal(MAKER, Number(number), clock);
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Everything that a journal has recorded, as lines of JSON, a few at a time: the operations of the
   * history, the ids that the fence holds besides, and the pairs for `drainRetired`. One consistent
   * state, while the journal is in use; as long as it is not read to its end the file grows with what is
   * written. The last line counts the others. `ERR_CLOSED` once the journal is closed.
   */
  static export(
    journal: OperationJournal,
    options_?: ExportOptions,
  ): AsyncIterableIterator<string> {
    if (!isHandle(journal)) throw invalidArgument('journal', 'an OperationJournal');
    const given = options_ === undefined ? {} : (object(options_, 'options') as ExportOptions);
    const { scope }: { scope?: unknown } = given;
    const only = scope === undefined ? undefined : scopeOf(scope, 'options.scope');
    const number = accepted(binding.journalExport(reference(journal), only)) as number;
    return new Exporting(number, journal);
  }

  /**
   * Makes a journal of what `export` gave: `text` is the whole of it, or its pieces, cut anywhere. The
   * file is there once the promise is fulfilled, whole, or not at all. `ERR_BACKUP_EXISTS` if something
   * is at its path, `ERR_JOURNAL_CORRUPT` with the number of the line that cannot be taken,
   * `ERR_JOURNAL_VERSION`, `ERR_JOURNAL_IO`. What was queued and what was running is so in the new
   * journal: do not run it beside the original.
   */
  static import(
    path: string,
    text: string | AsyncIterable<string> | Iterable<string>,
  ): Promise<void> {
    try {
      return imported(pathOf(path), piecesOf(text));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** A journal of its own that nothing outlives. */
  static inMemory(options_?: InMemoryOptions): OperationJournal {
    const { text, clock } = options(options_, false);
    return new OperationJournal(MAKER, accepted(binding.journalInMemory(text)) as number, clock);
  }

  /**
   * Creates the row, waiting, or returns the one the id already has. Refused in this order:
   * `ERR_INPUT_REFUSED` if `payload` is not plain JSON; for an id that the fence holds,
   * `ERR_OPERATION_CONFLICT` under another digest and `ERR_OPERATION_RETIRED` if its row left the history,
   * else it is `existing`, whatever the bounds; `ERR_INPUT_REFUSED` over `inputBytes`; `ERR_QUEUE_FULL`;
   * `ERR_FENCE_FULL`. `digest` is compared, never interpreted: a string that would do as an identifier.
   */
  reserve(
    operationId: string,
    digest: string,
    payload: PlainInput,
    scope?: string,
  ): Promise<Reservation> {
    return promised<Reservation>(this, () => this._reserve(operationId, digest, payload, scope));
  }
  /** As `reserve`, done when it returns: it waits for the disk on the calling thread. */
  reserveSync(
    operationId: string,
    digest: string,
    payload: PlainInput,
    scope?: string,
  ): Reservation {
    return parsed(now(handle(this)._reserve(operationId, digest, payload, scope)));
  }

  /**
   * Records one observation and returns the new status: `updatedAt` advances, `stale` ends, and a
   * terminal state sets `finishedAt`. Refused in this order: `ERR_RESULT_REFUSED` (`ResultRefused`, with
   * a `path` such as `/result/a/0`) for a value past its bound or not plain JSON; `ERR_OPERATION_UNKNOWN`;
   * `ERR_OPERATION_TERMINAL`; `ERR_OPERATION_TRANSITION`.
   */
  update(operationId: string, patch: OperationPatch, scope?: string): Promise<OperationStatus> {
    return promised<OperationStatus>(this, () => this._update(operationId, patch, scope));
  }
  /** As `update`, done when it returns: it waits for the disk on the calling thread. */
  updateSync(operationId: string, patch: OperationPatch, scope?: string): OperationStatus {
    return parsed(now(handle(this)._update(operationId, patch, scope)));
  }

  /**
   * Records that the operation is to be cancelled; honouring it is the runner's. Idempotent; changes no
   * field of the status. `ERR_OPERATION_UNKNOWN`.
   */
  requestCancel(operationId: string, scope?: string): Promise<CancelIntent> {
    return promised<CancelIntent>(this, () => this._requestCancel(operationId, scope));
  }
  /** As `requestCancel`, done when it returns: it waits for the disk on the calling thread. */
  requestCancelSync(operationId: string, scope?: string): CancelIntent {
    return parsed(now(handle(this)._requestCancel(operationId, scope)));
  }

  /**
   * A person's decision on an interrupted row, with or without a reference. Leaves the submission as it
   * is. `ERR_RESULT_REFUSED`, `ERR_OPERATION_UNKNOWN`, `ERR_OPERATION_TERMINAL`, and
   * `ERR_OPERATION_TRANSITION` for a row that is not interrupted.
   */
  resolve(operationId: string, outcome: Resolution, scope?: string): Promise<OperationStatus> {
    return promised<OperationStatus>(this, () => this._resolve(operationId, outcome, scope));
  }
  /** As `resolve`, done when it returns: it waits for the disk on the calling thread. */
  resolveSync(operationId: string, outcome: Resolution, scope?: string): OperationStatus {
    return parsed(now(handle(this)._resolve(operationId, outcome, scope)));
  }

  /**
   * Takes terminal operations of the scope that ended before a time, pruned or not, off the fence and
   * out of the history, and returns how many: the only way in which the fence shrinks. Their ids may be
   * reserved anew. Those still in the history join `drainRetired`.
   */
  forget(options_: ForgetOptions): Promise<number> {
    return promised<number>(this, () => this._forgotten(options_));
  }
  /** As `forget`, done when it returns: it waits for the disk on the calling thread. */
  forgetSync(options_: ForgetOptions): number {
    return parsed(now(handle(this)._forgotten(options_)));
  }

  /**
   * The pairs of scope and operation id, of all scopes, that left the history since the last call, in
   * order of leaving: their logs may go. Pairs handed out are struck from the disk by the next call, or
   * when this handle closes, and handed out again if neither came. A pair whose id is reserved anew is
   * no longer handed out.
   */
  drainRetired(): Promise<[scope: string, operationId: string][]> {
    return promised<[string, string][]>(this, () => this._drain());
  }
  /** As `drainRetired`, done when it returns: it waits for the disk on the calling thread. */
  drainRetiredSync(): [scope: string, operationId: string][] {
    return parsed(now(handle(this)._drain()));
  }

  /** The full record, or null for an unknown or pruned id; so for the next three (false for the third). */
  status(operationId: string, scope?: string): OperationStatus | null {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    const text = accepted(binding.journalStatus(journal, id, scopeOf(scope, 'scope')));
    return text === undefined ? null : parsed(text);
  }

  /** Time of the first move to running. */
  startedAt(operationId: string, scope?: string): number | null {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    const text = accepted(binding.journalStartedAt(journal, id, scopeOf(scope, 'scope')));
    return text === undefined ? null : Number(text);
  }

  /** The recorded input, whatever its size. */
  payload(operationId: string, scope?: string): JsonObject | null {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    const text = accepted(binding.journalPayload(journal, id, scopeOf(scope, 'scope')));
    return text === undefined ? null : parsed(text);
  }

  /** A cancel intent is recorded and the row has not ended. */
  cancelRequested(operationId: string, scope?: string): boolean {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    return accepted(binding.journalCancelRequested(journal, id, scopeOf(scope, 'scope'))) === 1;
  }

  /**
   * At most `pageSize` rows and at most `frameBytes` of JSON text, at least one row if there is any.
   * Offsets address places between rows, which reservations and pruning do not move.
   */
  page(scope?: string, options_?: PageOptions): OperationPage {
    const journal = reference(this);
    const of = scopeOf(scope, 'scope');
    const given = options_ === undefined ? {} : (object(options_, 'options') as PageOptions);
    const { offset = 0, state }: { offset?: unknown; state?: unknown } = given;
    if (typeof offset !== 'number') throw invalidArgument('options.offset', 'a number');
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw outOfRange('options.offset must be a safe integer of at least 0');
    const filter = state === undefined ? undefined : stateWord(state, 'options.state');
    return parsed(accepted(binding.journalPage(journal, of, offset, filter)));
  }

  /** The id of the waiting row reserved first. */
  nextQueued(scope?: string): string | null {
    const journal = reference(this);
    const text = accepted(binding.journalNextQueued(journal, scopeOf(scope, 'scope')));
    return text === undefined ? null : parsed(text);
  }

  /** Interrupted rows with a reference, oldest reservation first. */
  interruptedAccepted(scope?: string): [operationId: string, reference: string][] {
    const journal = reference(this);
    return parsed(accepted(binding.journalInterruptedAccepted(journal, scopeOf(scope, 'scope'))));
  }

  /** Counts per scope and state, the fence, the file, and whether writing works. */
  stats(): JournalStats {
    return parsed(accepted(binding.journalStats(reference(this))));
  }

  /**
   * Statuses of the scope's rows as they change, from this call on. Each step gives the row whose
   * undelivered change is oldest, at its newest state, so a slow reader holds at most one entry a row; a
   * row that left the history meanwhile is left out. Ends, without error, on `return()`, when `signal`
   * aborts or had aborted, and on close. Does not keep the process alive.
   */
  watch(options_?: WatchOptions): AsyncIterableIterator<OperationStatus> {
    const journal = reference(this);
    const given = options_ === undefined ? {} : (object(options_, 'options') as WatchOptions);
    const { id, scope, signal } = given;
    const of = scopeOf(scope, 'options.scope');
    const only = id === undefined ? undefined : identifier(id, 'options.id');
    const until = signalOf(signal, 'options.signal');
    const watcher = accepted(binding.journalWatch(journal, letterBox(), of, only)) as number;
    // The handle is held: a journal that somebody watches is in use.
    const source = {
      take: () => {
        const text = this._closing ? undefined : accepted(binding.watcherNext(watcher));
        return text === undefined ? undefined : parsed<OperationStatus>(text);
      },
      isOver: () => this._closing !== undefined,
      end: () => {
        watchers.delete(watcher);
        binding.watcherDrop(watcher);
      },
    };
    const stream = new Stream<OperationStatus>(source, until);
    if (!until?.aborted) watchers.set(watcher, new WeakRef(stream));
    return stream;
  }

  /** Reads everything. ok without problems. Rows named as problems are skipped by all else. */
  verify(): Promise<{ readonly ok: boolean; readonly problems: JournalProblem[] }> {
    return promised<{ ok: boolean; problems: JournalProblem[] }>(this, () => {
      const journal = this._number;
      return (ticket) => binding.journalVerify(journal, ticket);
    });
  }

  /** Gives unused space back, by writing the file anew; bytes before and after. Reads go on meanwhile. */
  compact(): Promise<{ readonly before: number; readonly after: number }> {
    return promised<{ before: number; after: number }>(this, () => {
      const journal = this._number;
      return (ticket) => binding.journalCompact(journal, ticket);
    });
  }

  /**
   * Writes a consistent copy, usable as a journal, while this one is in use. `ERR_BACKUP_EXISTS`,
   * `ERR_JOURNAL_IO`. Do not run the copy beside the original: both would submit what is waiting.
   */
  backup(path: string): Promise<void> {
    return promised<undefined>(this, () => {
      const to = pathOf(path);
      const journal = this._number;
      return (ticket) => binding.journalBackup(journal, ticket, to);
    }).then(() => undefined);
  }

  /**
   * Refuses later calls of this handle with `ERR_CLOSED` (but `close` itself: idempotent), stops the
   * runners started on it, waits for what was called before, and lets go.
   */
  close(): Promise<void> {
    if (!isHandle(this)) return Promise.reject(invalidThis('OperationJournal'));
    this._closing ??= this._close(this._number);
    return this._closing;
  }

  /** `close`, so that `await using` works. */
  [Symbol.asyncDispose](): Promise<void> {
    return OperationJournal.prototype.close.call(this);
  }

  /** @internal */
  _isClosing(): boolean {
    return this._closing !== undefined;
  }

  private async _close(number: number): Promise<void> {
    // Set before anything is awaited: later calls are refused from here on.
    this._closing = Promise.resolve();
    unused.unregister(this);
    for (const number of this._exports) binding.exportDrop(number);
    const stopping = [...this._runners].map((runner) => runner.stop());
    for (const stream of watchers.values()) stream.deref()?._wake();
    await Promise.all(stopping);
    await asked((ticket) => binding.journalClose(number, ticket));
  }

  private _reserve(operationId: unknown, digest: unknown, payload: unknown, scope: unknown): Issue {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    const compared = identifier(digest, 'digest');
    object(payload, 'payload');
    const of = scopeOf(scope, 'scope');
    const text = inputText(payload, 'payload', { operationId: id, scope: of });
    const time = timeOf(this._clock);
    return (ticket) =>
      binding.journalReserve(journal, ticket, id, compared, text, of, time, undefined);
  }

  private _update(operationId: unknown, patch: unknown, scope: unknown): Issue {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    object(patch, 'patch');
    const of = scopeOf(scope, 'scope');
    const text = patchText(patch, { operationId: id, scope: of });
    const time = timeOf(this._clock);
    return (ticket) => binding.journalUpdate(journal, ticket, id, text, of, time);
  }

  private _requestCancel(operationId: unknown, scope: unknown): Issue {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    const of = scopeOf(scope, 'scope');
    return (ticket) => binding.journalRequestCancel(journal, ticket, id, of);
  }

  /** @internal */
  _cancel(operationId: unknown, scope: string, clock: () => number): Issue {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    const time = timeOf(clock);
    return (ticket) => binding.journalCancel(journal, ticket, id, scope, time);
  }

  private _resolve(operationId: unknown, outcome: unknown, scope: unknown): Issue {
    const journal = reference(this);
    const id = identifier(operationId, 'operationId');
    object(outcome, 'outcome');
    const of = scopeOf(scope, 'scope');
    const text = resolutionText(outcome, { operationId: id, scope: of });
    const time = timeOf(this._clock);
    return (ticket) => binding.journalResolve(journal, ticket, id, text, of, time);
  }

  private _forgotten(given: unknown): Issue {
    const journal = reference(this);
    const { finishedBefore, scope } = object(given, 'options') as {
      finishedBefore?: unknown;
      scope?: unknown;
    };
    if (typeof finishedBefore !== 'number')
      throw invalidArgument('options.finishedBefore', 'a number');
    if (!Number.isSafeInteger(finishedBefore) || finishedBefore < 0)
      throw outOfRange('options.finishedBefore must be a safe integer of at least 0');
    const of = scopeOf(scope, 'options.scope');
    return (ticket) => binding.journalForget(journal, ticket, of, finishedBefore);
  }

  private _drain(): Issue {
    const journal = reference(this);
    return (ticket) => binding.journalDrain(journal, ticket);
  }
}

/** A call that has read its arguments. */
export type Issue = (ticket: number) => Answer;

export const parsed = <V>(text: string | undefined): V => JSON.parse(text as string) as V;

/** A method that returns a promise never throws. */
export function promised<V>(self: unknown, read: () => Issue): Promise<V> {
  try {
    reference(self);
    return asked(read()).then((text) => JSON.parse(text) as V);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Whether it was made here: an object of the prototype alone has no number. */
const isHandle = (self: unknown): self is OperationJournal =>
  self instanceof OperationJournal && typeof self._number === 'number';

function handle(self: unknown): OperationJournal {
  if (!isHandle(self)) throw invalidThis('OperationJournal');
  return self;
}

/** The number of a journal that is open. */
export function reference(self: unknown): number {
  const journal = handle(self);
  if (journal._isClosing()) throw new TenureError('ERR_CLOSED', 'The journal is closed');
  return journal._number;
}
