import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  SubmissionRefused,
  type JobAdapter,
  type JsonObject,
  type Observation,
  type OperationLogs,
} from 'tenure';
import { startJob } from './job-command.mts';
import { JobFiles, sweep } from './job-files.mts';
import { lookAt } from './process-identity.mts';
import { RawCopy } from './raw-copy.mts';
import { parseReference, ShellJob, type JobReference } from './shell-job.mts';

export interface ShellJobOptions {
  /** Where the jobs keep their files. */
  readonly folder: string;
  readonly logs: OperationLogs;
  /** That of the runner. */
  readonly scope: string;
  readonly shell?: string;
  /** How long a job has between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** How long an observation waits for the end of the job before it says that it runs. */
  readonly holdMs?: number;
  /** Called between the start of a process and the answer that says which one it is. */
  readonly onStarted?: (operationId: string, signal: AbortSignal) => Promise<void> | undefined;
}

export interface JobTraces {
  readonly hasBegun: boolean;
  /** The exit code, if it has ended. */
  readonly code: number | undefined;
}

const tickMs = 20;
/** How long a job that was told to end is kept from being over by the copying of what it printed. */
const toldMs = 1000;

/**
 * Runs command lines as processes that outlive this one. A job is found again by process id and
 * start time, what it prints by its own file, and how it ended by a small file that its keeper
 * leaves; none of it needs this program to be alive.
 */
export class ShellJobAdapter implements JobAdapter {
  readonly #options: Required<Omit<ShellJobOptions, 'onStarted'>>;
  readonly #onStarted: ShellJobOptions['onStarted'];
  readonly #jobs = new Map<string, ShellJob>();
  readonly #copies = new Map<string, RawCopy>();
  /** Those of which this life has said that they run. */
  readonly #observed = new Set<string>();

  constructor({ onStarted, ...options }: ShellJobOptions) {
    this.#options = { shell: '/bin/sh', graceMs: 2000, holdMs: 1000, ...options };
    this.#onStarted = onStarted;
    // What commands print is for the eyes of who runs them.
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  }

  async submit(operationId: string, payload: JsonObject, signal: AbortSignal): Promise<string> {
    const { command, cwd } = payload;
    if (typeof command !== 'string' || typeof cwd !== 'string') {
      throw new SubmissionRefused('The input has no command and cwd');
    }
    const { shell, graceMs } = this.#options;
    const files = this.#files(operationId);
    const child = await startJob(files, { command, cwd, shell });
    // It may have ended by now, but is collected in a later turn of the event loop.
    const start = lookAt(child.pid)?.start ?? '';
    const reference: JobReference = { operationId, pid: child.pid, start };
    this.#jobs.set(operationId, new ShellJob(reference, files, graceMs, child));
    await this.#onStarted?.(operationId, signal);
    return JSON.stringify(reference);
  }

  /** Copies what the job prints to its log, for a while or until it has ended. */
  async observe(reference: string, signal: AbortSignal): Promise<Observation> {
    const job = this.#find(reference);
    const { operationId } = job.reference;
    const copy = this.#copyOf(operationId);
    for (const from = performance.now(); ; await sleep(tickMs, undefined, { signal })) {
      // Looked at first: what it printed until then is copied.
      const isOver = job.isOver();
      const isAll = await copy.take(isOver, isOver ? (job.wasTold ? toldMs : Infinity) : tickMs);
      signal.throwIfAborted();
      const isNews = !this.#observed.has(operationId);
      this.#observed.add(operationId);
      if (isOver && isAll) return job.outcome();
      if (isOver) return { ...job.outcome(), error: 'its log was cut short' };
      if (isNews || performance.now() - from > this.#options.holdMs) return { state: 'running' };
    }
  }

  async cancel(reference: string): Promise<void> {
    this.#find(reference).tellToEnd();
  }

  /** For the exit of the process: nothing is waited for. */
  killNow(operationId: string): void {
    this.#jobs.get(operationId)?.killNow();
  }

  /** What is known of a job that cannot be observed: the journal has no reference of it. */
  async inspect(operationId: string): Promise<JobTraces> {
    const files = this.#files(operationId);
    const [hasBegun, code] = [files.hasBegun(), files.exitCode()];
    await this.#copyOf(operationId).take(code !== undefined);
    return { hasBegun, code };
  }

  /** Lets go of a job whose end is in the journal. Not before: its files are what is known of it. */
  async settle(operationId: string): Promise<void> {
    if (!this.#observed.has(operationId)) await this.#copyOf(operationId).take(true, toldMs);
    this.#jobs.delete(operationId);
    this.#copies.delete(operationId);
    this.#observed.delete(operationId);
    await this.#files(operationId).remove();
  }

  /** Removes what is left of all jobs but these. */
  sweep(operationIds: readonly string[]): Promise<void> {
    return sweep(this.#options.folder, operationIds);
  }

  #files(operationId: string): JobFiles {
    return new JobFiles(this.#options.folder, operationId);
  }

  /** One for each log: two would both write what is missing in it. */
  #copyOf(operationId: string): RawCopy {
    const { logs, scope } = this.#options;
    const known = this.#copies.get(operationId);
    if (known) return known;
    const copy = new RawCopy({ raw: this.#files(operationId).raw, logs, operationId, scope });
    this.#copies.set(operationId, copy);
    return copy;
  }

  #find(text: string): ShellJob {
    const reference = parseReference(text);
    const { operationId } = reference;
    const known = this.#jobs.get(operationId);
    if (known) return known;
    const job = new ShellJob(reference, this.#files(operationId), this.#options.graceMs);
    this.#jobs.set(operationId, job);
    return job;
  }
}
