import binding from './binding.js';
import { strings } from './arguments.js';
import type { Acting } from './effects.js';
import { MAKER, closedError, invalidThis, made } from './errors.js';
import {
  NONE,
  accepted,
  acceptedList,
  acceptedTexts,
  drain,
  handles,
  keptList,
  listed,
  refusal,
  report,
  target,
  value,
} from './native.js';
import type { QueueSnapshot, SteeringMessage } from './values.js';

const SEALED = -1;
const CLOSED = -2;

/** The words of a message by its slot: Rust keeps the order and who holds it. */
export interface Memo {
  /** Empty for a followup. */
  readonly id: string;
  readonly text: string;
}

/** A lease that a handle pulled, as long as it may be its to settle. */
interface Leased {
  readonly memo: Memo;
  readonly lease: number;
}

const gone = ({ memo, lease }: Leased): boolean => handles[lease] !== memo;

const textAt = (slot: number): string => (handles[slot] as Memo).text;

const message = (id: string, text: string): SteeringMessage => ({
  id,
  messageId: id,
  content: { text },
});

interface Queue {
  readonly _number: number;
  readonly _shared: boolean;
  _entry(sessionId: string): number;
}

/** The queue as it is. */
export function snapshot(queue: Queue, sessionId: string, turnId: string): QueueSnapshot {
  const entry = queue._entry(sessionId);
  if (queue._shared) {
    const steering = acceptedTexts(binding.snapshotSaid(entry, false), { sessionId });
    const followup = acceptedTexts(binding.snapshotSaid(entry, true), { sessionId });
    return { turnId, steering, followup };
  }
  const count = accepted(binding.snapshot(entry, target()), { sessionId });
  const slots = listed(count);
  const leased = (slots[0] as number) + 1;
  const steering: string[] = [];
  const followup: string[] = [];
  for (let index = 1; index < count; index += 1)
    (index < leased ? steering : followup).push(textAt(slots[index] as number));
  return { turnId, steering, followup };
}

/** Takes the texts of followups, and before them of queued messages when retracting. */
export function takeQueue(queue: Queue, sessionId: string, retract: boolean): string[] {
  const entry = queue._entry(sessionId);
  if (queue._shared) {
    const texts = binding.takeQueueSaid(entry, retract);
    const taken = acceptedTexts(texts, { sessionId });
    // A list of strings has no room for the mark of effects.
    value(1);
    return taken;
  }
  const coded = binding.takeQueue(entry, retract, target());
  if (coded === 0) return [];
  // The slots are free already: their words are read before anything else happens.
  const taken = acceptedList(coded & ~1, { sessionId }).map((slot) => {
    const text = textAt(slot);
    handles[slot] = undefined;
    return text;
  });
  value(coded & 1);
  return taken;
}

/**
 * A turn's access to its session's queue. Made by {@link RuntimeCore.openSteeringTurn}; belongs to the
 * core and thread that made it. Leases are bound to the turn id, not to ownership. Seed 3.
 */
export class SteeringTurn implements Acting {
  /** Whose queue it is. */
  readonly sessionId: string;
  /** To which leases are bound. */
  readonly turnId: string;
  private readonly _core: Queue;
  /** @internal The slot, or sealed: found again by the turn's id. */
  _turn: number;
  private readonly _onUpdate: ((snapshot: QueueSnapshot) => void) | undefined;
  /** What this handle pulled and has not settled: where to look first for an id. */
  private _leases: Leased[] = [];

  private constructor(
    maker: symbol,
    core: Queue,
    sessionId: string,
    turnId: string,
    slot: number,
    onUpdate: ((snapshot: QueueSnapshot) => void) | undefined,
  ) {
    made(maker, 'SteeringTurn');
    this._core = core;
    this.sessionId = sessionId;
    this.turnId = turnId;
    this._turn = slot;
    this._onUpdate = onUpdate;
  }

  /** @internal */
  static _make(
    core: Queue,
    sessionId: string,
    turnId: string,
    slot: number,
    onUpdate: ((snapshot: QueueSnapshot) => void) | undefined,
  ) {
    const turn = new SteeringTurn(MAKER, core, sessionId, turnId, slot, onUpdate);
    handles[slot] = turn;
    return turn;
  }

  /** Leases every queued message to this turn, oldest first; nothing unless it is the owner. */
  pull(): SteeringMessage[] {
    reference(this);
    const slot = this._live();
    if (slot < 0) return [];
    if (this._core._shared) {
      const words = acceptedTexts(binding.pullSaid(slot), this);
      drain();
      const pulled: SteeringMessage[] = [];
      for (let index = 0; index < words.length; index += 2)
        pulled.push(message(words[index] as string, words[index + 1] as string));
      return pulled;
    }
    const pulled = value(binding.pull(slot));
    if (pulled < 0) throw refusal(pulled, this);
    if ((pulled & 1) !== 0) return [this._lease(pulled >> 1)];
    return pulled === 0 ? [] : keptList(pulled >> 1).map((each) => this._lease(each));
  }

