import { types } from 'node:util';
import binding from '../binding.js';
import { callable, object } from '../arguments.js';
import { TenureError, invalidArgument, invalidThis, outOfRange } from '../errors.js';
import { controller } from '../native.js';
import { accepted } from './answers.js';
import { identifier, scopeOf } from './identifiers.js';
import { OperationJournal, promised, reference } from './journal.js';
import { OperationLogs } from './logs.js';
import { asked, letterBox, runners, type Asking } from './mail.js';
import { observationText, timeOf } from './reading.js';
import { CompiledSchema } from './schema.js';
import type {
  JsonObject,
  JsonSchema,
  OperationState,
  OperationStatus,
  PlainInput,
} from './values.js';

/** What a backend says of a job. */
export interface Observation {
  /** `interrupted` is recorded, and asked about again. */
  readonly state: OperationState;
  /** In [0, 1]; left out: as it was. */
  readonly progress?: number | null;
  /** At most 64 Unicode scalar values, published as it is. */
  readonly stage?: string | null;
  /** Taken with a terminal state only. */
  readonly result?: PlainInput | null;
  /** At most 256 Unicode scalar values, published as it is. */
  readonly error?: string | null;
}

/**
 * The backend. Each call is given a signal that aborts when the call has taken `adapterSeconds` or, for
 * observe and cancel, when the runner stops; whatever it answers afterwards is ignored. `stage` and
 * `error` are published verbatim; messages of thrown errors never are. Seed 2.
 */
export interface JobAdapter {
  /**
   * Sends the job and returns its reference: 1 to `referenceBytes` bytes of well-formed text.
   * `SubmissionRefused` ends the operation as failed. Anything else (another error, a timeout, a value
   * that is no reference) leaves it interrupted and uncertain. Called at most once in an operation's
   * life; `operationId` serves as the idempotency key.
   */
  submit(operationId: string, payload: JsonObject, signal: AbortSignal): Promise<string>;
  /**
   * What the backend says. An error, a timeout, a value that is no object, or a non-terminal observation
   * that the journal refuses: the row is stale and asked about again. A state the contract does not know,
   * or a terminal observation that the journal or `resultSchema` refuses: failed, with a fixed reason.
   * `interrupted` is recorded, and asked about again.
   */
  observe(reference: string, signal: AbortSignal): Promise<Observation>;
  /** Asks the backend to stop the job. Acceptance is not termination. May come more than once. */
  cancel(reference: string, signal: AbortSignal): Promise<void>;
}

/** How to drive a scope. Seconds may have fractions. */
export interface RunnerOptions {
  /** Whose queue it drains. Default `''`. */
  readonly scope?: string;
  /** Pause between two observations. Default 1, from 0.001 to 3 600. */
  readonly pollSeconds?: number;
  /** Default 30, from 0.001 to 86 400. */
  readonly adapterSeconds?: number;
  /** Of the result of a succeeded operation; an absent result is judged as `{}`. */
  readonly resultSchema: JsonSchema;
  /** For `maxRuntimeSeconds` and the rows it writes; default the journal's. Pauses ignore it. */
  readonly clock?: () => number;
  /** Operations in progress at once. Default 1, from 1 to 1 024. */
  readonly concurrency?: number;
}

/** How a call of the adapter ended, as the core knows it. */
const TIME = 0;
const REFERENCE = 1;
const REFUSED = 2;
const OBSERVED = 3;
const CANCELLED = 4;
const FAILED = 5;

const SUBMIT = 1;
const OBSERVE = 2;
const CANCEL = 3;
const ABORT = 4;

const REASON_LENGTH = 256;

function seconds(value: unknown, name: string, initial: number, most: number): number {
  if (value === undefined) return initial;
  if (typeof value !== 'number') throw invalidArgument(name, 'a number');
  if (!(value >= 0.001 && value <= most)) throw outOfRange(`${name} must be from 0.001 to ${most}`);
  return value;
}

function count(value: unknown, name: string): number {
  if (value === undefined) return 1;
  if (typeof value !== 'number') throw invalidArgument(name, 'a number');
  if (!Number.isInteger(value) || value < 1 || value > 1024)
    throw outOfRange(`${name} must be an integer from 1 to 1024`);
  return value;
}

