import binding from './binding.js';
import { callable, outcome } from './arguments.js';
import { ExecutionClaim } from './claim.js';
import type { RuntimeCore } from './core.js';
import type { Acting } from './effects.js';
import { MAKER, closedError, invalidArgument, invalidThis, made } from './errors.js';
import type { BackendGeneration } from './generation.js';
import { NONE, accepted, acceptedList, handles, quiet, target, value } from './native.js';
import { Task } from './task.js';
import type { CoreTypes, Outcome } from './values.js';

const PENDING = 0;
const FAILED = 1;
const REFERS = 2;
const PAY = { status: 0, note: 1, turn: 2, terminal: 3, delivery: 4 };
const OWES_TERMINAL = 2;
const PRESENT = 1;

/** Completed operations whose handle is gone: forgotten in Rust as well. */
const forgotten = new FinalizationRegistry<{ slot: number; id: number }>(({ slot, id }) => {
  value(binding.operationDrop(slot, id));
});

/**
 * Something that a stop still has to write: that the session is aborted (`status`), that a turn is
 * (`turn`), or who stopped it (`note`). Ids, turn and lineage are fixed once, `message` is kept. `done`
 * says that it is written, and is idempotent: a projection that is done is never given again.
 */
export type StopProjection<T extends CoreTypes = CoreTypes> =
  | { readonly kind: 'status'; done(): void }
  | { readonly kind: 'note'; readonly id: string; done(): void }
  | {
      readonly kind: 'turn';
      readonly id: string;
      readonly turnId: string;
      readonly lineage: T['lineage'];
      /** The caller's to set; kept across retries, so that a message is built once. */
      message: T['message'] | undefined;
      done(): void;
    };

/**
 * What a stop still owes: one backend stop per generation (each delivered at most once), and
 * projections, each done at most once and in order: status, turns in the order retained, note; and the
 * terminal facts asked for, one per run, in any order, each tried until it lands. Retained from the
 * first `retain` to the `complete` that finds nothing owed. While retained it quarantines the session
 * and holds its generations. The handle stays usable after that. Seed 3.
 */
export class StopOperation<T extends CoreTypes = CoreTypes> implements Acting {
  /** The session that it quarantines. */
  readonly sessionId: string;
  /** Input of the attempt that opened the operation. */
  readonly input: T['stopInput'];
  /** What `now` said when it was opened. */
  readonly ts: number;
  private readonly _core: RuntimeCore<T>;
  /** @internal The slot, -1 once its core has ended. */
  _operation: number;
  private readonly _id: number;
  private readonly _status: StopProjection<T>;
  private readonly _note: StopProjection<T>;
  private readonly _members: StopMember<T>[] = [];
  private readonly _turns: StopProjection<T>[] = [];
  private readonly _targets: StopDelivery<T>[] = [];

  private constructor(
    maker: symbol,
    core: RuntimeCore<T>,
    sessionId: string,
    slot: number,
    id: number,
    input: T['stopInput'],
    ts: number,
    noteId: string,
  ) {
    made(maker, 'StopOperation');
    this._core = core;
    this.sessionId = sessionId;
    this.input = input;
    this.ts = ts;
    this._operation = slot;
    this._id = id;
    this._status = { kind: 'status', done: () => this._pay(PAY.status, 0) };
    this._note = { kind: 'note', id: noteId, done: () => this._pay(PAY.note, 0) };
  }

  /** @internal */
  static _open<T extends CoreTypes>(
    core: RuntimeCore<T>,
    sessionId: string,
    slot: number,
    id: number,
    input: T['stopInput'],
    ts: number,
    noteId: string,
  ) {
    const operation = new StopOperation<T>(MAKER, core, sessionId, slot, id, input, ts, noteId);
    handles[slot] = operation;
    return operation;
  }

