import binding from './binding.js';
import type { Acting } from './effects.js';
import { MAKER, invalidThis, made } from './errors.js';
import type { BackendGeneration } from './generation.js';
import { accepted, handles } from './native.js';
import type { CoreTypes } from './values.js';

/**
 * A question that a turn waits on. Only the generation that asked may be given the answer. Made by
 * {@link ExecutionClaim.openRequest}; belongs to the core and thread that made it. Seed 3.
 */
export class InteractionRequest<T extends CoreTypes = CoreTypes> implements Acting {
  /** The session that it is open in. */
  readonly sessionId: string;
  /** Unique among the open requests of the session. */
  readonly requestId: string;
  /** The turn that waits. */
  readonly turnId: string;
  /** The backend that asked: the only one to be given the answer. */
  readonly generation: BackendGeneration<T>;
  /** @internal */
  _value: T['request'];
  /** @internal The slot, -1 once closed. */
  _request: number;

  private constructor(
    maker: symbol,
    sessionId: string,
    requestId: string,
    turnId: string,
    generation: BackendGeneration<T>,
    value: T['request'],
    slot: number,
  ) {
    made(maker, 'InteractionRequest');
    this.sessionId = sessionId;
    this.requestId = requestId;
    this.turnId = turnId;
    this.generation = generation;
    this._value = value;
    this._request = slot;
  }

  /** @internal */
  static _make<T extends CoreTypes>(
    sessionId: string,
    requestId: string,
    turnId: string,
    generation: BackendGeneration<T>,
    value: T['request'],
    slot: number,
  ) {
    return new InteractionRequest<T>(MAKER, sessionId, requestId, turnId, generation, value, slot);
  }

  /** The value it was last opened with. */
  get value(): T['request'] {
    reference(this);
    return this._value;
  }

  /** Answered, or not to be answered any more. Idempotent; a later request with the id is not touched. */
  close(): void {
    const slot = reference(this);
    if (slot < 0) return;
    accepted(binding.closeRequest(slot), this);
    handles[slot] = undefined;
    this._request = -1;
  }

  /** @internal */
  _seal(): void {
    this._request = -1;
  }

  /** @internal */
  _end(): void {
    this._request = -1;
  }
}

function reference(self: object | undefined): number {
  const slot = (self as { _request?: unknown } | undefined)?._request;
  if (typeof slot !== 'number') throw invalidThis('InteractionRequest');
  return slot;
}