/** What an error says of itself; nothing where its getters throw. */
function saidBy(error: Error): { code?: unknown; message?: unknown } {
  try {
    const { code, message } = error as { code?: unknown; message: unknown };
    return { code, message };
  } catch {
    return {};
  }
}

/** The reason of an adapter's refusal, if it is fit to be shown. By its code: another copy's will do. */
function refusedBy(error: unknown): { reason: string | undefined } | undefined {
  // An error of another realm, such as a vm context's, is an instance of another Error.
  if (!types.isNativeError(error)) return undefined;
  const { code, message: reason } = saidBy(error);
  if (code !== 'ERR_SUBMISSION_REFUSED') return undefined;
  const fits =
    typeof reason === 'string' &&
    reason !== '' &&
    reason.isWellFormed() &&
    [...reason].length <= REASON_LENGTH;
  return { reason: fits ? reason : undefined };
}

/** A runner from its start to the end of its stop: calls the adapter for the core. */
class Life implements Asking {
  private readonly _runner: number;
  private readonly _adapter: JobAdapter;
  private readonly _clock: () => number;
  /** Calls of the adapter that are not answered, by number. */
  private readonly _calls = new Map<number, AbortController>();

  constructor(runner: number, adapter: JobAdapter, clock: () => number) {
    this._runner = runner;
    this._adapter = adapter;
    this._clock = clock;
  }

  _asked(verb: number, call: number, first: string, second: string): void {
    if (verb === ABORT) {
      const aborted = this._calls.get(call);
      this._calls.delete(call);
      aborted?.abort(new TenureError('ERR_CLOSED', 'The call is given up'));
      return;
    }
    if (verb === TIME) {
      this._answer(call, TIME, undefined);
      return;
    }
    const abort = controller();
    this._calls.set(call, abort);
    this._call(verb, first, second, abort.signal).then(
      (value) => {
        this._fulfilled(verb, call, value);
      },
      (error: unknown) => {
        const refused = verb === SUBMIT ? refusedBy(error) : undefined;
        if (refused === undefined) this._answer(call, FAILED, undefined);
        else this._answer(call, REFUSED, refused.reason);
      },
    );
  }

  private async _call(verb: number, first: string, second: string, signal: AbortSignal) {
    if (verb === SUBMIT)
      return this._adapter.submit(first, JSON.parse(second) as JsonObject, signal);
    if (verb === OBSERVE) return this._adapter.observe(first, signal);
    return this._adapter.cancel(first, signal);
  }

  private _fulfilled(verb: number, call: number, value: unknown): void {
    if (verb === CANCEL) {
      this._answer(call, CANCELLED, undefined);
      return;
    }
    if (verb === SUBMIT) {
      const fits = typeof value === 'string' && value !== '' && value.isWellFormed();
      this._answer(call, fits ? REFERENCE : FAILED, fits ? value : undefined);
      return;
    }
    let text: string | undefined;
    try {
      text = observationText(value);
    } catch {
      // What its getters throw is an error of the adapter.
    }
    this._answer(call, text === undefined ? FAILED : OBSERVED, text);
  }

  private _answer(call: number, kind: number, text: string | undefined): void {
    this._calls.delete(call);
    let time = -1;
    try {
      time = timeOf(this._clock);
    } catch {
      // Without a time the core waits and asks again.
    }
    binding.runnerAnswer(this._runner, call, kind, text, time);
  }
}

/**
 * Drains one scope's queue through an adapter. Of one operation, in this order, each step durable before
 * the next: running and `uncertain`; `submit`; `accepted` with the reference; observations until one is
 * terminal, every `pollSeconds`; after k failures in a row the pause is `pollSeconds` times 2^k, at most a
 * minute (or `pollSeconds`). A row that ends by other hands is let go, and what the adapter still answers
 * is dropped. While the journal cannot write, nothing is submitted, and what the adapter answered is
 * recorded once it can.
 *
 * A waiting row with a cancel intent is cancelled instead of being submitted. A row past
 * `maxRuntimeSeconds` since its `startedAt`, restarts included, is given a cancel intent. A row in progress
 * with a cancel intent: `cancel` is called until it has fulfilled once (in this runner's life), and
 * observing goes on; whatever terminal state the backend reports stands.
 *
 * The loop runs beside the JavaScript thread; adapter and clock are called on the thread that started it,
 * each call a macrotask. A clock that throws, or gives no time, puts off what needs the time. Seed 2.
 */
