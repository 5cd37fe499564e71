import { setImmediate } from 'node:timers';
import { runInThisContext } from 'node:vm';
import binding from './binding.js';
import type { CoreErrorCode } from './codes.js';
import { SessionBusyError, TenureError } from './errors.js';
import { flushSoon } from './log.js';

/** The slot of nothing, and the number of a core that is closed. */
export const NONE = 0xffffffff;

/** Handles by slot: found again for the same thing, never asked for a decision. */
export const handles: unknown[] = [];

let numbers = new Uint32Array(64);

/** The array that a call may answer a list into. */
export const target = (): Uint32Array => numbers;

/** The list that the last call has kept, copied. */
export function keptList(count: number): number[] {
  binding.lastList(numbers);
  return list(count);
}

/** The list of the last call, copied: the array is used again by the next one. */
export function list(count: number): number[] {
  const from = listed(count);
  const copy: number[] = [];
  for (let index = 0; index < count; index += 1) copy.push(from[index] as number);
  return copy;
}

/** The same, not copied: to be read before anything else is called. */
export function listed(count: number): Uint32Array {
  if (count > numbers.length) {
    numbers = new Uint32Array(count * 2);
    binding.lastList(numbers);
  }
  return numbers;
}

/** Acts on what calls have caused: set by effects.ts, which knows the handles. */
export let drain: (gone?: number) => void = () => {};
export const onDrain = (act: (gone?: number) => void): void => {
  drain = act;
};

/** The value of a coded answer, once its effects are acted on. Negative: a refusal. */
export function value(coded: number): number {
  if ((coded & 1) !== 0) drain();
  return coded >> 1;
}

/** What the message of a refusal may speak of. */
export interface Subject {
  readonly sessionId?: string;
  readonly runId?: string;
  readonly requestId?: string;
  readonly generationId?: number;
}

const PHASES = ['pending', 'attached', 'reserved', 'released', 'failed'];

type Message = (subject: Subject, detail: number) => string;

const stale: Message = (subject, detail) =>
  `Backend generation ${detail || subject.generationId} no longer owns activation for session ${subject.sessionId}`;

/** By the name of the reason; the numbers and codes come from Rust. */
const MESSAGES: Readonly<Record<string, Message>> = {
  Internal: () => 'A fault of tenure itself: this session refuses further calls',
  Closed: () => 'The core is closed',
  InvalidThis: () => 'Called on something that is not its handle',
  SessionStopping: ({ sessionId }) =>
    `Session ${sessionId} is stopping and cannot admit a new execution`,
  ClaimForeign: ({ sessionId }) =>
    `Execution claim does not own pending admission for session ${sessionId}`,
  AttachPhase: ({ runId }, phase) =>
    `Execution claim cannot attach Run ${runId} from phase ${PHASES[phase]}`,
  AttachBarrier: ({ runId }) =>
    `Execution claim cannot attach Run ${runId} while a session mutation is ahead of it`,
  ReservePhase: ({ runId }, phase) =>
    runId === undefined
      ? `Execution claim has no attached Run in phase ${PHASES[phase]}`
      : `Execution claim does not own attached Run ${runId}`,
  SettlePhase: ({ runId }, phase) =>
    runId === undefined
      ? `Execution claim has no attached Run in phase ${PHASES[phase]}`
      : `Execution claim cannot settle reserved Run ${runId}`,
  NoRun: (_, phase) => `Execution claim has no attached Run in phase ${PHASES[phase]}`,
  NoGeneration: (_, phase) =>
    `Execution claim has no reserved generation in phase ${PHASES[phase]}`,
  EnterPhase: ({ sessionId }, phase) =>
    `Execution claim cannot enter admission from phase ${PHASES[phase]} for session ${sessionId}`,
  StartPhase: (_, phase) => `Execution claim cannot commit a start in phase ${PHASES[phase]}`,
  RequestPhase: ({ requestId }, phase) =>
    `Execution claim cannot open request ${requestId} in phase ${PHASES[phase]}`,
  StartCommitted: () => 'Execution claim has already committed its start',
  StartMissing: () => 'Execution claim has no committed start',
  StartTaken: () => 'Execution claim has already taken its start',
  GenerationStale: stale,
  RunReserved: (_, id) => `Backend generation ${id} already reserved this Run identity`,
  GenerationStopping: ({ sessionId }, id) =>
    `Backend generation ${id} is stopping for session ${sessionId}`,
  GenerationQuarantined: ({ sessionId }, id) =>
    `Backend generation ${id} is quarantined for session ${sessionId}`,
  BackendQuarantined: ({ sessionId }) =>
    `Backend generation is quarantined for session ${sessionId}`,
  GenerationForeign: ({ sessionId }) => `Backend of session ${sessionId} lives in another thread`,
  SessionQuarantined: ({ sessionId }) =>
    `Session ${sessionId} is quarantined by a retained stop operation`,
  InteractionIdentity: () => 'Interaction Run identity or ownership mismatch',
  RequestConflict: ({ requestId }) =>
    `Interaction request ${requestId} belongs to another turn or generation`,
  OperationDuplicate: ({ runId }) => `Operation ${runId} is already active`,
  AdmissionClosed: () => 'The operation service is closed',
};

