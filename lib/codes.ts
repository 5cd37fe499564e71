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
  readonly code: CoreErrorCode;
}
