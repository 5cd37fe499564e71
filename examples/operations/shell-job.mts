import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Observation } from 'tenure';
import type { JobFiles } from './job-files.mts';
import { isGroupAlive, lookAt } from './process-identity.mts';

const onWindows = process.platform === 'win32';
/** Where a look is a process of its own, one is not made at every turn. */
const lookEveryMs = process.platform === 'linux' ? 0 : 500;

/** A process by which it is found again, also by a later life of this program. */
export interface JobReference {
  readonly operationId: string;
  readonly pid: number;
  /** Ids of processes are used again; one that started at another time is another one. */
  readonly start: string;
}

export function parseReference(text: string): JobReference {
  return JSON.parse(text) as JobReference;
}

/** A process group, started by this life of the program or by an earlier one. */
export class ShellJob {
  readonly reference: JobReference;
  readonly #files: JobFiles;
  readonly #graceMs: number;
  /** Absent if an earlier life started it. */
  readonly #child: ChildProcess | undefined;
  #wasAlive: boolean;
  #lookedAt = -Infinity;
  #toldAt: number | undefined;
  #leftAt: number | undefined;

  constructor(reference: JobReference, files: JobFiles, graceMs: number, child?: ChildProcess) {
    this.reference = reference;
    this.#files = files;
    this.#graceMs = graceMs;
    this.#child = child;
    this.#wasAlive = child !== undefined;
  }

  /**
   * Whether nothing of it is alive. Asked time and again, it sees to that: what was told to end, or
   * was left behind by the command, is killed after the grace.
   */
  isOver(): boolean {
    const now = performance.now();
    if (this.#isAlive(lookEveryMs)) {
      if (this.#toldAt !== undefined && now - this.#toldAt > this.#graceMs) this.#signal('SIGKILL');
      return false;
    }
    // If it ended while nobody watched, what has the id of its group by now may be a stranger.
    if (!this.#wasAlive || onWindows || !isGroupAlive(this.reference.pid)) return true;
    if (this.#leftAt === undefined) this.#signal('SIGTERM');
    this.#leftAt ??= now;
    if (now - this.#leftAt > this.#graceMs) this.#signal('SIGKILL');
    return now - this.#leftAt > 2 * this.#graceMs;
  }

  get wasTold(): boolean {
    return this.#toldAt !== undefined;
  }

  /** SIGTERM to the group; `isOver` does the rest. */
  tellToEnd(): void {
    if (!this.#isAlive(0)) return;
    this.#files.markCancelled();
    this.#toldAt ??= performance.now();
    this.#signal('SIGTERM');
  }

  killNow(): void {
    if (!this.#isAlive(0)) return;
    this.#files.markCancelled();
    this.#signal('SIGKILL');
  }

  /** How it ended, once it is over. */
  outcome(): Observation {
    const status = this.#files.exitCode();
    const wasTold = this.#files.isCancelled();
    if (status === undefined) {
      if (wasTold) return { state: 'cancelled', result: { code: null, signal: 'SIGKILL' } };
      const error = 'ended without an exit status: it was killed, or the machine went down';
      return { state: 'failed', error };
    }
    const result = exitOf(status);
    if (status === 0) return { state: 'succeeded', result };
    if (wasTold) return { state: 'cancelled', result };
    const { code, signal } = result;
    return { state: 'failed', result, error: signal ? `ended by ${signal}` : `exit code ${code}` };
  }

  #isAlive(everyMs: number): boolean {
    if (this.#child) return this.#child.exitCode === null && this.#child.signalCode === null;
    const { pid, start } = this.reference;
    if (!exists(pid)) return false;
    const now = performance.now();
    if (this.#wasAlive && now - this.#lookedAt < everyMs) return true;
    this.#lookedAt = now;
    const look = lookAt(pid);
    const isIt = look !== undefined && look.start === start && !look.isOver;
    this.#wasAlive ||= isIt;
    return isIt;
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.reference;
    if (onWindows) {
      const args = ['/pid', String(pid), '/t', '/f'];
      spawn('taskkill', args, { stdio: 'ignore' }).on('error', () => {});
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone.
    }
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A shell says 128 and the number of a signal of what was ended by one. */
function exitOf(status: number): { code: number | null; signal: string | null } {
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128);
  return signal ? { code: null, signal: signal[0] } : { code: status, signal: null };
}
