export { KernelError, codeOf, messageOf, type KernelErrorCode } from './errors.mts';
export type { Checkpoint, Continuation, History } from './history.mts';
export {
  Kernel,
  type ChildTurnInput,
  type KernelOptions,
  type SessionState,
  type TurnInput,
} from './kernel.mts';
export { FileLedger, type Ledger, type LedgerEntry, type LedgerRecord } from './ledger.mts';
export { ShellBackend, tailKept, type ShellOptions, type StartStep } from './shell-backend.mts';
export type { Step, StepExit, StepOptions } from './step-process.mts';
export type {
  Backend,
  BackendContext,
  BackendRun,
  Fault,
  KernelEvent,
  KernelTypes,
  LeftStep,
  Phase,
  RunEvent,
  RunKind,
  StartBackend,
  StepPlace,
  StepResult,
  StopInput,
  StopMode,
} from './types.mts';