  /** @internal */
  _add(
    number: number,
    claim: ExecutionClaim<T>,
    lineage: T['lineage'] | undefined,
    id: string,
  ): void {
    this._members[number] = StopMember._make<T>(this, number, claim);
    const place = accepted(binding.operationTargetOf(this._operation, number), this);
    this._targets[place] ??= StopDelivery._make<T>(this, place, claim.generation);
    if (lineage === undefined) return;
    this._turns[number] = {
      kind: 'turn',
      id,
      turnId: claim._riders?.turnId as string,
      lineage,
      message: undefined,
      done: () => this._pay(PAY.turn, number),
    };
  }

  /**
   * Serial lane of the operation: `task` runs, never synchronously, after every earlier one, failed or
   * not. Settles as the task does; a rejection that nobody awaits is no unhandled one. Rejects with
   * `ERR_CLOSED` when the core ends before the task has started.
   */
  enqueue(task: () => Promise<void>): Promise<void> {
    try {
      reference(this);
      callable(task, 'task');
      const slot = open(this);
      const queued = accepted(binding.operationEnqueue(slot), this);
      return quiet(Task.lane(task, queued >> 1, (queued & 1) !== 0));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  /** The runs to stop, by generation, then in the order retained. */
  members(): StopMember<T>[] {
    const slot = open(this);
    const numbers = acceptedList(binding.operationMembers(slot, target()), this);
    return numbers.map((number) => this._members[number] as StopMember<T>);
  }

  /** One handle for each generation whose backend stop was not yet delivered. */
  pendingDeliveries(): StopDelivery<T>[] {
    open(this);
    return this._select(PENDING);
  }

  /** The first projection not done. Ask again after `done`: runs retained meanwhile count. */
  nextProjection(): StopProjection<T> | undefined {
    const next = accepted(binding.operationNext(open(this)), this);
    if (next === 0) return undefined;
    if (next === 1) return this._status;
    return next === 2 ? this._note : this._turns[next - 3];
  }

  /**
   * Marks the members stopped, but for those that still owe their terminal fact. If nothing is owed any
   * more, ends the retention: true the first time. `ERR_INVALID_ARG_TYPE` for members of another
   * operation.
   */
  complete(members: readonly StopMember<T>[]): boolean {
    reference(this);
    if (!Array.isArray(members)) throw invalidArgument('members', 'an array of StopMember');
    const numbers = Uint32Array.from(members as readonly StopMember<T>[], (member, index) => {
      if (!(member instanceof StopMember) || member._of !== (this as StopOperation<T>))
        throw invalidArgument(`members[${index}]`, 'a StopMember of this operation');
      return member._member;
    });
    return accepted(binding.operationComplete(open(this), numbers), this) !== 0;
  }

  /** The generations the operation still refers to. */
  generations(): BackendGeneration<T>[] {
    open(this);
    return this._select(REFERS).map((delivery) => delivery.generation);
  }

  /** Errors of failed deliveries, by generation; also after the retention has ended. */
  deliveryFailures(): unknown[] {
    open(this);
    return this._select(FAILED).map((delivery) => delivery._error);
  }

  /**
   * Lets go of an exited run, and of every generation that has no run here any more and whose stop is not
   * pending.
   */
  releaseRun(claim: ExecutionClaim<T>): void {
    const slot = reference(this);
    if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
    if (slot < 0 || this._core._number === NONE) return;
    const number = this._members.findIndex((member) => member._claim === claim);
    accepted(binding.operationRelease(slot, number < 0 ? NONE : number), this);
  }

  /** @internal */
  _pay(kind: number, place: number, ok = true): void {
    accepted(binding.operationPay(open(this), kind, place, ok), this);
  }

  /** @internal */
  _facts(number: number): number {
    // Properties stay readable: a member of a core that has ended has let go of everything.
    if (this._operation < 0 || this._core._number === NONE) return 0;
    return accepted(binding.operationMember(this._operation, number), this);
  }

  /** @internal The retention has ended: nobody looks the handle up any more. */
  _over(): void {
    handles[this._operation] = undefined;
    if (this._operation >= 0)
      forgotten.register(this, { slot: this._operation, id: this._id }, this);
  }

  /** @internal */
  _end(): void {
    this._operation = -1;
    forgotten.unregister(this);
  }

  private _select(which: number): StopDelivery<T>[] {
    const places = acceptedList(binding.operationTargets(open(this), which, target()), this);
    return places.map((place) => this._targets[place] as StopDelivery<T>);
  }
}

/**
 * A run that a stop operation is to stop. Seed 3.
 */
export class StopMember<T extends CoreTypes = CoreTypes> {
  /** Of the run. */
  readonly runId: string;
  /** @internal */
  readonly _of: StopOperation<T>;
  /** @internal */
  readonly _member: number;
  /** @internal */
  readonly _claim: ExecutionClaim<T>;

  private constructor(
    maker: symbol,
    of: StopOperation<T>,
    number: number,
    claim: ExecutionClaim<T>,
  ) {
    made(maker, 'StopMember');
    this._of = of;
    this._member = number;
    this._claim = claim;
    this.runId = claim._riders?.runId as string;
  }

  /** @internal */
  static _make<T extends CoreTypes>(
    of: StopOperation<T>,
    number: number,
    claim: ExecutionClaim<T>,
  ) {
    return new StopMember<T>(MAKER, of, number, claim);
  }

  /** Undefined after `releaseRun`. */
  get claim(): ExecutionClaim<T> | undefined {
    return (member(this)._of._facts(this._member) & PRESENT) !== 0 ? this._claim : undefined;
  }

  /** Asked for by `retain` and not done: also after `releaseRun`. */
  get owesTerminal(): boolean {
    return (member(this)._of._facts(this._member) & OWES_TERMINAL) !== 0;
  }

  /** The terminal fact has landed. Idempotent. */
  terminalDone(): void {
    member(this)._of._pay(PAY.terminal, this._member);
  }
}

/**
 * The stop of one generation's backend, owed by a stop operation. Seed 3.
 */
export class StopDelivery<T extends CoreTypes = CoreTypes> {
  /** Whose backend is to be told. */
  readonly generation: BackendGeneration<T>;
  /** @internal */
  _error: unknown = undefined;
  private readonly _of: StopOperation<T>;
  private readonly _place: number;

  private constructor(
    maker: symbol,
    of: StopOperation<T>,
    place: number,
    generation: BackendGeneration<T>,
  ) {
    made(maker, 'StopDelivery');
    this._of = of;
    this._place = place;
    this.generation = generation;
  }

  /** @internal */
  static _make<T extends CoreTypes>(
    of: StopOperation<T>,
    place: number,
    generation: BackendGeneration<T>,
  ) {
    return new StopDelivery<T>(MAKER, of, place, generation);
  }

  /** pending → delivered or failed. The first settlement counts. */
  settle(given: Outcome): void {
    if (typeof this?._place !== 'number') throw invalidThis('StopDelivery');
    const settled = outcome(given, 'outcome');
    const pending = this._of.pendingDeliveries().includes(this);
    if (pending && !settled.ok) this._error = settled.error;
    this._of._pay(PAY.delivery, this._place, settled.ok);
  }
}

function member<M extends object>(self: M): M {
  if (typeof (self as { _member?: unknown } | undefined)?._member !== 'number')
    throw invalidThis('StopMember');
  return self;
}

function reference(self: object | undefined): number {
  const slot = (self as { _operation?: unknown } | undefined)?._operation;
  if (typeof slot !== 'number') throw invalidThis('StopOperation');
  return slot;
}

function open(self: object | undefined): number {
  const slot = reference(self);
  // Once its core has ended the slot may name something else.
  if (slot < 0 || (self as { _core: { _number: number } })._core._number === NONE)
    throw closedError();
  return slot;
}
