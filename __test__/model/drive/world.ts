// One implementation under test, driven through its public members only. Two worlds that are given
// the same commands fill the same tables in the same order, so that handles compare by their labels.
import type * as Tenure from '../../../index.js';

export type Implementation = Pick<typeof Tenure, 'RuntimeCore' | 'AdmissionLimiter'>;

export type How = 'now' | 'gate' | 'throw' | 'reject';

export interface Gate {
  readonly promise: Promise<unknown>;
  readonly resolve: (value?: unknown) => void;
  readonly reject: (error: unknown) => void;
  opened: boolean;
}

export interface Tracked {
  state: string;
}

export interface Turn {
  readonly handle: Tenure.SteeringTurn;
  readonly core: number;
  readonly leases: string[];
  last: string;
}

export const SESSIONS = ['s0', 's1', 's2'];
export const ROUTES = [undefined, 'child'];

/** A member's part in a stop that another member started. */
export interface Part {
  readonly how: How | 'drain';
  readonly retains: { readonly lineage: boolean; readonly terminal: boolean } | undefined;
}

export interface Shape {
  readonly members: number;
  readonly scope?: string;
  readonly part?: Part | undefined;
}

export type PartBody = (
  world: World,
  core: number,
  part: Part,
) => (stop: Tenure.StopAttempt) => Promise<void>;

export type Script = () => void;

export class World {
  readonly cores: Tenure.RuntimeCore[] = [];
  readonly limiter: Tenure.AdmissionLimiter;
  readonly claims: Tenure.ExecutionClaim[] = [];
  readonly generations: Tenure.BackendGeneration[] = [];
  readonly stops: Tenure.StopAttempt[] = [];
  readonly operations: Tenure.StopOperation[] = [];
  readonly projections: Tenure.StopProjection[] = [];
  readonly deliveries: Tenure.StopDelivery[] = [];
  readonly stopMembers: Tenure.StopMember[] = [];
  readonly turns: Turn[] = [];
  readonly invalidations: Tenure.BackendInvalidation[] = [];
  readonly requests: Tenure.InteractionRequest[] = [];
  readonly leases: Tenure.OperationLease[] = [];
  readonly permits: Tenure.AdmissionPermit[] = [];
  readonly signals: AbortController[] = [];
  readonly gates: Gate[] = [];
  readonly promises: Tracked[] = [];
  /** Claims whose signal was read when they were made. */
  readonly watched = new Set<Tenure.ExecutionClaim>();
  /** Claims that were given the ids of another one's run. */
  readonly twins = new Set<Tenure.ExecutionClaim>();
  /** Claims whose run has left its generation. */
  readonly left = new Set<Tenure.ExecutionClaim>();
  /** Stops whose attempt is over. */
  readonly over = new Set<Tenure.StopAttempt>();
  readonly committing = new Set<Tenure.ExecutionClaim>();
  readonly ownerOf = new Map<object, number>();
  readonly bindings = new Map<Tenure.ExecutionClaim, Tenure.RunIdentity>();

  /** Set while a command runs: what happens then happened in one total order. */
  isInside = false;
  failDraws = 0;
  depth = 0;
  #events = new Map<string, string[]>();
  readonly #labels = new Map<unknown, string>();
  readonly #counts = new Map<string, number>();

  constructor(
    readonly implementation: Implementation,
    readonly shape: Shape,
    readonly partBody: PartBody,
  ) {
    for (let index = 0; index < shape.members; index += 1) this.join();
    this.limiter = new implementation.AdmissionLimiter(1 + (shape.members % 2));
  }

  join(): void {
    const { shape } = this;
    const index = this.cores.length;
    let drawn = 0;
    const draw = (what: string): number => {
      this.event('draw', `core ${index} draws ${what}`);
      if (this.failDraws > 0) {
        this.failDraws -= 1;
        if (this.failDraws === 0) throw this.newError();
      }
      drawn += 1;
      return drawn;
    };
    const options = { newId: () => `id-${index}-${draw('id')}`, now: () => 1000 + draw('now') };
    const { scope, part } = shape;
    const core =
      scope === undefined
        ? new this.implementation.RuntimeCore(options)
        : new this.implementation.RuntimeCore({
            ...options,
            scope,
            ...(part ? { onForeignStop: (stop) => this.partBody(this, index, part)(stop) } : {}),
          });
    this.cores.push(core);
  }

  /** In the order of one total sequence while a command runs, else in order per channel. */
  event(channel: string, text: string): void {
    const key = this.isInside ? 'inside' : channel;
    const list = this.#events.get(key);
    if (list) list.push(text);
    else this.#events.set(key, [text]);
  }

