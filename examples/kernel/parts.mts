import type { BackendGeneration, ExecutionClaim, Outcome } from 'tenure';
import type { Records } from './records.mts';
import type { Core, KernelEvent, KernelTypes, LeftStep, StartBackend } from './types.mts';

export type Claim = ExecutionClaim<KernelTypes>;
export type Generation = BackendGeneration<KernelTypes>;

/** What all parts of the kernel share. The facts are in the core; the rest is its neighbours. */
export interface Parts {
  readonly core: Core;
  readonly records: Records;
  readonly startBackend: StartBackend;
  readonly leftStep: LeftStep;
  readonly newId: () => string;
  readonly now: () => number;
  /** How long a stop waits for a backend that is being built to notice it. */
  readonly patienceMs: number;
  /** Hears what concerns a session while no turn of it is there to hear it. */
  readonly onEvent: (event: KernelEvent) => void;
}

export const OK: Outcome = { ok: true };
