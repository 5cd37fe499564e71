import binding from './binding.js';
import { nonEmpty, object, string, strings } from './arguments.js';
import {
  ApplicationOperationBusyError,
  MAKER,
  invalidArgument,
  invalidThis,
  made,
} from './errors.js';
import { flushSoon } from './log.js';
import { accepted, acceptedTexts, refusal, value } from './native.js';
import type { ApplicationOperationRegistration } from './values.js';

/** What is to be admitted. */
export interface ApplicationOperationRequest {
  /** Unique among the active operations of the registry. */
  readonly operationId: string;
  /** Opaque: never validated against anything. */
  readonly ownerId: string;
  /** Left out or `null`: application-wide work. */
  readonly sessionId?: string | null;
  /** Opaque, compared exactly; a repeated one counts once. All are taken or none. Empty: no exclusivity. */
  readonly exclusivityKeys: readonly string[];
}

/** Which core's registry: its number, or that it is closed. */
export interface Registry {
  readonly _number: number;
}

const ownRegistry = (): { readonly _number: number } => ({
  _number: accepted(
    binding.openCore(undefined, () => {}),
    {},
  ),
});

/** Leases that were collected unreleased: their registrations stay, and an event says so. */
const lost = new FinalizationRegistry<{ lease: number; operationId: string }>(
  ({ lease, operationId }) => {
    value(binding.leaseLost(lease, operationId));
  },
);

/** Registries of their own whose service is gone: nobody can ask them any more. */
const unused = new FinalizationRegistry<number>((core) => {
  value(binding.closeBegin(core));
  value(binding.closeEnd(core, new Uint32Array(0)));
});

function registration(words: readonly string[]): ApplicationOperationRegistration {
  const [operationId, ownerId, mark, session] = words as [string, string, string, string];
  return Object.freeze({ operationId, ownerId, sessionId: mark === '' ? null : session });
}

function optionalSession(value_: unknown, name: string): string | undefined {
  if (value_ === undefined || value_ === null) return undefined;
  return nonEmpty(value_, name);
}

/**
 * Active application operations: existence means active, absence means not active, and nothing else is
 * stored. In memory only. Services of one `scope`, in any core of the process, are one registry.
 * Seed 1.
 */
export class ApplicationOperationService {
  private readonly _registry: Registry;

  /**
   * Needs no core. Without `scope` the registry is its own; a named one lasts as long as its thread.
   * `ERR_INVALID_ARG_TYPE`.
   */
  constructor(options?: { readonly scope?: string }) {
    const scope = options === undefined ? undefined : object(options, 'options').scope;
    if (scope === undefined) {
      this._registry = ownRegistry();
      unused.register(this, this._registry._number);
      return;
    }
    nonEmpty(scope, 'options.scope');
    this._registry = {
      _number: accepted(
        binding.openCore(scope, () => {}),
        {},
      ),
    };
  }

  /** @internal A core's. */
  static _of(registry: Registry): ApplicationOperationService {
    const service = Object.create(ApplicationOperationService.prototype);
    Object.defineProperty(service, '_registry', { value: registry });
    return service as ApplicationOperationService;
  }

  /**
   * Registers the operation and takes all its keys, or does nothing.
   *
   * `ERR_OPERATION_BUSY` for a held key (judged first), with the holder's registration;
   * `ERR_OPERATION_DUPLICATE` for an operation id that is active; `ERR_ADMISSION_CLOSED` after `close`;
   * `ERR_CLOSED` after the core's; `ERR_INVALID_ARG_TYPE`.
   */
  reserve(request: ApplicationOperationRequest): OperationLease {
    reference(this);
    const given = object(request, 'request');
    const operationId = nonEmpty(given.operationId, 'request.operationId');
    const ownerId = string(given.ownerId, 'request.ownerId');
    const sessionId = optionalSession(given.sessionId, 'request.sessionId');
    const keys = strings(given.exclusivityKeys, 'request.exclusivityKeys', false);
    // Read last: a getter of the request may have closed the core.
    const core = this._registry._number;
    const lease = binding.admissionReserve(core, operationId, ownerId, sessionId, keys);
    flushSoon();
    if (typeof lease !== 'number') {
      const [key, ...holder] = lease as [string, ...string[]];
      throw new ApplicationOperationBusyError(registration(holder), key);
    }
    if (lease < 0) throw refusal(lease, { runId: operationId });
    const registered = Object.freeze({ operationId, ownerId, sessionId: sessionId ?? null });
    return OperationLease._make(this._registry, registered, lease);
  }

