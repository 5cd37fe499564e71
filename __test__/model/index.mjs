// A reference model of the ownership core in plain JavaScript: Maps and arrays, simple rather than
// fast. The property tests compare the package with it.
export { CoreError, ApplicationOperationBusyError, SessionBusyError } from './errors.mjs';
export { RuntimeCore } from './core.mjs';
export { ExecutionClaim } from './claim.mjs';
export { StopAttempt } from './stop.mjs';
export { StopOperation, StopMember, StopDelivery } from './operation.mjs';
export { SteeringTurn } from './steering.mjs';
export { InteractionRequest } from './request.mjs';
export { AdmissionLimiter, AdmissionPermit } from './limiter.mjs';
export { BackendGeneration } from './generation.mjs';
export { BackendInvalidation } from './rooms.mjs';
export {
  ApplicationOperationService,
  OperationLease,
  sessionOperationExclusivityKey,
} from './admission.mjs';
