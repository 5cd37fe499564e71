import type { RunIdentity } from 'tenure';
import { EventChannel } from './event-channel.mts';
import type { KernelEvent, Lineage, Phase, RunEvent, RunKind, StopInput } from './types.mts';

export interface RunInit extends RunIdentity {
  readonly kind: RunKind;
  readonly lineage?: Lineage;
}

/** How far a process may be ahead of the reader of its output. */
const charactersAhead = 64 * 1024;

/**
 * The value that rides on a claim: who the run is, and its line to whoever reads it. Whether it is
 * admitted, running or stopped is for the core to say.
 */
export class Run implements RunIdentity {
  readonly sessionId: string;
  readonly runId: string;
  readonly turnId: string;
  readonly kind: RunKind;
  readonly lineage: Lineage;
  readonly events = new EventChannel<KernelEvent>({
    highWaterMark: charactersAhead,
    size: (event) => (event?.type === 'output' ? event.text.length : 1),
  });
  readonly #abandon = new AbortController();

  constructor({ sessionId, runId, turnId, kind, lineage = {} }: RunInit) {
    this.sessionId = sessionId;
    this.runId = runId;
    this.turnId = turnId;
    this.kind = kind;
    this.lineage = lineage;
  }

  /** Child turns and compactions are no part of the conversation: no turn record, no queue. */
  get isConversation(): boolean {
    return this.kind === 'turn' || this.kind === 'continuation';
  }

  /** Aborted when the reader has left before the end. */
  get abandoned(): AbortSignal {
    return this.#abandon.signal;
  }

  emit(event: RunEvent): void {
    const { sessionId, turnId, kind } = this;
    this.events.push({ ...event, sessionId, turnId, kind });
  }

  phase(phase: Phase, generation?: number): void {
    this.emit({ type: 'phase', phase, ...(generation === undefined ? {} : { generation }) });
  }

  stopping({ mode, source }: StopInput): void {
    this.emit({ type: 'stopping', mode, source });
    this.events.letFlow();
  }

  abandon(reason: Error): void {
    this.events.letFlow();
    this.#abandon.abort(reason);
  }
}
