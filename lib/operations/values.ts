/** What JSON can hold. What a journal gives is a fresh copy, yours to change. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
/** A JSON object. Members such as `__proto__` are members like any other. */
export interface JsonObject {
  [member: string]: JsonValue;
}

/** A JSON Schema of draft 2020-12. Another draft, or no valid schema, is `ERR_SCHEMA_INVALID`. */
export type JsonSchema = JsonObject | boolean;

/**
 * An object read as `JSON.stringify` reads it: `toJSON` honoured, own enumerable string-keyed members
 * only, undefined members dropped, boxed primitives unboxed. What `JSON.stringify` would change in
 * silence, or not finish, is refused, with the JSON Pointer of the value as the error's `path`: NaN and
 * infinities, bigints, functions, symbols, `undefined` or a hole inside an array, Maps, Sets, promises,
 * regular expressions, errors, buffers without `toJSON`, lone surrogates, an object inside itself, more
 * than 128 levels, and anything whose outermost form is no object. -0 is 0; every other number comes
 * back as the same number. Member names such as `__proto__` are members like any other.
 */
export type PlainInput = object;

/** How far an operation has come. `succeeded`, `failed` and `cancelled` are terminal. */
export type OperationState =
  'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

/**
 * What is known of the submission. `pending`: `submit` was not called. `uncertain`: it was, or may have
 * been, and no answer is known. `accepted`: the backend holds the job under `backendReference`; final.
 * `refused`: refused before anything was sent; final, and only with state `failed`.
 */
export type Submission = 'pending' | 'uncertain' | 'accepted' | 'refused';

/** What is recorded of an operation. Times are milliseconds since the Unix epoch. */
export interface OperationStatus {
  /** As it was reserved, in its scope. */
  readonly operationId: string;
  /** How far it has come. */
  readonly state: OperationState;
  /** What is known of its being sent. */
  readonly submission: Submission;
  /** In [0, 1]. */
  readonly progress: number | null;
  /** At most 64 Unicode scalar values. */
  readonly stage: string | null;
  /** 0 for the next to run; null unless waiting in this journal's queue. */
  readonly queuePosition: number | null;
  /** Time of the reservation. */
  readonly submittedAt: number;
  /** Time of the last observation; never goes back, even when the clock does. */
  readonly updatedAt: number;
  /** Equal to `updatedAt` once terminal, else null. */
  readonly finishedAt: number | null;
  /**
   * The row has not ended and the last thing known of it may be out of date: it does not wait and was
   * not observed since the journal was opened, or its last `observe` failed or timed out.
   */
  readonly stale: boolean;
  /** As given to `reserve`: what an id is compared by. */
  readonly inputDigest: string;
  /** Under which the backend holds the job; recorded once. */
  readonly backendReference: string | null;
  /** The recorded input if, with the result, it is within `inputEchoBytes`; else null. */
  readonly input: JsonObject | null;
  /** What it came to; null: nothing recorded, or not to be read. */
  readonly result: JsonObject | null;
  /** At most 256 Unicode scalar values. */
  readonly error: string | null;
}

/** A listing of a scope: at most `pageSize` rows and `frameBytes` of JSON text. */
export interface OperationPage {
  /** Newest reservation first; `input`, `result` and `backendReference` are null. */
  readonly operations: OperationStatus[];
  /** Where the listing goes on; null exactly when nothing more would be listed. */
  readonly nextOffset: number | null;
  /** Queued and running rows of the whole scope, whatever the page shows. */
  readonly active: number;
  /** Interrupted rows of the whole scope. */
  readonly outstanding: number;
}

/** A slice of a log: `text` is exactly the bytes from `offset` to `nextOffset`. */
export interface OperationLog {
  /** As it was asked for. */
  readonly operationId: string;
  /** Bytes from the beginning of the log, at the beginning of a character. */
  readonly offset: number;
  /** Where the next slice begins; `offset` again when nothing more is there yet. */
  readonly nextOffset: number;
  /** Lines were dropped at the bound. */
  readonly truncated: boolean;
  /** Whole characters, at most `logSliceBytes` bytes of them. */
  readonly text: string;
}

/** An estimate that a caller reviews before a start. */
export interface OperationPlan {
  /** `inputDigest` of the planned input without its own `planDigest` member. */
  readonly planDigest: string;
  /** 1 to 512 Unicode scalar values. */
  readonly summary: string;
  /** A whole number of at least 0; null: nobody estimated it. */
  readonly estimatedSeconds: number | null;
  /** Whole millionths of whatever the plan function counts in; null: nobody estimated it. */
  readonly estimatedCostMicrounits: number | null;
  /** From this time on a start with this plan is `ERR_PLAN_EXPIRED`. */
  readonly expiresAt: number;
  /** The input to start with, carrying `planDigest`; null if the plan chose nothing. */
  readonly input: JsonObject | null;
}

