/** The six states of an operation; a turn has the same. */
export const states = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;

export type State = (typeof states)[number];

/** An operation of a scope, or a turn of a session. Times are milliseconds since the Unix epoch. */
export interface Item {
  readonly kind: 'operation' | 'turn';
  readonly id: string;
  /** The scope of an operation, the session of a turn. */
  readonly scope: string;
  /** Which of the sources it was read from. */
  readonly source: number;
  readonly state: State;
  /** A few words for its bar. */
  readonly label?: string;
  /** When it began to wait. */
  readonly queuedAt?: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** When something was last learnt of it. */
  readonly seenAt?: number;
  /** What else there is to tell, as shown. */
  readonly facts?: readonly (readonly [name: string, value: string])[];
}

export interface Source {
  readonly kind: 'journal' | 'turns';
  readonly name: string;
}

/** All that a page shows. */
export interface TimelineData {
  /** When the page was written: what has not ended is drawn up to here. */
  readonly writtenAt: number;
  readonly sources: readonly Source[];
  readonly items: readonly Item[];
  /** What the reader of the page should know of how it was made. */
  readonly notes: readonly string[];
}
