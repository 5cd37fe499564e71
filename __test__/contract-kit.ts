// What the contract tests share: a core with predictable ids, turns that run, and work at a gate.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { RuntimeCore } from '../index.js';
import type {
  CoreError,
  ExecutionClaim,
  RunIdentity,
  ScopedCoreOptions,
  StopAttempt,
  StopOperation,
} from '../index.js';

/** In a vm context of Node.js 20, as vitest's pool of them makes one, `using` asks for the second. */
export const DISPOSE: typeof Symbol.dispose =
  Symbol.dispose ?? (Symbol.for('nodejs.dispose') as typeof Symbol.dispose);

export const OK = { ok: true } as const;
export const NOTHING = { sessions: 0, admissions: 0 };
export const failedWith = (error: unknown) => ({ ok: false, error }) as const;

export interface DrawingCore {
  readonly core: RuntimeCore;
  /** What `newId` and `now` were asked for, in order. */
  readonly drawn: string[];
}

export function drawingCore(name = 'id', options: Partial<ScopedCoreOptions> = {}): DrawingCore {
  const drawn: string[] = [];
  let ids = 0;
  let time = 5_000;
  const core = new RuntimeCore({
    newId: () => {
      ids += 1;
      drawn.push(`${name}-${ids}`);
      return `${name}-${ids}`;
    },
    now: () => {
      time += 1;
      drawn.push('now');
      return time;
    },
    ...options,
  });
  return { core, drawn };
}

export const newCore = (): RuntimeCore => drawingCore().core;

const open: RuntimeCore[] = [];

/** The members of a scope of their own, one per set of options. */
export function newMembers(...options: Partial<ScopedCoreOptions>[]): DrawingCore[] {
  const scope = `contract ${randomUUID()}`;
  return options.map((each, at) => {
    const made = drawingCore('abc'.charAt(at), { scope, ...each });
    open.push(made.core);
    return made;
  });
}

export function closeMembers(): void {
  for (const core of open.splice(0)) core.close();
}

export const runOf = (id: string, sessionId = 'chat', turnId = `turn of ${id}`): RunIdentity => ({
  sessionId,
  runId: id,
  turnId,
});

export interface Where {
  readonly session?: string;
  readonly route?: string;
  readonly turn?: string;
}

/** A claim that waits for nothing but its backend. */
export function attach(core: RuntimeCore, id: string, where: Where = {}): ExecutionClaim {
  const session = where.session ?? 'chat';
  const claim = core.claimExecution(session);
  claim.attach(runOf(id, session, where.turn), () => {});
  return claim;
}

/** A turn that runs: its claim has ended, its run is registered. */
export async function startTurn(
  core: RuntimeCore,
  id: string,
  where: Where = {},
): Promise<ExecutionClaim> {
  const claim = attach(core, id, where);
  const session = where.session ?? 'chat';
  const generation = await core.activate(session, where.route, async () =>
    core.createGeneration(claim, where.route, { backend: id }, { header: id }),
  );
  claim.reserve(generation);
  claim.settle(OK);
  return claim;
}

export async function endTurn(claim: ExecutionClaim): Promise<void> {
  claim.leaveGeneration();
  await claim.generation.dispose(async () => {});
}

/** Stops a session, retaining what runs there. */
export async function retain(
  core: RuntimeCore,
  claims: readonly ExecutionClaim[],
  owed?: Parameters<StopAttempt['retain']>[1],
): Promise<StopOperation> {
  let operation: StopOperation | undefined;
  await core.stopSession(claims[0]!.sessionId, { by: 'test' }, async (stop) => {
    for (const claim of claims) operation = stop.retain(claim, owed);
  });
  return operation!;
}

/** Delivers and projects all that is owed; the kinds of the projections, in order. */
export function pay(operation: StopOperation): string[] {
  for (const delivery of operation.pendingDeliveries()) delivery.settle(OK);
  const kinds: string[] = [];
  for (let next = operation.nextProjection(); next; next = operation.nextProjection()) {
    kinds.push(next.kind);
    next.done();
  }
  return kinds;
}

export interface Gate<V> {
  readonly promise: Promise<V>;
  readonly open: (value: V) => void;
  readonly fail: (error: unknown) => void;
}

export function gate<V = void>(): Gate<V> {
  let open!: (value: V) => void;
  let fail!: (error: unknown) => void;
  const promise = new Promise<V>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

export const macrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Everything that waits on nothing but promises is done, and no macrotask has passed. */
export async function microtasks(): Promise<void> {
  for (let hop = 0; hop < 32; hop += 1) await null;
}

/** Long enough for what crosses to other members, and for what that causes. */
export async function deliveries(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await macrotask();
}

export interface Watched {
  state: 'pending' | 'resolved' | 'rejected';
  value?: unknown;
}

export function watch(promise: Promise<unknown>): Watched {
  const watched: Watched = { state: 'pending' };
  promise.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (error: unknown) => Object.assign(watched, { state: 'rejected', value: error }),
  );
  return watched;
}

/** The error that a call throws, of that code. */
export function refusal(code: string, call: () => unknown): CoreError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect((error as CoreError).code).toBe(code);
    return error as CoreError;
  }
  return expect.unreachable(`no ${code}`);
}

/** The error that a promise rejects with, of that code. */
export async function rejection(code: string, promise: Promise<unknown>): Promise<CoreError> {
  expect(promise).toBeInstanceOf(Promise);
  const error = await promise.then(
    () => expect.unreachable(`no ${code}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expect((error as CoreError).code).toBe(code);
  return error as CoreError;
}
