import { OperationLease } from './admission.js';
import { ExecutionClaim } from './claim.js';
import { RuntimeCore } from './core.js';
import { asyncDisposable, disposable } from './dispose.js';
import { AdmissionPermit } from './limiter.js';
import { OperationJournal } from './operations/journal.js';
import { OperationLogs } from './operations/logs.js';

for (const type of [AdmissionPermit, ExecutionClaim, OperationLease, RuntimeCore]) disposable(type);
for (const type of [OperationJournal, OperationLogs]) asyncDisposable(type);

export {
  ApplicationOperationService,
  OperationLease,
  sessionOperationExclusivityKey,
} from './admission.js';
export type { ApplicationOperationRequest } from './admission.js';
export { ExecutionClaim } from './claim.js';
export type { ClaimPhase } from './claim.js';
export type { CoreError, CoreErrorCode, OperationErrorCode } from './codes.js';
export { RuntimeCore } from './core.js';
export type { RuntimeCoreOptions, ScopedCoreOptions } from './core.js';
export {
  ApplicationOperationBusyError,
  ResultRefused,
  SessionBusyError,
  SubmissionRefused,
  TenureError,
} from './errors.js';
export { BackendGeneration } from './generation.js';
export type { GenerationPhase } from './generation.js';
export { BackendInvalidation } from './invalidation.js';
export { AdmissionLimiter, AdmissionPermit } from './limiter.js';
export { setLogger } from './log.js';
export type { LogEvent, LoggerOptions, LogLevel } from './log.js';
export { StopDelivery, StopMember, StopOperation } from './operation.js';
export type { StopProjection } from './operation.js';
export { inputDigest, journalKey, operationDescriptor } from './operations/functions.js';
export type { DescriptorOptions, OperationDescriptor } from './operations/functions.js';
export { OperationJournal } from './operations/journal.js';
export type { InMemoryOptions, JournalOptions } from './operations/journal.js';
export { OperationLogs } from './operations/logs.js';
export type { FollowOptions } from './operations/logs.js';
export type { ExportOptions } from './operations/transfer.js';
export { OperationRunner } from './operations/runner.js';
export type { JobAdapter, Observation, RunnerOptions } from './operations/runner.js';
export { OperationService } from './operations/service.js';
export type {
  Authority,
  OperationAnswers,
  OperationCall,
  OperationCalls,
  PlanDraft,
  ServiceOptions,
  Verb,
} from './operations/service.js';
export type {
  CancelIntent,
  ForgetOptions,
  JournalProblem,
  JournalStats,
  JsonObject,
  JsonSchema,
  JsonValue,
  OperationBounds,
  OperationLog,
  OperationPage,
  OperationPatch,
  OperationPlan,
  OperationState,
  OperationStatus,
  PageOptions,
  PlainInput,
  Reservation,
  Resolution,
  ScopeCounts,
  Submission,
  WatchOptions,
} from './operations/values.js';
export { InteractionRequest } from './request.js';
export { SteeringTurn } from './steering.js';
export { StopAttempt } from './stop.js';
export type {
  ApplicationOperationRegistration,
  CoreTypes,
  Outcome,
  QueueSnapshot,
  RunIdentity,
  SteeringMessage,
} from './values.js';