export class OperationRunner {
  private readonly _journal: OperationJournal;
  private readonly _adapter: JobAdapter;
  private readonly _scope: string;
  private readonly _options: string;
  private readonly _schema: CompiledSchema;
  private readonly _clock: () => number;
  private _runner: number | undefined;
  private _stopping: Promise<void> | undefined;

  /** `ERR_SCHEMA_INVALID`; nothing starts. */
  constructor(
    journal: OperationJournal,
    logs: OperationLogs,
    adapter: JobAdapter,
    options: RunnerOptions,
  ) {
    if (!(journal instanceof OperationJournal))
      throw invalidArgument('journal', 'an OperationJournal');
    if (!(logs instanceof OperationLogs)) throw invalidArgument('logs', 'an OperationLogs');
    const given = object(adapter, 'adapter') as JobAdapter;
    for (const method of ['submit', 'observe', 'cancel'] as const)
      callable(given[method], `adapter.${method}`);
    const { scope, pollSeconds, adapterSeconds, resultSchema, clock, concurrency } = object(
      options,
      'options',
    ) as RunnerOptions;
    this._journal = journal;
    this._adapter = adapter;
    this._scope = scopeOf(scope, 'options.scope');
    this._options = JSON.stringify({
      scope: this._scope,
      pollSeconds: seconds(pollSeconds, 'options.pollSeconds', 1, 3_600),
      adapterSeconds: seconds(adapterSeconds, 'options.adapterSeconds', 30, 86_400),
      concurrency: count(concurrency, 'options.concurrency'),
    });
    const read = clock === undefined ? undefined : callable(clock, 'options.clock');
    this._clock = read === undefined ? journal._clock : () => read();
    this._schema = new CompiledSchema(resultSchema, 'options.resultSchema');
  }

  /**
   * `ERR_SCOPE_OWNED` if a runner of this scope and journal is started, be it this one and in whatever
   * thread; `ERR_CLOSED`. First takes up what an earlier life left: rows that are interrupted, running or
   * queued at the backend are observed if they have a reference (all of them at once, counting as in
   * progress) and otherwise interrupted. Then drains the queue, and looks at it again every
   * `pollSeconds`. Keeps the process alive until `stop`.
   */
  start(): void {
    const self = checked(this);
    const journal = reference(self._journal);
    const runner = accepted(
      binding.runnerStart(journal, letterBox(), self._options, self._schema.number),
    ) as number;
    self._runner = runner;
    self._stopping = undefined;
    runners.set(runner, new Life(runner, self._adapter, self._clock));
    self._journal._runners.add(self);
  }

  /**
   * Calls nothing new, waits for a `submit` in flight (its answer is recorded) but for no other call, and
   * leaves the rows as they are. Idempotent. Then nothing keeps the process alive, and the scope may be
   * started again.
   */
  stop(): Promise<void> {
    try {
      const self = checked(this);
      const runner = self._runner;
      if (runner === undefined) return self._stopping ?? Promise.resolve();
      self._runner = undefined;
      self._stopping = asked((ticket) => binding.runnerStop(runner, ticket)).then(() => {
        runners.delete(runner);
        binding.runnerDrop(runner);
        // A start since then has put it in again.
        if (self._runner === undefined) self._journal._runners.delete(self);
      });
      return self._stopping;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Look at the queue now. Nothing unless started. */
  enqueue(): void {
    const { _runner: runner } = checked(this);
    if (runner !== undefined) binding.runnerWake(runner);
  }

  /**
   * A waiting operation is cancelled, durably, when this fulfils; one that was sent has its intent
   * recorded, and a started runner asks the adapter; a terminal one stays as it is. Needs no started
   * runner. `ERR_OPERATION_UNKNOWN`.
   */
  requestCancel(operationId: string): Promise<OperationStatus> {
    try {
      const self = checked(this);
      return promised<OperationStatus>(self._journal, () =>
        self._journal._cancel(identifier(operationId, 'operationId'), self._scope, self._clock),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** @internal */
  get _of(): string {
    return this._scope;
  }
}

const checked = (self: unknown): OperationRunner => {
  const isMade = self instanceof OperationRunner && typeof self._of === 'string';
  if (!isMade) throw invalidThis('OperationRunner');
  return self;
};
