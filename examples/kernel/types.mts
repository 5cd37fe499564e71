import type { CoreTypes, QueueSnapshot, RuntimeCore } from 'tenure';
import type { EndRecord, RunRecord, TurnRecord } from './ledger.mts';
import type { Checkpoint, History, Placed } from './history.mts';
import type { Run } from './run.mts';

/** What rides on the core's handles. The core reads nothing of it but the three ids of a run. */
export interface KernelTypes extends CoreTypes {
  run: Run;
  backend: Backend;
  header: BackendHeader;
  stopInput: StopInput;
  lineage: Lineage;
  message: TurnRecord;
  checkpoint: Placed;
  start: RunRecord;
}

export type Core = RuntimeCore<KernelTypes>;

export type RunKind = 'turn' | 'child' | 'continuation' | 'compaction';

/** `immediate` kills the step that runs; `after_step` lets it end and takes no further one. */
export type StopMode = 'immediate' | 'after_step';

export interface StopInput {
  readonly mode: StopMode;
  /** Who asked, as the ledger is to say it. */
  readonly source: string;
}

export interface Lineage {
  readonly parentTurnId?: string;
  readonly continues?: string;
}

// -- what a turn says ---------------------------------------------------------

export type Phase = 'claimed' | 'waiting' | 'attached' | 'reserved' | 'running';

export interface StepResult {
  readonly command: string;
  /** `killed` if a stop ended it: it counts as not done. */
  readonly ended: 'exited' | 'killed';
  readonly code: number | null;
  readonly signal: string | null;
  readonly bytes: number;
  /** The end of what it printed. */
  readonly tail: string;
  /** Why there is neither a code nor a signal. */
  readonly error?: string;
}

/** Where a step stands: the same at each attempt to run it, or to learn what became of it. */
export interface StepPlace {
  readonly runId: string;
  /** How many steps of the run have ended before it. */
  readonly index: number;
}

/**
 * What became of a step that was begun and is not in the ledger, as after a crash; undefined if none
 * was. Throws while nobody knows.
 */
export type LeftStep = (place: StepPlace) => Promise<StepResult | undefined>;

export type RunEvent =
  | { readonly type: 'phase'; readonly phase: Phase; readonly generation?: number }
  | { readonly type: 'step'; readonly command: string }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'step_end'; readonly result: StepResult }
  /** The text is in the ledger and becomes the turn's next steps. */
  | { readonly type: 'steered'; readonly text: string }
  /** The text did not reach the ledger and is queued again. */
  | { readonly type: 'not_steered'; readonly text: string }
  | ({ readonly type: 'queue' } & QueueSnapshot)
  /** Queued texts that nobody will run: the reader has them back. */
  | { readonly type: 'returned'; readonly texts: readonly string[] }
  | { readonly type: 'stopping'; readonly mode: StopMode; readonly source: string }
  | { readonly type: 'stop_failed'; readonly error: unknown }
  | { readonly type: 'dispose_failed'; readonly error: unknown }
  | { readonly type: 'compacted'; readonly checkpoint: Checkpoint }
  | { readonly type: 'end'; readonly outcome: EndRecord['outcome']; readonly error?: unknown };

export type KernelEvent = RunEvent & {
  readonly sessionId: string;
  /** Absent in what concerns the session and no turn of it. */
  readonly turnId?: string;
  readonly kind?: RunKind;
};

// -- the backend --------------------------------------------------------------

export interface BackendHeader {
  readonly startedAt: number;
}

/** The kernel's side of one run, as its backend sees it. */
export interface BackendRun {
  readonly steps: readonly string[];
  /** Of the next step. */
  place(): StepPlace;
  emit(event: RunEvent): void;
  /** See EventChannel. */
  room(): Promise<void> | undefined;
  /** Whether the run still owns its backend; asked before each step. */
  mayContinue(): boolean;
  /** Resolves when the result is durable. */
  stepEnded(result: StepResult): Promise<void>;
  /** What was steered into the turn since the last step: further prompts. */
  takeSteering(): Promise<string[]>;
}

export type Fault = 'stop' | 'dispose';

export interface Backend {
  /** Resolves when the run has ended, to whether it came to its end. */
  run(run: BackendRun): Promise<'completed' | 'stopped'>;
  compact(history: History): Promise<Checkpoint>;
  /** Resolves when nothing of a stopped step is alive. A stronger mode overrules a weaker one. */
  stop(mode: StopMode): Promise<void>;
  dispose(): Promise<void>;
  /** The last resort when the process exits: without waiting, without failing. */
  killNow(): void;
  /** The next stop, or the next disposal, fails. */
  failNext(fault: Fault): void;
}

export interface BackendContext {
  readonly sessionId: string;
  readonly route: string | undefined;
  /** Aborted when a stop comes while the backend is being built. */
  readonly signal: AbortSignal;
}

export type StartBackend = (context: BackendContext) => Promise<Backend>;
