/** A run: the three strings by which the core knows it. */
export interface RunIdentity {
  readonly sessionId: string;
  readonly runId: string;
  readonly turnId: string;
}

/**
 * The caller's own types, opaque to the core: stored by reference and handed back unchanged. Override
 * by `interface Mine extends CoreTypes` and name it once, as `RuntimeCore<Mine>`.
 */
export interface CoreTypes {
  run: RunIdentity;
  /** Hosted interaction owner of exactly one run. */
  interaction: RunIdentity;
  backend: object;
  header: object;
  stopInput: object;
  lineage: object;
  message: object;
  checkpoint: object;
  /** What a turn asks a person. */
  request: object;
  /** What the commit of a continuation's start resolves to. */
  start: object;
}

/** How something ended. */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

/** A message leased to a turn, which must `ack` or `nack` it by its `id`. */
export interface SteeringMessage {
  readonly id: string;
  readonly messageId: string;
  readonly content: { readonly text: string };
}

/** What is not yet in the transcript. */
export interface QueueSnapshot {
  /** The turn that owns the queue. */
  readonly turnId: string;
  /** Leased and unsettled texts first, then queued ones. */
  readonly steering: string[];
  /** Texts for the next turn. */
  readonly followup: string[];
}

/** An active application operation, and all that is known of it: existence means active. */
export interface ApplicationOperationRegistration {
  readonly operationId: string;
  /** Opaque: who interprets and controls the operation. */
  readonly ownerId: string;
  /** `null`: application-wide work. */
  readonly sessionId: string | null;
}