  /** Ends leases of this turn: delivered. Unknown ids are ignored. */
  ack(leaseIds: readonly string[]): void {
    reference(this);
    this._settle(leaseIds, true);
  }

  /**
   * Returns leases of this turn, in the order pulled: to the front of the queue if it is the owner,
   * else to the front of the followup texts. Unknown ids are ignored.
   */
  nack(leaseIds: readonly string[]): void {
    reference(this);
    this._settle(leaseIds, false);
  }

  /**
   * Moves this turn's leases, and if it is the owner the queued messages, to the front of the followup
   * texts (delivering the snapshot) and gives ownership up. Idempotent.
   */
  release(): void {
    if (reference(this) === CLOSED || this._core._number === NONE) return;
    const slot = this._live();
    if (slot < 0) return;
    const coded = binding.releaseTurn(slot);
    if (coded >> 1 < 0) throw refusal(coded >> 1, this);
    this._settled(slot, coded >> 1, coded);
  }

  private _settle(leaseIds: readonly string[], delivered: boolean): void {
    const ids = strings(leaseIds, 'leaseIds', true);
    const slot = this._live();
    if (slot < 0 || ids.length === 0) return;
    if (this._core._shared) {
      const said = binding.settleSaid(slot, ids, delivered);
      if (said >> 1 < 0) throw refusal(said >> 1, this);
      this._settled(slot, (said >> 1) & 1, said);
      return;
    }
    const named = this._named(slot, ids);
    if (named.length === 0) return;
    const coded =
      named.length === 1
        ? binding.settleLease(slot, named[0] as number, delivered)
        : binding.settleLeases(slot, Uint32Array.from(named), delivered);
    if (coded >> 1 < 0) throw refusal(coded >> 1, this);
    // None when the one remembered had gone back to the queue: it is not this turn's to settle.
    const settled = coded >> 2 > 0;
    if (settled && delivered) for (const each of named) handles[each] = undefined;
    this._settled(slot, (coded >> 1) & 1, coded);
  }

  /** Slots of the leases with these ids: of the last pull, else asked for. */
  private _named(slot: number, ids: readonly string[]): number[] {
    if (ids.length === 1) {
      for (const { memo, lease } of this._leases)
        if (memo.id === ids[0] && handles[lease] === memo) return [lease];
    }
    const leases = acceptedList(binding.leases(slot, target()), this);
    return leases.filter((lease) => ids.includes((handles[lease] as Memo).id));
  }

  private _lease(lease: number): SteeringMessage {
    const memo = handles[lease] as Memo;
    this._leases.push({ memo, lease });
    return message(memo.id, memo.text);
  }

  /** Acts on the answer of a call that may have sealed the handle. */
  private _settled(slot: number, sealed: number, coded: number): void {
    if (sealed === 1) this._seal();
    const leases = this._leases;
    if (leases.length === 1) leases.length = 0;
    else if (leases.length > 1) this._leases = leases.filter((each) => !gone(each));
    // The last snapshot still finds the handle by its slot.
    if ((coded & 1) !== 0) drain(sealed === 1 ? slot : undefined);
    else if (sealed === 1) handles[slot] = undefined;
  }

  /** The slot; of a sealed handle a new one, if the turn's calls can have an effect again. */
  private _live(): number {
    const slot = reference(this);
    if (slot >= 0) return slot;
    if (slot === CLOSED) throw closedError();
    const revived = accepted(
      binding.reviveTurn(this._core._entry(this.sessionId), this.turnId),
      this,
    );
    if (revived === 0) return SEALED;
    this._turn = revived - 1;
    handles[this._turn] = this;
    return this._turn;
  }

  /** @internal */
  _deliver(): void {
    if (this._onUpdate === undefined) return;
    const given = snapshot(this._core, this.sessionId, this.turnId);
    try {
      this._onUpdate.call(undefined, given);
    } catch (error) {
      report(error);
    }
  }

  /** @internal */
  _seal(): void {
    this._turn = SEALED;
  }

  /** @internal */
  _end(): void {
    this._turn = CLOSED;
  }
}

function reference(self: object | undefined): number {
  const slot = (self as { _turn?: unknown } | undefined)?._turn;
  if (typeof slot !== 'number') throw invalidThis('SteeringTurn');
  return slot;
}
