export type KernelErrorCode =
  | 'ERR_COMPACTION_BUSY'
  | 'ERR_CONTINUATION_STALE'
  | 'ERR_CONTINUATION_TAKEN'
  | 'ERR_DISPOSAL_FAILED'
  | 'ERR_PROMPT_EMPTY'
  | 'ERR_STEP_UNSETTLED'
  | 'ERR_STOP_FAILED';

/** What this kernel refuses by itself. What the core refuses comes as the core's own error. */
export class KernelError extends Error {
  readonly code: KernelErrorCode;

  constructor(code: KernelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KernelError';
    this.code = code;
  }
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** One error for one failure, an AggregateError for several. */
export function oneError(failures: readonly unknown[], message: string): unknown {
  return failures.length === 1 ? failures[0] : new AggregateError(failures, message);
}