  /** The active operation's registration, frozen, or null: it is not active. `ERR_INVALID_ARG_TYPE`. */
  get(operationId: string): ApplicationOperationRegistration | null {
    const core = reference(this);
    nonEmpty(operationId, 'operationId');
    const words = acceptedTexts(binding.admissionGet(core, operationId), {});
    return words.length === 0 ? null : registration(words);
  }

  /**
   * The active operations, in order of admission: a list of its own, yours to change. `sessionId: null`
   * selects application-wide work. `ERR_INVALID_ARG_TYPE`.
   */
  listActive(filter?: {
    readonly sessionId?: string | null;
    readonly ownerId?: string;
  }): ApplicationOperationRegistration[] {
    reference(this);
    const { sessionId, ownerId } = filter === undefined ? {} : object(filter, 'filter');
    if (ownerId !== undefined) string(ownerId, 'filter.ownerId');
    if (sessionId !== undefined && sessionId !== null) nonEmpty(sessionId, 'filter.sessionId');
    const kind = sessionId === undefined ? 0 : sessionId === null ? 1 : 2;
    const words = acceptedTexts(
      binding.admissionList(this._registry._number, kind, sessionId ?? undefined, ownerId),
      {},
    );
    const active: ApplicationOperationRegistration[] = [];
    for (let index = 0; index < words.length; index += 4)
      active.push(registration(words.slice(index, index + 4)));
    return active;
  }

  /** Clears every registration, of the whole scope, and refuses every later reservation. */
  close(): void {
    accepted(binding.admissionClose(reference(this)), {});
  }
}

/**
 * The right to end one registration. Identity-safe: never ends a later one with the same id. Seed 1.
 */
export class OperationLease implements Disposable {
  /** What was admitted, frozen. */
  readonly registration: ApplicationOperationRegistration;
  private readonly _from: Registry;
  /** @internal */
  _lease: number;

  private constructor(
    maker: symbol,
    registry: Registry,
    of: ApplicationOperationRegistration,
    lease: number,
  ) {
    made(maker, 'OperationLease');
    this.registration = of;
    this._from = registry;
    this._lease = lease;
    lost.register(this, { lease, operationId: of.operationId }, this);
  }

  /** @internal */
  static _make(registry: Registry, of: ApplicationOperationRegistration, lease: number) {
    return new OperationLease(MAKER, registry, of, lease);
  }

  /**
   * Removes the registration that this very lease made. Idempotent; a no-op after `close`. A lease that
   * is collected unreleased keeps its registration: losing a handle is not the end of the work.
   */
  release(): void {
    const lease = (this as { _lease?: unknown } | undefined)?._lease;
    if (typeof lease !== 'number') throw invalidThis('OperationLease');
    lost.unregister(this);
    value(binding.admissionRelease(this._from._number, lease));
  }

  /** `release`, so that `using` works. */
  [Symbol.dispose](): void {
    OperationLease.prototype.release.call(this);
  }
}

/**
 * `session:<sessionId>`: the key that work on one session takes. `ERR_INVALID_ARG_TYPE`. Seed 1.
 */
export function sessionOperationExclusivityKey(sessionId: string): string {
  if (typeof sessionId !== 'string' || sessionId === '')
    throw invalidArgument('sessionId', 'a non-empty string');
  return `session:${sessionId}`;
}

function reference(self: object | undefined): number {
  const registry = (self as { _registry?: Registry } | undefined)?._registry;
  if (registry === undefined) throw invalidThis('ApplicationOperationService');
  return registry._number;
}
