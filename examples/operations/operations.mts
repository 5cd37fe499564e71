import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  OperationJournal,
  OperationLogs,
  OperationRunner,
  OperationService,
  type JsonObject,
  type OperationPlan,
  type OperationState,
  type OperationStatus,
  type PlanDraft,
  type Resolution,
} from 'tenure';
import { inputSchema, resultSchema, type CommandInput } from './schemas.mts';
import { ShellJobAdapter, type JobTraces, type ShellJobOptions } from './shell-job-adapter.mts';

export interface OperationsOptions extends Pick<ShellJobOptions, 'graceMs' | 'onStarted'> {
  /** Where the journal, the logs and the files of the jobs are kept; one program at a time. */
  readonly folder: string;
}

const scope = 'shell';
const planMs = 5 * 60_000;
const atOnce = 64;

/** Commands as durable operations: journal, logs, runner and service of one folder, put together. */
export class Operations implements AsyncDisposable {
  readonly #journal: OperationJournal;
  readonly #logs: OperationLogs;
  readonly #adapter: ShellJobAdapter;
  readonly #runner: OperationRunner;
  readonly #service: OperationService;
  readonly #closing = new AbortController();
  #tending: Promise<void> = Promise.resolve();

  private constructor(journal: OperationJournal, logs: OperationLogs, options: OperationsOptions) {
    const { folder, ...rest } = options;
    this.#journal = journal;
    this.#logs = logs;
    this.#adapter = new ShellJobAdapter({ ...rest, folder: join(folder, 'jobs'), logs, scope });
    this.#runner = new OperationRunner(journal, logs, this.#adapter, {
      ...{ scope, resultSchema, concurrency: atOnce },
      // An observation waits for news by itself.
      pollSeconds: 0.02,
      adapterSeconds: 10,
    });
    const plan = (input: JsonObject): Promise<PlanDraft> => this.#draft(input);
    const parts = { scope, journal, logs, runner: this.#runner };
    this.#service = new OperationService({ ...parts, plan, inputSchema });
  }

  /** ERR_JOURNAL_LOCKED if another program has the folder. Nothing runs before `begin`. */
  static async open(options: OperationsOptions): Promise<Operations> {
    const { folder } = options;
    await mkdir(folder, { recursive: true });
    const journal = await OperationJournal.open(join(folder, 'journal'));
    try {
      return new Operations(journal, await OperationLogs.open(join(folder, 'logs')), options);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /** What an earlier life left without an end, oldest first. */
  left(): OperationStatus[] {
    const states = ['queued', 'interrupted'] as const;
    const ids = states.flatMap((state) => [...this.#ids(state)]).reverse();
    return ids.flatMap((id) => this.#journal.status(id, scope) ?? []);
  }

  /** Takes up what was left, and whatever is started from now on. */
  async begin(): Promise<void> {
    await this.#adapter.sweep(this.left().map(({ operationId }) => operationId));
    await this.#retireLogs();
    this.#tending = this.#tend();
    this.#runner.start();
  }

  // -- one operation ----------------------------------------------------------

  /** The same id and input again are the same operation: it is not run twice. */
  start(operationId: string, input: CommandInput | JsonObject): Promise<OperationStatus> {
    return this.#service.dispatch({ op: 'start', operationId, input }, 'effect');
  }

  plan(input: CommandInput): Promise<OperationPlan> {
    return this.#service.dispatch({ op: 'plan', input }, 'effect');
  }

  /** Asks it to end; whether it does, and how, is seen later. */
  cancel(operationId: string): Promise<OperationStatus> {
    return this.#service.dispatch({ op: 'cancel', operationId }, 'effect');
  }

  status(operationId: string): OperationStatus | null {
    return this.#journal.status(operationId, scope);
  }

  command(operationId: string): string {
    return String(this.#journal.payload(operationId, scope)?.['command'] ?? '');
  }

  /** Resolves when the operation has ended, or nobody but a person can say whether it has. */
  async ended(operationId: string, unwanted?: AbortSignal): Promise<OperationStatus> {
    const signal = unwanted ? { signal: unwanted } : {};
    const changes = this.#journal.watch({ scope, id: operationId, ...signal });
    try {
      let status = this.status(operationId);
      while (status && !isSettled(status)) status = (await changes.next()).value;
      if (status) return status;
      throw new Error(`Operation ${operationId} is not in the journal any more`);
    } finally {
      await changes.return?.();
    }
  }

  /** What it prints, from `offset` on, until it has ended or nobody wants it any more. */
  async *output(
    operationId: string,
    offset = 0,
    unwanted = new AbortController().signal,
  ): AsyncGenerator<string> {
    const over = new AbortController();
    const ended = this.ended(operationId, unwanted).finally(() => over.abort());
    ended.catch(() => {});
    const { signal } = over;
    for await (const slice of this.#logs.follow(operationId, { offset, scope, signal })) {
      offset = slice.nextOffset;
      yield slice.text;
    }
    if (unwanted.aborted) return;
    await ended;
    // The last observation comes after all that it printed.
    for (;;) {
      const slice = this.#logs.read(operationId, offset, scope);
      if (slice.text === '') return;
      offset = slice.nextOffset;
      yield slice.text;
    }
  }

  /** Where its log ends now, and whether it has dropped anything. */
  logEnd(operationId: string): { readonly offset: number; readonly isCut: boolean } {
    const end = this.#logs.read(operationId, Number.MAX_SAFE_INTEGER, scope);
    return { offset: end.nextOffset, isCut: end.truncated };
  }

  /** For the exit of the process: nothing is waited for. */
  killNow(operationId: string): void {
    try {
      this.#journal.requestCancelSync(operationId, scope);
    } finally {
      this.#adapter.killNow(operationId);
    }
  }

  // -- what only a person knows -----------------------------------------------

  /** What an uncertain operation has left to judge it by. Brings its log up to date. */
  inspect(operationId: string): Promise<JobTraces> {
    return this.#adapter.inspect(operationId);
  }

  resolve(operationId: string, outcome: Resolution): Promise<OperationStatus> {
    return this.#journal.resolve(operationId, outcome, scope);
  }

  /** Forgets what has ended: their ids may be used again. Returns how many that were. */
  async forget(): Promise<number> {
    const count = await this.#journal.forget({ finishedBefore: Date.now() + 1, scope });
    await this.#retireLogs();
    return count;
  }

  // -- all of them ------------------------------------------------------------

  list(offset = 0): ReturnType<OperationJournal['page']> {
    return this.#journal.page(scope, { offset });
  }

  /** The one operation whose id begins so. */
  find(beginning: string): string | undefined {
    if (this.status(beginning)) return beginning;
    const found = [...this.#ids()].filter((id) => id.startsWith(beginning));
    return found.length === 1 ? found[0] : undefined;
  }

  newest(state?: OperationState): string | undefined {
    const [id] = this.#ids(state);
    return id;
  }

  /** Lets go of the folder. What still runs goes on, and is taken up by the next life. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#tending;
    await this.#journal.close();
    await this.#logs.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // -- within -----------------------------------------------------------------

  *#ids(state?: OperationState): Generator<string> {
    const filter = state === undefined ? {} : { state };
    for (let offset: number | null = 0; offset !== null;) {
      const page = this.#journal.page(scope, { ...filter, offset });
      for (const { operationId } of page.operations) yield operationId;
      offset = page.nextOffset;
    }
  }

  /** Clears up after what has ended, now that the journal says so. */
  async #tend(): Promise<void> {
    const { signal } = this.#closing;
    for await (const { operationId, state } of this.#journal.watch({ scope, signal })) {
      if (!isTerminal(state)) continue;
      // What cannot be removed now is swept by the next life.
      await this.#adapter.settle(operationId).catch(() => {});
      await this.#retireLogs().catch(() => {});
    }
  }

  async #retireLogs(): Promise<void> {
    const retired = await this.#journal.drainRetired();
    await Promise.all(retired.map(([of, id]) => this.#logs.retire(id, of)));
  }

  async #draft(input: JsonObject): Promise<PlanDraft> {
    const { command, cwd } = input;
    const summary = `in ${cwd}: ${command}`.slice(0, 512).toWellFormed();
    const last = this.#lastSeconds(command);
    const estimatedSeconds = last === undefined ? null : Math.ceil(last);
    return { summary, estimatedSeconds, expiresAt: Date.now() + planMs, input };
  }

  /** How long the command took when it succeeded last, among the newest operations. */
  #lastSeconds(command: unknown): number | undefined {
    for (const { operationId, state, finishedAt } of this.list().operations) {
      const startedAt = this.#journal.startedAt(operationId, scope);
      if (state !== 'succeeded' || finishedAt === null || startedAt === null) continue;
      if (this.command(operationId) === command) return (finishedAt - startedAt) / 1000;
    }
    return undefined;
  }
}

export function isTerminal(state: OperationState): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}

/** It may have been started, and nothing here can tell. */
export function isUncertain({ state, submission }: OperationStatus): boolean {
  return state === 'interrupted' && submission === 'uncertain';
}

function isSettled(status: OperationStatus): boolean {
  return isTerminal(status.state) || isUncertain(status);
}