/** All optional. Integers, but for `maxRuntimeSeconds`. Bytes of values are of their canonical JSON in UTF-8. */
export interface OperationBounds {
  /** Waiting rows per scope. Default 1 000, from 1 to 1 000 000. */
  readonly maxQueued?: number;
  /** Entries of the fence, over all scopes. Default 100 000, from 1 to 10 000 000. */
  readonly maxReservations?: number;
  /** Terminal rows kept per scope. Default 1 000, from 1 to 1 000 000. */
  readonly retain?: number;
  /** Largest input. Default 262 144, from 2 to 16 777 216. */
  readonly inputBytes?: number;
  /** Bytes of input and result together up to which a status carries the input. Default 65 536, from 0 to 16 777 216. */
  readonly inputEchoBytes?: number;
  /** Largest result. Default 262 144, from 2 to 16 777 216. */
  readonly resultBytes?: number;
  /** Longest reference. Default 512, from 1 to 4 096. */
  readonly referenceBytes?: number;
  /** Rows of a page. Default 50, from 1 to 1 000. */
  readonly pageSize?: number;
  /** Largest JSON text of a page. Default 1 048 576, from 8 192 to 67 108 864. */
  readonly frameBytes?: number;
  /** Longest log; what is more is dropped. Default 1 048 576, from 1 to 1 073 741 824. */
  readonly logBytes?: number;
  /** Largest slice of a log. Default 65 536, from 4 (one character) to 16 777 216. */
  readonly logSliceBytes?: number;
  /** From `startedAt` to the cancelling. Default null: no limit. Else from 1 to 31 536 000, fractions allowed. */
  readonly maxRuntimeSeconds?: number | null;
}

/** What to change; what is left out keeps its value, null clears. */
export interface OperationPatch {
  /** See the table of {@link OperationJournal} for the moves that are allowed. */
  readonly state?: OperationState;
  /** Only onwards: `accepted` and `refused` are final. */
  readonly submission?: Submission;
  /** In [0, 1]. */
  readonly progress?: number | null;
  /** At most 64 Unicode scalar values, published as it is. */
  readonly stage?: string | null;
  /** 1 to `referenceBytes` bytes. Recorded once; a different one is `ERR_OPERATION_TRANSITION`. */
  readonly backendReference?: string;
  /** Plain JSON of at most `resultBytes`. */
  readonly result?: PlainInput | null;
  /** At most 256 Unicode scalar values, published as it is. */
  readonly error?: string | null;
}

/** What `reserve` answers: there is one operation under the id, made now or before. */
export interface Reservation {
  /** `existing`: the id was reserved before, under the same digest; nothing was written. */
  readonly outcome: 'created' | 'existing';
  /** The row as it is now. */
  readonly status: OperationStatus;
}

/** What `requestCancel` of a journal answers. */
export interface CancelIntent {
  /** `terminal`: the row had ended, and nothing was recorded. */
  readonly outcome: 'recorded' | 'terminal';
  /** The row, which an intent does not change. */
  readonly status: OperationStatus;
}

/** A person's decision on an interrupted row. */
export interface Resolution {
  /** How it ended, as that person says. */
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  /** Shown as `stage` of a succeeded row, as `error` of another, and within that field's bound. */
  readonly note?: string;
  /** Only with `succeeded`. */
  readonly result?: PlainInput;
}

/** Which rows to list. */
export interface PageOptions {
  /** 0, the default, is the newest row; else a `nextOffset`. Any other integer is a position too. */
  readonly offset?: number;
  /** List rows of this state only. An offset may be used under another filter. */
  readonly state?: OperationState;
}

/** Which ended operations to take off the fence. */
export interface ForgetOptions {
  /** Milliseconds since the Unix epoch: those that ended earlier. */
  readonly finishedBefore: number;
  /** Default `''`. */
  readonly scope?: string;
}

/** What to watch, and until when. */
export interface WatchOptions {
  /** Default `''`. */
  readonly scope?: string;
  /** This operation only, reserved yet or not. */
  readonly id?: string;
  /** Ends the watching when it aborts, without an error. */
  readonly signal?: AbortSignal;
}

/** How many rows of a scope are in each state, now. */
export interface ScopeCounts {
  /** Its name. */
  readonly scope: string;
  /** Rows that are queued. */
  readonly queued: number;
  /** Rows that are running. */
  readonly running: number;
  /** Rows that are succeeded. */
  readonly succeeded: number;
  /** Rows that are failed. */
  readonly failed: number;
  /** Rows that are cancelled. */
  readonly cancelled: number;
  /** Rows that are interrupted. */
  readonly interrupted: number;
}

/** What a journal holds and has done. */
export interface JournalStats {
  /** Scopes that have rows, in no particular order. */
  readonly scopes: ScopeCounts[];
  /** Reserved ids of all scopes, and how many more `maxReservations` admits. */
  readonly fence: { readonly used: number; readonly free: number };
  /** 0 in memory. */
  readonly fileBytes: number;
  /** Since this process opened the journal; so for the next two. */
  readonly commits: number;
  /** Times that the file was brought to the disk. */
  readonly fsyncs: number;
  /** Most writing calls that shared one commit. */
  readonly largestBatch: number;
  /** `degraded`: the last write failed and none has succeeded since. Reads go on. */
  readonly health: 'ok' | 'degraded';
}

/** A record that is damaged, or contradicts another one. It is skipped by all else, and kept. */
export interface JournalProblem {
  /** null where not even this can be read. */
  readonly scope: string | null;
  /** null where not even this can be read. */
  readonly operationId: string | null;
  /** What is wrong, in words that may change. */
  readonly message: string;
}
