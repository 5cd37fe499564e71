import { createHash } from 'node:crypto';
import type { OperationStatus } from 'tenure';
import {
  KernelError,
  tailKept,
  type Step,
  type StepExit,
  type StepOptions,
  type StepPlace,
  type StepResult,
} from '../kernel/index.mts';
import { isTerminal, isUncertain, type Operations } from './operations.mts';

/**
 * One command line of a turn, as an operation: this program may die while it runs, and its next
 * life finds it. Nothing of it outlives the step, unless the program itself is killed.
 */
export class OperationStep implements Step {
  readonly #operations: Operations;
  readonly #operationId: string;
  readonly #started: Promise<OperationStatus>;
  readonly #exit: Promise<StepExit>;
  #killing: Promise<void> | undefined;

  constructor(operations: Operations, place: StepPlace, command: string, options: StepOptions) {
    this.#operations = operations;
    this.#operationId = operationIdOf(place);
    const input = { command, cwd: options.cwd, runId: place.runId };
    this.#started = operations.start(this.#operationId, input);
    this.#exit = this.#run(options.onOutput);
    this.#exit.catch(() => {});
  }

  /** Rejects if it could not be started, or nobody knows whether it was. */
  exited(): Promise<StepExit> {
    return this.#exit;
  }

  kill(): Promise<void> {
    return (this.#killing ??= this.#kill());
  }

  killNow(): void {
    try {
      this.#operations.killNow(this.#operationId);
    } catch {
      // It was refused, or it has ended.
    }
  }

  async #run(onOutput: StepOptions['onOutput']): Promise<StepExit> {
    const { operationId } = await this.#started;
    for await (const text of this.#operations.output(operationId)) await onOutput?.('stdout', text);
    const status = await this.#operations.ended(operationId);
    if (isUncertain(status)) throw unsettled(status);
    if (status.submission === 'refused') throw new Error(status.error ?? 'It was refused');
    if (this.#operations.logEnd(operationId).isCut) {
      await onOutput?.('stderr', 'The log is full: what came after this was not kept.\n');
    }
    return { ...exitOf(status), killed: this.#killing !== undefined };
  }

  async #kill(): Promise<void> {
    const started = await this.#started.catch(() => undefined);
    if (started) await this.#operations.cancel(started.operationId);
    await this.#exit.catch(() => {});
  }
}

/**
 * What became of a step that an earlier life of this program began and did not write down; undefined
 * if it began none. Throws ERR_STEP_UNSETTLED while that is not known.
 */
export async function leftStep(
  operations: Operations,
  place: StepPlace,
): Promise<StepResult | undefined> {
  const operationId = operationIdOf(place);
  const status = operations.status(operationId);
  if (!status) return undefined;
  if (!isTerminal(status.state)) throw unsettled(status);
  let output = '';
  for await (const text of operations.output(operationId)) output += text;
  return {
    ...exitOf(status),
    command: operations.command(operationId),
    ended: status.state === 'cancelled' ? 'killed' : 'exited',
    bytes: Buffer.byteLength(output),
    tail: output.slice(-tailKept),
  };
}

/** The same step is the same operation, whichever life of the program asks for it. */
function operationIdOf({ runId, index }: StepPlace): string {
  // Short, since it is typed. Were two runs ever to share it, the digest of the input would differ.
  return `${createHash('sha256').update(runId).digest('hex').slice(0, 8)}-${index}`;
}

function exitOf({ state, result, error }: OperationStatus): Omit<StepExit, 'killed'> {
  const { code, signal } = result ?? {};
  return {
    code: typeof code === 'number' ? code : result === null && state === 'succeeded' ? 0 : null,
    signal: typeof signal === 'string' ? signal : null,
    ...(result === null && error !== null ? { error } : {}),
  };
}

function unsettled(status: OperationStatus): KernelError {
  const { operationId } = status;
  const what = isUncertain(status)
    ? `may or may not have been started: see /log ${operationId}, then /resolve ${operationId}`
    : `has not ended: see /log ${operationId}`;
  return new KernelError(
    'ERR_STEP_UNSETTLED',
    `The step is operation ${operationId}, which ${what}`,
  );
}
