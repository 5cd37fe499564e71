/** What the core refuses with; see docs/errors.md for each. */
export type CoreErrorCode =
  | 'ERR_ADMISSION_CLOSED'
  | 'ERR_CLAIM_FOREIGN'
  | 'ERR_CLAIM_PHASE'
  | 'ERR_CLAIM_START'
  | 'ERR_CLOSED'
  | 'ERR_EXECUTION_CANCELLED'
  | 'ERR_GENERATION_FAILED'
  | 'ERR_GENERATION_FOREIGN'
  | 'ERR_GENERATION_QUARANTINED'
  | 'ERR_GENERATION_STALE'
  | 'ERR_GENERATION_STOPPING'
  | 'ERR_INTERACTION_IDENTITY'
  | 'ERR_INTERNAL'
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_INVALID_THIS'
  | 'ERR_INVALIDATION_FAILED'
  | 'ERR_OPERATION_BUSY'
  | 'ERR_OPERATION_DUPLICATE'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_REQUEST_CONFLICT'
  | 'ERR_RUN_RESERVED'
  | 'ERR_SESSION_BUSY'
  | 'ERR_SESSION_QUARANTINED'
  | 'ERR_SESSION_STOPPING';

/** An error of the core: told by its `code`, whatever copy of the package made it. */
export interface CoreError extends Error {
  /** What to test. */
  readonly code: CoreErrorCode;
}

/** What the durable rooms refuse with, besides ERR_INTERNAL and wrong arguments; see docs/errors.md. */
export type OperationErrorCode =
  | 'ERR_AUTHORITY'
  | 'ERR_BACKUP_EXISTS'
  | 'ERR_CALL_SHAPE'
  | 'ERR_CLOSED'
  | 'ERR_FENCE_FULL'
  | 'ERR_INPUT_REFUSED'
  | 'ERR_JOURNAL_CORRUPT'
  | 'ERR_JOURNAL_IO'
  | 'ERR_JOURNAL_LOCKED'
  | 'ERR_JOURNAL_OPTIONS'
  | 'ERR_JOURNAL_VERSION'
  | 'ERR_LOG_IO'
  | 'ERR_OPERATION_CONFLICT'
  | 'ERR_OPERATION_RETIRED'
  | 'ERR_OPERATION_TERMINAL'
  | 'ERR_OPERATION_TRANSITION'
  | 'ERR_OPERATION_UNKNOWN'
  | 'ERR_PLAN_EXPIRED'
  | 'ERR_PLAN_FAILED'
  | 'ERR_PLAN_MISMATCH'
  | 'ERR_QUEUE_FULL'
  | 'ERR_RESULT_REFUSED'
  | 'ERR_SCHEMA_INVALID'
  | 'ERR_SCOPE_OWNED'
  | 'ERR_SUBMISSION_REFUSED';
