import { OperationLease } from './admission.js';
import { ExecutionClaim } from './claim.js';
import { RuntimeCore } from './core.js';
import { disposable } from './dispose.js';
import { AdmissionPermit } from './limiter.js';

for (const type of [AdmissionPermit, ExecutionClaim, OperationLease, RuntimeCore]) disposable(type);

export {
  ApplicationOperationService,
  OperationLease,
  sessionOperationExclusivityKey,
} from './admission.js';
export type { ApplicationOperationRequest } from './admission.js';
export { ExecutionClaim } from './claim.js';
export type { ClaimPhase } from './claim.js';
export type { CoreError, CoreErrorCode } from './codes.js';
export { RuntimeCore } from './core.js';
export type { RuntimeCoreOptions, ScopedCoreOptions } from './core.js';
export { ApplicationOperationBusyError, SessionBusyError, TenureError } from './errors.js';
export { BackendGeneration } from './generation.js';
export type { GenerationPhase } from './generation.js';
export { BackendInvalidation } from './invalidation.js';
export { AdmissionLimiter, AdmissionPermit } from './limiter.js';
export { setLogger } from './log.js';
export type { LogEvent, LoggerOptions, LogLevel } from './log.js';
export { StopDelivery, StopMember, StopOperation } from './operation.js';
export type { StopProjection } from './operation.js';
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