const refusals = binding.refusals();

/** Numbers of the reasons that the face itself has to know. */
export const reason = (name: string): number => refusals.indexOf(name) / 2;

/** The code of a reason. */
const codeOf = (index: number): CoreErrorCode =>
  (refusals[index * 2 + 1] ?? 'ERR_INTERNAL') as CoreErrorCode;

/** The error of a reason, by its number. */
export function reasoned(index: number, subject: Subject, detail = 0): TenureError {
  const name = refusals[index * 2] ?? 'Internal';
  const message = MESSAGES[name]?.(subject, detail) ?? name;
  return new TenureError(codeOf(index), message);
}

/** The error of a refused call. */
export const refusal = (refused: number, subject: Subject): TenureError =>
  reasoned(-refused - 1, subject, binding.detail());

/** The value of a coded answer; a refusal is thrown. */
export function accepted(coded: number, subject: Subject): number {
  const given = value(coded);
  if (given < 0) throw refusal(given, subject);
  return given;
}

/** The list of a coded answer; a refusal is thrown. */
export const acceptedList = (coded: number, subject: Subject): number[] => {
  const count = coded >> 1;
  if (count < 0) throw refusal(count, subject);
  const copy = list(count);
  if ((coded & 1) !== 0) drain();
  return copy;
};

/** The strings of an answer; a refusal is thrown. */
export function acceptedTexts(answer: string[] | number, subject: Subject): string[] {
  // Strings have no room for the mark of effects; these calls cause none but an event.
  flushSoon();
  if (typeof answer !== 'number') return answer;
  throw refusal(value(answer), subject);
}

export const busy = (sessionIds: readonly string[]): SessionBusyError =>
  new SessionBusyError(Object.freeze([...sessionIds]));

/** What a callback of the caller throws is an uncaught exception and breaks no step of ours. */
export function report(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

const ignore = (): void => {};

/** A promise that nobody has to await. */
export function quiet<P>(promise: Promise<P>): Promise<P> {
  promise.catch(ignore);
  return promise;
}

/** A promise with the means to settle it. */
export class Deferred<V> {
  readonly promise: Promise<V>;
  resolve!: (value: V | PromiseLike<V>) => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise<V>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** What a task of the caller gives, a throw included. */
export function attempted<V>(task: () => V | PromiseLike<V>): Promise<V> {
  try {
    return Promise.resolve(task());
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A vm context need not have the global of Node.js: then it is the one of the thread. */
const Controller: typeof AbortController =
  globalThis.AbortController ?? (runInThisContext('AbortController') as typeof AbortController);

export const controller = (): AbortController => new Controller();
