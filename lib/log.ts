import { setImmediate } from 'node:timers';
import binding from './binding.js';
import { callable, object } from './arguments.js';
import { invalidArgument, invalidValue } from './errors.js';

/** From least to most. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** One transition of the core. Ids are told; texts, keys and values of the caller never are. */
export interface LogEvent {
  /** How much it matters. */
  readonly level: LogLevel;
  /** The part of the core, as `tenure::ownership`. */
  readonly target: string;
  /** What happened, in words that may change. */
  readonly message: string;
  /** Ids and phases, as text. */
  readonly fields: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch. */
  readonly tsMs: number;
}

/** What to be told, and how. */
export interface LoggerOptions {
  /** Events of this level and those that matter more. */
  readonly level: LogLevel;
  /** Gets the events of this thread in batches, in order, as a macrotask. */
  readonly onEvent: (events: LogEvent[]) => void;
}

const LEVELS: readonly unknown[] = ['error', 'warn', 'info', 'debug', 'trace'];

let listener: ((events: LogEvent[]) => void) | undefined;
let scheduled = false;

function flush(): void {
  scheduled = false;
  const text = binding.takeLog();
  if (typeof text === 'string') listener?.(JSON.parse(text) as LogEvent[]);
}

/** After a call that may have written events. */
export function flushSoon(): void {
  if (listener === undefined || scheduled) return;
  scheduled = true;
  setImmediate(flush);
}

/**
 * Hands the core's `tracing` events of this thread to JavaScript; without options, stops doing so.
 * One logger a thread: a second call replaces the first. Off, which is the default, costs nothing.
 * At most 4 096 events wait; further ones are dropped and counted in a last event. What `onEvent`
 * throws is an uncaught exception. `TENURE_LOG=debug` prints to stderr instead, without any code.
 *
 * Throws `ERR_INVALID_ARG_TYPE`, and `ERR_INVALID_ARG_VALUE` for an unknown level.
 */
export function setLogger(options?: LoggerOptions | null): void {
  if (options === undefined || options === null) {
    listener = undefined;
    binding.logLevel(undefined);
    return;
  }
  const { level, onEvent } = object(options, 'options');
  if (typeof level !== 'string') throw invalidArgument('options.level', 'a string');
  if (!LEVELS.includes(level)) throw invalidValue('options.level', `one of ${LEVELS.join(', ')}`);
  callable(onEvent, 'options.onEvent');
  binding.logLevel(level);
  listener = onEvent;
}
