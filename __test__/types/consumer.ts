// A strict program that uses every export of the package: it is compiled, never run.
import {
  AdmissionLimiter,
  AdmissionPermit,
  ApplicationOperationBusyError,
  ApplicationOperationService,
  BackendGeneration,
  BackendInvalidation,
  ExecutionClaim,
  InteractionRequest,
  OperationLease,
  RuntimeCore,
  SessionBusyError,
  SteeringTurn,
  StopAttempt,
  StopDelivery,
  StopMember,
  StopOperation,
  TenureError,
  sessionOperationExclusivityKey,
  setLogger,
} from 'tenure';
import type {
  ApplicationOperationRegistration,
  ApplicationOperationRequest,
  ClaimPhase,
  CoreError,
  CoreErrorCode,
  CoreTypes,
  GenerationPhase,
  LogEvent,
  LogLevel,
  LoggerOptions,
  OperationErrorCode,
  Outcome,
  QueueSnapshot,
  RunIdentity,
  RuntimeCoreOptions,
  ScopedCoreOptions,
  SteeringMessage,
  StopProjection,
} from 'tenure';

/** Holds only for two types that are one and the same. */
type Same<A, B> =
  (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
function same<A, B>(_proof: Same<A, B>): void {}

// -- a kernel's own types -----------------------------------------------------

interface Run extends RunIdentity {
  readonly model: string;
}
interface Mine extends CoreTypes {
  run: Run;
  backend: { send(text: string): Promise<void> };
  header: { readonly title: string };
  stopInput: { readonly reason: 'user' | 'shutdown' };
  lineage: { readonly parent: string };
  message: { readonly body: string };
  checkpoint: { readonly at: number };
  request: { readonly question: string };
  start: { readonly proof: string };
}

const options: RuntimeCoreOptions = { newId: () => 'id', now: () => 0 };
const scoped: ScopedCoreOptions<Mine> = {
  ...options,
  scope: 'process',
  onForeignStop: async (stop) => same<typeof stop, StopAttempt<Mine>>(true),
};
const core = new RuntimeCore<Mine>(options);
new RuntimeCore<Mine>(scoped);
// @ts-expect-error a core draws ids and reads a clock
new RuntimeCore<Mine>({});

// -- claims -------------------------------------------------------------------

export async function claims(run: Run): Promise<void> {
  using claim = core.claimExecution('s');
  same<typeof claim, ExecutionClaim<Mine>>(true);
  same<typeof claim.phase, ClaimPhase>(true);
  same<ClaimPhase, 'pending' | 'attached' | 'reserved' | 'released' | 'failed'>(true);
  same<typeof claim.run, Run>(true);
  same<typeof claim.generation, BackendGeneration<Mine>>(true);
  same<typeof claim.stopSignal, AbortSignal>(true);
  same<typeof claim.cancellation, CoreError>(true);
  // @ts-expect-error a fact is read, not written
  claim.phase = 'released';
  // @ts-expect-error a claim is issued by a core
  new ExecutionClaim();
  // @ts-expect-error the kernel's run has a model
  claim.attach({ sessionId: 's', runId: 'r', turnId: 't' }, () => {});

  core.claimExecution('s', claim);
  await claim.enter();
  claim.attach(run, (stop) => same<typeof stop, StopAttempt<Mine>>(true));
  const blocker: Promise<unknown> | undefined = claim.activationBlocker();
  await blocker;
  const generation = await core.activate('s', undefined, async () =>
    core.createGeneration(claim, undefined, { send: async () => {} }, { title: 'a' }),
  );
  same<ReturnType<typeof claim.reserve>, StopAttempt<Mine> | undefined>(true);
  claim.reserve(generation);
  const booleans: boolean[] = [claim.isStopRequested(), claim.isExclusive(), claim.canDispatch()];
  booleans.push(
    core.hasActiveRuns('s'),
    core.hasActiveRun('s', 'r'),
    core.hasActiveRun('s', 'r', 't'),
  );
  same<typeof claim.stopOperation, StopOperation<Mine> | undefined>(true);
  same<ReturnType<typeof core.runForTurn>, Run | undefined>(true);
  same<ReturnType<typeof core.activeRun>, Run | undefined>(true);
  const turns: string[] = core.activeTurnIds('s');
  core.runForTurn('s', undefined, turns[0] ?? '');
  core.activeRun('s', 'child', 'r');

  const committed = await claim.commitStart(async () => ({ proof: 'p' }));
  same<typeof committed, { readonly proof: string }>(true);
  same<ReturnType<typeof claim.takeStart>, { readonly proof: string }>(true);
  claim.bindInteraction(run);
  claim.unbindInteraction(run);
  same<typeof claim.interaction, RunIdentity | undefined>(true);

  const ok: Outcome = { ok: true };
  claim.settle(ok);
  claim.finalize({ ok: false, error: new Error('gone') });
  // @ts-expect-error a failure says why
  claim.settle({ ok: false });
  claim.leaveGeneration();
  claim.release();
}

// -- requests -----------------------------------------------------------------

export function requests(claim: ExecutionClaim<Mine>): void {
  const request = claim.openRequest('q', { question: 'why' });
  same<typeof request, InteractionRequest<Mine>>(true);
  same<typeof request.value, { readonly question: string }>(true);
  const texts: string[] = [request.sessionId, request.requestId, request.turnId];
  same<typeof request.generation, BackendGeneration<Mine>>(true);
  same<ReturnType<typeof core.request>, InteractionRequest<Mine> | undefined>(true);
  same<ReturnType<typeof core.requests>, InteractionRequest<Mine>[]>(true);
  core.request('s', texts[0] ?? '')?.close();
  for (const each of core.requests('s')) each.close();
  // @ts-expect-error a request is opened by its claim
  new InteractionRequest();
}

// -- stop ---------------------------------------------------------------------

export async function stop(claim: ExecutionClaim<Mine>): Promise<void> {
  // @ts-expect-error the kernel's stop has a reason
  void core.stopSession('s', {}, async () => {});
  await core.stopSession('s', { reason: 'user' }, async (attempt) => {
    same<typeof attempt, StopAttempt<Mine>>(true);
    same<typeof attempt.input, { readonly reason: 'user' | 'shutdown' }>(true);
    same<typeof attempt.operation, StopOperation<Mine> | undefined>(true);
    const active: ExecutionClaim<Mine>[] = attempt.activeClaims();
    const operation = attempt.retain(claim, { lineage: { parent: 'p' }, terminal: true });
    attempt.retain(active[0] ?? claim);
    await settle(operation);
    const errors: unknown[] = await attempt.drained();
    errors.length = 0;
  });
}

async function settle(operation: StopOperation<Mine>): Promise<void> {
  same<typeof operation.sessionId, string>(true);
  same<typeof operation.input, Mine['stopInput']>(true);
  same<typeof operation.ts, number>(true);
  await operation.enqueue(async () => {});
  const deliveries: StopDelivery<Mine>[] = operation.pendingDeliveries();
  for (const delivery of deliveries) {
    same<typeof delivery.generation, BackendGeneration<Mine>>(true);
    delivery.settle({ ok: true });
  }
  for (let next = operation.nextProjection(); next; next = operation.nextProjection()) {
    project(next);
  }
  const members: StopMember<Mine>[] = operation.members();
  for (const member of members) {
    same<typeof member.runId, string>(true);
    same<typeof member.claim, ExecutionClaim<Mine> | undefined>(true);
    if (member.owesTerminal) member.terminalDone();
  }
  const ended: boolean = operation.complete(members);
  const generations: BackendGeneration<Mine>[] = operation.generations();
  const failures: unknown[] = operation.deliveryFailures();
  if (ended && generations.length > 0 && failures.length > 0 && members[0]?.claim) {
    operation.releaseRun(members[0].claim);
  }
}

function project(projection: StopProjection<Mine>): void {
  switch (projection.kind) {
    case 'status':
      return projection.done();
    case 'turn':
      same<typeof projection.lineage, { readonly parent: string }>(true);
      projection.message ??= { body: projection.turnId };
      return projection.done();
    case 'note': {
      const id: string = projection.id;
      return id ? projection.done() : undefined;
    }
    default: {
      const nothing: never = projection;
      return nothing;
    }
  }
}

// -- steering -----------------------------------------------------------------

export function steering(): void {
  const turn = core.openSteeringTurn('s', 't', (snapshot) => {
    same<typeof snapshot, QueueSnapshot>(true);
    const lists: string[][] = [snapshot.steering, snapshot.followup];
    lists.push([snapshot.turnId]);
  });
  same<typeof turn, SteeringTurn>(true);
  const pulled: SteeringMessage[] = turn.pull();
  const first = pulled[0];
  if (first) same<typeof first.content, { readonly text: string }>(true);
  turn.ack(pulled.map((message) => message.id));
  turn.nack(pulled.map((message) => message.messageId));
  turn.release();
  const ids: string[] = [turn.sessionId, turn.turnId];
  const taken: boolean[] = [core.steer('s', 'text'), core.queueMessage('s', 'text')];
  const back: string[] = [...core.drainFollowup('s'), ...core.retractQueue('s'), ...ids];
  taken.push(back.length > 0);
  // @ts-expect-error a turn is opened by a core
  new SteeringTurn();
}

// -- backends -----------------------------------------------------------------

export async function backends(generation: BackendGeneration<Mine>): Promise<void> {
  same<typeof generation.backend, Mine['backend']>(true);
  same<GenerationPhase, 'active' | 'stopping' | 'disposing' | 'failed' | 'terminated'>(true);
  same<typeof generation.phase, GenerationPhase>(true);
  same<typeof generation.route, string | undefined>(true);
  same<typeof generation.failure, CoreError | undefined>(true);
  same<typeof generation.disposal, Promise<Outcome> | undefined>(true);
  generation.cachedHeader = { title: 'b' };
  const numbers: number[] = [generation.id, generation.activeRuns.size];
  const current: boolean = generation.isCurrent && numbers.length > 0;
  await generation.stop(async () => {});
  const outcome = await generation.dispose(async () => {});
  if (!outcome.ok) same<typeof outcome.error, unknown>(true);
  same<ReturnType<typeof generation.reconcile>, Promise<Outcome> | undefined>(true);
  same<ReturnType<typeof core.currentGeneration>, BackendGeneration<Mine> | undefined>(true);
  core.currentGeneration('s', current ? 'child' : undefined);
  const all: BackendGeneration<Mine>[] = core.generations('s');
  const cached: string[] = core.cachedSessions();
  cached.push(...all.map((each) => each.sessionId));

  const invalidation = core.invalidate('s');
  same<typeof invalidation, BackendInvalidation<Mine>>(true);
  same<typeof invalidation.failure, CoreError | undefined>(true);
  same<ReturnType<typeof core.invalidation>, BackendInvalidation<Mine> | undefined>(true);
  same<ReturnType<typeof core.dueInvalidation>, BackendInvalidation<Mine> | undefined>(true);
  await invalidation.dispose(async (generations) => {
    same<typeof generations, BackendGeneration<Mine>[]>(true);
    return { ok: true };
  });
  same<typeof invalidation.outcome, Promise<Outcome>>(true);
  // @ts-expect-error a generation is registered by a core
  new BackendGeneration();
}

// -- the session's other work -------------------------------------------------

export async function sessions(): Promise<void> {
  const seven = await core.mutateSessions(['a', 'b'], () => 7);
  same<typeof seven, number>(true);
  const eight = await core.mutateSessions(['a'], async () => '8', { quiescent: true });
  same<typeof eight, string>(true);
  const nine = await core.serialize('s', 'lane', async () => 9n);
  same<typeof nine, bigint>(true);
  const loaded = await core.loadCheckpoint('s', async () => undefined);
  same<typeof loaded, { readonly at: number } | undefined>(true);
  core.storeCheckpoint('s', { at: 1 });
  const { sessions: live, admissions } = core.stats();
  const total: number = live + admissions;
  if (total === 0) core.close();
  using closing = core;
  closing.close();
}

// -- admission ----------------------------------------------------------------

export async function admission(): Promise<void> {
  same<typeof core.operations, ApplicationOperationService>(true);
  const service = new ApplicationOperationService();
  new ApplicationOperationService({ scope: 'process' });
  const request: ApplicationOperationRequest = {
    operationId: 'o',
    ownerId: 'w',
    sessionId: null,
    exclusivityKeys: [sessionOperationExclusivityKey('s')],
  };
  using lease = service.reserve(request);
  same<typeof lease, OperationLease>(true);
  same<typeof lease.registration, ApplicationOperationRegistration>(true);
  same<ApplicationOperationRegistration['sessionId'], string | null>(true);
  same<ReturnType<typeof service.get>, ApplicationOperationRegistration | null>(true);
  const active: ApplicationOperationRegistration[] = service.listActive({ sessionId: null });
  service.listActive();
  service.get(active[0]?.operationId ?? '');
  lease.release();
  service.close();

  const limiter = new AdmissionLimiter(2);
  using permit = await limiter.acquire(AbortSignal.timeout(1));
  same<typeof permit, AdmissionPermit>(true);
  permit.release();
  const counts: number[] = [limiter.capacity, limiter.activeCount, limiter.waitingCount];
  limiter.close(new Error(`${counts.length}`));
  // @ts-expect-error a lease is what a reservation returns
  new OperationLease();
}

// -- errors -------------------------------------------------------------------

export function explain(error: unknown): CoreErrorCode | OperationErrorCode | undefined {
  if (error instanceof ApplicationOperationBusyError) {
    same<typeof error.registration, ApplicationOperationRegistration>(true);
    same<typeof error.key, string>(true);
    same<typeof error.code, 'ERR_OPERATION_BUSY'>(true);
    return error.code;
  }
  if (error instanceof SessionBusyError) {
    same<typeof error.sessionIds, readonly string[]>(true);
    same<typeof error.code, 'ERR_SESSION_BUSY'>(true);
    return error.code;
  }
  if (error instanceof TenureError) {
    same<typeof error.code, CoreErrorCode | OperationErrorCode>(true);
    return error.code;
  }
  return undefined;
}

// @ts-expect-error no code has that name
export const misspelt: CoreErrorCode = 'ERR_SESION_BUSY';

// -- the log ------------------------------------------------------------------

export function log(level: LogLevel): void {
  const logger: LoggerOptions = {
    level,
    onEvent: (events) => same<typeof events, LogEvent[]>(true),
  };
  setLogger(logger);
  setLogger();
  // @ts-expect-error no level has that name
  setLogger({ level: 'loud', onEvent: () => {} });
}

// -- without types of one's own -----------------------------------------------

export function plain(): void {
  const untyped = new RuntimeCore(options);
  const claim: ExecutionClaim = untyped.claimExecution('s');
  same<typeof claim.run, RunIdentity>(true);
}
