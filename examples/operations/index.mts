export { leftStep, OperationStep } from './operation-step.mts';
export { isTerminal, isUncertain, Operations, type OperationsOptions } from './operations.mts';
export type { CommandInput } from './schemas.mts';
export { ShellJobAdapter, type ShellJobOptions } from './shell-job-adapter.mts';
