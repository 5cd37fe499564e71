import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const onWindows = process.platform === 'win32';

export type StreamName = 'stdout' | 'stderr';

export interface StepExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether it was told to go before it went. */
  readonly killed: boolean;
  /** Why there is neither a code nor a signal. */
  readonly error?: string;
}

export interface StepOptions {
  readonly cwd: string;
  /** How long the group has between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly shell?: string;
  /** What it returns is waited for before more is read. */
  readonly onOutput?: (stream: StreamName, text: string) => Promise<void> | undefined;
}

/** A command line that runs. */
export interface Step {
  /** Resolves when it has ended and what it left is gone; rejects if it did not start. */
  exited(): Promise<StepExit>;
  /** Resolves when nothing of it is alive. Single flight. */
  kill(): Promise<void>;
  killNow(): void;
}

/**
 * One command line in a shell of its own, at the head of a process group of its own: whatever it
 * starts is reached by one signal, and nothing of it outlives the step. Out of reach is only what
 * moves itself to another group.
 */
export class StepProcess implements Step {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #options: StepOptions;
  readonly #exit: Promise<StepExit>;
  readonly #closed: Promise<boolean>;
  #killing: Promise<void> | undefined;
  #isOver = false;

  constructor(command: string, options: StepOptions) {
    this.#options = options;
    this.#child = spawn(command, {
      cwd: options.cwd,
      shell: options.shell ?? true,
      detached: !onWindows,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#read('stdout');
    this.#read('stderr');
    this.#closed = once(this.#child, 'close').then(
      () => true,
      () => true,
    );
    this.#exit = once(this.#child, 'exit').then(([code, signal]) => {
      const killed = this.#killing !== undefined;
      // What is left in the pipes is little: it is not held back, so that they can close.
      this.#isOver = true;
      this.#child.stdout.resume();
      this.#child.stderr.resume();
      return { code, signal, killed };
    });
    this.#exit.catch(() => {});
  }

  async exited(): Promise<StepExit> {
    const exit = await this.#exit;
    await this.kill();
    return exit;
  }

  /** SIGTERM to the group, SIGKILL to what is left of it after the grace. */
  kill(): Promise<void> {
    return (this.#killing ??= this.#kill());
  }

  killNow(): void {
    this.#signal('SIGKILL');
  }

  async #kill(): Promise<void> {
    this.#signal('SIGTERM');
    await this.#closedWithin(this.#options.graceMs);
    this.#signal('SIGKILL');
    if (await this.#closedWithin(this.#options.graceMs)) return;
    // A process that left the group may hold the pipes; it shall not hold the turn.
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #read(name: StreamName): void {
    const stream = this.#child[name];
    stream.setEncoding('utf8').on('data', (text: string) => {
      const room = this.#options.onOutput?.(name, text);
      if (!room || this.#isOver) return;
      stream.pause();
      void room.then(() => stream.resume());
    });
  }

  async #closedWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
    const closed = await Promise.race([this.#closed, late]);
    timer.abort();
    return closed;
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (onWindows) {
      spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).on(
        'error',
        () => {},
      );
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone.
    }
  }
}