  events(): string[] {
    if (this.#events.size === 0) return [];
    return [...this.#events.keys()]
      .sort()
      .flatMap((channel) => this.#events.get(channel)!.map((text) => `${channel}> ${text}`));
  }

  forgetEvents(): void {
    if (this.#events.size > 0) this.#events = new Map();
  }

  /** The name of an object, given at first sight; the same object has the same name for ever. */
  label(kind: string, value: unknown): string {
    const known = this.#labels.get(value);
    if (known !== undefined) return known;
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    const label = `${kind}#${count}`;
    this.#labels.set(value, label);
    return label;
  }

  /** Puts a handle on its table, once. */
  keep<H extends object>(kind: string, table: H[], handle: H, core: number): H {
    if (!this.#labels.has(handle)) {
      this.label(kind, handle);
      table.push(handle);
      this.ownerOf.set(handle, core);
    }
    return handle;
  }

  owner(handle: object): number {
    return this.ownerOf.get(handle) ?? 0;
  }

  coreOf(handle: object): Tenure.RuntimeCore {
    return this.cores[this.owner(handle)]!;
  }

  /** What is left open of the handles of a member that has ended is not asked. */
  forget(core: number): void {
    const { generations, stops, operations, projections, deliveries, stopMembers } = this;
    const tables = [generations, stops, operations, projections, deliveries, stopMembers];
    for (const table of [...tables, this.invalidations, this.requests] as object[][]) {
      const kept = table.filter((each) => this.owner(each) !== core);
      table.splice(0, table.length, ...kept);
    }
  }

  newError(): Error {
    const error = new Error(`error ${this.#counts.get('error') ?? 0}`);
    this.label('error', error);
    return error;
  }

  newValue(kind: string): object {
    const value = {};
    this.label(kind, value);
    return value;
  }

  newGate(): Gate {
    let resolve!: (value: unknown) => void;
    let reject!: (error: unknown) => void;
    const promise = new Promise<unknown>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    promise.catch(() => {});
    const gate: Gate = { promise, resolve, reject, opened: false };
    this.gates.push(gate);
    return gate;
  }

  /** Work of the caller that ends as told: at once, at a gate, or badly. */
  task<V>(how: How, name: string, value: () => V, script?: Script): () => Promise<V> {
    const gate = how === 'gate' ? this.newGate() : undefined;
    const error = how === 'throw' || how === 'reject' ? this.newError() : undefined;
    return () => {
      this.event(name, `${name} begins`);
      script?.();
      if (how === 'throw') throw error;
      if (error) return Promise.reject(error);
      if (gate) return gate.promise.then(value);
      return Promise.resolve(value());
    };
  }

  /** Watches a promise; `probe` reads what a waiter finds when it settles. */
  track(promise: Promise<unknown>, probe: () => unknown = () => ''): string {
    if (!(promise instanceof Promise)) return `no promise but ${this.describe(promise)}`;
    if (this.#labels.has(promise)) return this.#labels.get(promise)!;
    const label = this.label('promise', promise);
    const tracked: Tracked = { state: 'pending' };
    this.promises.push(tracked);
    const found = (): string => {
      try {
        return this.describe(probe());
      } catch (error) {
        return this.describe(error);
      }
    };
    promise.then(
      (value) => {
        tracked.state = `resolved ${this.describe(value)} ${found()}`;
      },
      (error: unknown) => {
        tracked.state = `rejected ${this.describe(error)} ${found()}`;
      },
    );
    return label;
  }

  describe(value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null) return String(value);
    const label = this.#labels.get(value);
    if (label !== undefined) return label;
    if (value instanceof Error) return this.#describeError(value);
    if (Array.isArray(value)) return `[${value.map((each) => this.describe(each)).join(', ')}]`;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return 'an unknown object';
    const entries = Object.entries(value).filter(([, each]) => typeof each !== 'function');
    return `{${entries.map(([key, each]) => `${key}: ${this.describe(each)}`).join(', ')}}`;
  }

  #describeError(error: Error & { code?: unknown; sessionIds?: unknown; key?: unknown }): string {
    const { code } = error;
    // Messages outside the contract's table are free.
    const free =
      code === 'ERR_CLOSED' || code === 'ERR_INVALID_ARG_TYPE' || code === 'ERR_INVALID_THIS';
    const kind =
      error instanceof TypeError
        ? 'TypeError'
        : error instanceof RangeError
          ? 'RangeError'
          : 'Error';
    const cancelled = code === 'ERR_EXECUTION_CANCELLED' ? ` named ${error.name}` : '';
    const more = [error.cause, error.sessionIds, error.key].map((each) => this.describe(each));
    return `${kind}(${String(code)} ${free ? '' : error.message} ${more.join(' ')})${cancelled}`;
  }
}
