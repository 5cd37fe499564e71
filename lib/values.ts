/** A run: the three strings by which the core knows it. */
export interface RunIdentity {
  /** Non-empty; so are the others. */
  readonly sessionId: string;
  /** Unique on a backend generation. */
  readonly runId: string;
  /** Unique on a backend generation: the turn that is steered and looked up. */
  readonly turnId: string;
}

/**
 * The caller's own types, opaque to the core: stored by reference and handed back unchanged. Override
 * by `interface Mine extends CoreTypes` and name it once, as `RuntimeCore<Mine>`.
 */
export interface CoreTypes {
  /** What `attach` takes: a run, with whatever else of yours it has. */
  run: RunIdentity;
  /** Hosted interaction owner of exactly one run. */
  interaction: RunIdentity;
  /** One instance of a backend, as `createGeneration` takes it. */
  backend: object;
  /** `cachedHeader` of a generation. */
  header: object;
  /** What a stop is asked with. In a scope it crosses to other members as JSON. */
  stopInput: object;
  /** What the projection of a stopped turn carries. */
  lineage: object;
  /** What you make of a projection, kept across retries. */
  message: object;
  /** What `loadCheckpoint` and `storeCheckpoint` keep. */
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
  /** Of the lease; what `ack` and `nack` take. The id that `newId` gave. */
  readonly id: string;
  /** The same, for whoever stores the message. */
  readonly messageId: string;
  /** The text as it was steered. */
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
  /** Unique among the active operations of its registry. */
  readonly operationId: string;
  /** Opaque: who interprets and controls the operation. */
  readonly ownerId: string;
  /** `null`: application-wide work. */
  readonly sessionId: string | null;
}
