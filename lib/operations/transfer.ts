import binding from '../binding.js';
import { object } from '../arguments.js';
import { invalidArgument, invalidValue } from '../errors.js';
import { accepted } from './answers.js';
import { asked } from './mail.js';

/** What of a journal is exported. */
export interface ExportOptions {
  /** The operations of this scope only. Default: of all scopes. */
  readonly scope?: string;
}

const forgotten = new FinalizationRegistry<number>((number) => {
  binding.exportDrop(number);
});

/** Whoever is exported: the numbers of the exports that are under way. */
export interface Exported {
  readonly _exports: Set<number>;
}

/** The lines of an export that has begun. */
export class Exporting implements AsyncIterableIterator<string> {
  private readonly _number: number;
  /** Held: a journal that is exported is in use. */
  private readonly _journal: Exported;
  private _last: Promise<unknown> = Promise.resolve();
  private _over = false;

  /** @internal */
  constructor(number: number, journal: Exported) {
    this._number = number;
    this._journal = journal;
    journal._exports.add(number);
    forgotten.register(this, number, this);
  }

  /** The next lines. Calls are answered in the order made. */
  next(): Promise<IteratorResult<string>> {
    const next = this._last.then(() => this._next());
    this._last = next.catch(() => undefined);
    return next;
  }

  return(): Promise<IteratorResult<string>> {
    this._end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private _end(): void {
    if (this._over) return;
    this._over = true;
    forgotten.unregister(this);
    this._journal._exports.delete(this._number);
    binding.exportDrop(this._number);
  }

  private async _next(): Promise<IteratorResult<string>> {
    if (this._over) return { value: undefined, done: true };
    try {
      const value = await asked((ticket) => binding.exportNext(this._number, ticket));
      if (value !== '' && !this._over) return { value, done: false };
    } catch (error) {
      this._end();
      throw error;
    }
    this._end();
    return { value: undefined, done: true };
  }
}

/** Where a file is, or is to be. */
export function pathOf(path: unknown): string {
  if (typeof path !== 'string' || path === '') throw invalidArgument('path', 'a non-empty string');
  if (path.includes('\0') || !path.isWellFormed()) throw invalidValue('path', 'a path');
  return path;
}

type Pieces = AsyncIterable<string> | Iterable<string>;

export function piecesOf(value: unknown): Pieces {
  const given = (typeof value === 'string' ? [value] : object(value, 'text')) as Partial<
    AsyncIterable<string> & Iterable<string>
  >;
  const iterates = given[Symbol.asyncIterator] ?? given[Symbol.iterator];
  if (typeof iterates !== 'function') throw invalidArgument('text', 'an iterable of strings');
  return given as Pieces;
}

/** Hands the pieces over, none before the one before it was taken. */
export async function imported(path: string, pieces: Pieces): Promise<void> {
  const number = accepted(binding.importOpen(path)) as number;
  try {
    let half = '';
    for await (const piece of pieces) {
      if (typeof piece !== 'string') throw invalidArgument('text', 'an iterable of strings');
      // A piece may end inside a character, of which the first half waits for the second.
      let whole = half + piece;
      half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
      if (half !== '') whole = whole.slice(0, -1);
      if (!whole.isWellFormed()) throw invalidValue('text', 'well-formed');
      if (whole !== '') await asked((ticket) => binding.importAdd(number, ticket, whole));
    }
    if (half !== '') throw invalidValue('text', 'well-formed');
  } catch (error) {
    // Nothing of it is left once this is rejected.
    await asked((ticket) => binding.importCancel(number, ticket));
    throw error;
  }
  await asked((ticket) => binding.importEnd(number, ticket));
}
