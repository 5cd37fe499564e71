import { compacted, stepsOf, type Checkpoint, type History } from './history.mts';
import { StepProcess, type Step, type StepOptions, type StreamName } from './step-process.mts';
import type {
  Backend,
  BackendContext,
  BackendRun,
  Fault,
  StepPlace,
  StepResult,
  StopMode,
} from './types.mts';

/** How the steps of turns are run. */
export type StartStep = (place: StepPlace, command: string, options: StepOptions) => Step;

export interface ShellOptions {
  readonly cwd?: string;
  readonly shell?: string;
  readonly graceMs?: number;
  /** A command that each backend runs, and waits for, before its first turn. */
  readonly warmUp?: () => string | undefined;
  /** Default: as a process that does not outlive this one. */
  readonly startStep?: StartStep;
}

/** How much of the end of its output is kept with the result of a step. */
export const tailKept = 400;

/** Runs prompts: each of their lines is one step, and each step a process. One run at a time. */
export class ShellBackend implements Backend {
  readonly #options: StepOptions;
  readonly #startStep: StartStep;
  #step: Step | undefined;
  #run: Promise<unknown> | undefined;
  #stop: StopMode | undefined;
  #faults: Fault[] = [];

  private constructor(options: StepOptions, startStep: StartStep) {
    this.#options = options;
    this.#startStep = startStep;
  }

  static async start(options: ShellOptions, { signal }: BackendContext): Promise<ShellBackend> {
    const { cwd = process.cwd(), graceMs = 2000, shell, warmUp } = options;
    signal.throwIfAborted();
    const { startStep = (_place, command, step) => new StepProcess(command, step) } = options;
    const backend = new ShellBackend({ cwd, graceMs, ...(shell ? { shell } : {}) }, startStep);
    const onAbort = (): void => void backend.dispose();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      // A shell that cannot be started is found out here and not in a turn.
      const code = await backend.#warmUp(warmUp?.() ?? 'exit 0');
      signal.throwIfAborted();
      if (code !== 0) throw new Error(`The backend's warm-up ended with code ${code}`);
      return backend;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async run(run: BackendRun): Promise<'completed' | 'stopped'> {
    this.#stop = undefined;
    const running = this.#takeSteps(run);
    this.#run = running.catch(() => {});
    try {
      return await running;
    } finally {
      this.#run = undefined;
    }
  }

  async compact(history: History): Promise<Checkpoint> {
    return compacted(history);
  }

  async stop(mode: StopMode): Promise<void> {
    this.#failIfTold('stop');
    if (this.#stop !== 'immediate') this.#stop = mode;
    if (mode === 'immediate') await this.#step?.kill();
    await this.#run;
  }

  async dispose(): Promise<void> {
    this.#stop = 'immediate';
    await this.#step?.kill();
    await this.#run;
    this.#failIfTold('dispose');
  }

  killNow(): void {
    this.#step?.killNow();
  }

  failNext(fault: Fault): void {
    this.#faults.push(fault);
  }

  async #takeSteps(run: BackendRun): Promise<'completed' | 'stopped'> {
    const left = [...run.steps];
    const isStopped = (): boolean => this.#stop !== undefined || !run.mayContinue();
    for (let command = left.shift(); command !== undefined; command = left.shift()) {
      if (isStopped()) return 'stopped';
      const result = await this.#take(command, run);
      await run.stepEnded(result);
      if (isStopped()) return 'stopped';
      left.unshift(...(await run.takeSteering()).flatMap(stepsOf));
    }
    return 'completed';
  }

  async #take(command: string, run: BackendRun): Promise<StepResult> {
    let bytes = 0;
    let tail = '';
    const onOutput = (stream: StreamName, text: string): Promise<void> | undefined => {
      bytes += Buffer.byteLength(text);
      tail = (tail + text).slice(-tailKept);
      run.emit({ type: 'output', stream, text });
      return run.room();
    };
    run.emit({ type: 'step', command });
    this.#step = this.#startStep(run.place(), command, { ...this.#options, onOutput });
    try {
      const { killed, ...exit } = await this.#step.exited();
      return { command, ended: killed ? 'killed' : 'exited', ...exit, bytes, tail };
    } finally {
      this.#step = undefined;
    }
  }

  async #warmUp(command: string): Promise<number | null> {
    this.#step = new StepProcess(command, this.#options);
    try {
      return (await this.#step.exited()).code;
    } finally {
      this.#step = undefined;
    }
  }

  #failIfTold(fault: Fault): void {
    const at = this.#faults.indexOf(fault);
    if (at < 0) return;
    this.#faults.splice(at, 1);
    throw new Error(`The backend was told to fail its ${fault}`);
  }
}
