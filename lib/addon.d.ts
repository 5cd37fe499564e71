/**
 * The functions of the addon. A number that a function gives is coded: doubled, its lowest bit set
 * when the call has caused effects that the face has to act on; negative for a refusal. Those that
 * say `plain` are not.
 */
type Coded = number;
type Slot = number;
/**
 * Of the durable rooms: an answer as it is, or the text of a refusal, which begins with a mark that no
 * JSON text has. `Later` is undefined when the answer comes by mail.
 */
type Plain = number | string;
type Later = string | undefined;

export interface Addon {
  openCore(scope: string | undefined, deliver: () => void): Coded;
  closeBegin(core: number): Coded;
  closeEnd(core: number, to: Uint32Array): Coded;
  deliver(core: number): Coded;
  keepWaiting(): Coded;
  liveSessions(core: number): Coded;
  admissions(core: number): Coded;
  handleCount(): Coded;
  /** Plain: the one effect, packed; -1 for more, -2 for none. */
  drainOne(): number;
  /** Plain. */
  drain(to: Uint32Array): number;
  /** Plain. */
  lastList(to: Uint32Array): number;
  /** Plain. */
  detail(): number;
  refusals(): string[];
  /** Plain: of the package that the addon was built for. */
  version(): string;
  sessionId(slot: Slot): string;
  open(core: number, id: string): Coded;

  claim(entry: number): Coded;
  claimOwns(entry: number, claim: number): Coded;
  claimWord(claim: number): Coded;
  claimIsExclusive(claim: Slot): Coded;
  sessionIsIdle(core: number, id: string): Coded;
  attach(claim: Slot, run: string, turn: string, session: string | undefined): Coded;
  sealAborted(word: number): Coded;
  settle(claim: Slot, ok: boolean, error: string | undefined): Coded;
  finalize(claim: Slot, ok: boolean, error: string | undefined): Coded;
  release(claim: Slot): Coded;
  sealedMove(core: number, word: number, event: number): Coded;
  leave(claim: Slot): Coded;
  bind(claim: Slot, session: string, run: string, turn: string): Coded;
  unbind(claim: Slot): Coded;
  enter(claim: Slot): Coded;
  start(claim: number, event: number): Coded;
  openRequest(claim: Slot, id: string): Coded;
  sealedRequest(word: number): Coded;
  closeRequest(slot: Slot): Coded;
  request(entry: number, id: string): Coded;
  requests(entry: number, to: Uint32Array): Coded;
  reserve(claim: Slot, generation: number): Coded;
  canDispatch(claim: Slot): Coded;
  claimOperation(claim: Slot): Coded;

  createGeneration(entry: number, claim: number, route: string | undefined, to: Uint32Array): Coded;
  currentGeneration(entry: number, route: string | undefined): Coded;
  generations(entry: number, to: Uint32Array): Coded;
  runForTurn(entry: number, route: string | undefined, turn: string): Coded;
  activeRun(entry: number, route: string | undefined, run: string): Coded;
  activate(entry: number, route: string | undefined): Coded;
  activated(slot: Slot): Coded;
  activationBlocker(claim: Slot): Coded;
  sessionBlocker(entry: number): Coded;
  foreignFailure(entry: number, generation: number): string | undefined;
  generationWord(slot: Slot): Coded;
  generationRuns(slot: Slot): Coded;
  generationStop(slot: Slot): Coded;
  generationStopped(slot: Slot, ok: boolean): Coded;
  generationDispose(slot: Slot): Coded;
  generationDisposed(slot: Slot, ok: boolean, error: string | undefined): Coded;
  generationReconcile(slot: Slot): Coded;
  sealedFlight(word: number, event: number): Coded;

  hasActiveRuns(core: number, id: string): Coded;
  entryHasActiveRuns(entry: number): Coded;
  entryHasActiveRun(entry: number, run: string, turn: string | undefined): Coded;
  hasActiveRun(core: number, id: string, run: string, turn: string | undefined): Coded;
  activeTurnIds(core: number, id: string): string[] | Coded;
  cachedSessions(core: number): string[] | Coded;
  invalidate(entry: number): Coded;
  invalidation(entry: number, due: boolean): Coded;
  invalidationDispose(slot: Slot, to: Uint32Array): Coded;
  invalidationDone(slot: Slot, ok: boolean): Coded;
  checkpointLoad(entry: number, to: Uint32Array): Coded;
  checkpointLoaded(entry: number, flight: number, ok: boolean): Coded;
  checkpointStore(entry: number): Coded;
  serialize(entry: number, lane: string): Coded;
  taskEnded(slot: Slot): Coded;
  mutate(core: number, ids: readonly string[], quiescent: boolean): Coded | string[];
  mutationSettled(slot: Slot): Coded;

  stop(entry: number, input: string | undefined): Coded;
  captured(attempt: Slot, to: Uint32Array): Coded;
  attemptAbort(attempt: Slot, from: number, to: number, clear: boolean): Coded;
  attemptInput(attempt: Slot): string | undefined;
  attemptSettled(attempt: Slot, ok: boolean, error: string | undefined): Coded;
  /** 0 waits, 1 without failures, 2 perhaps with. */
  drained(attempt: Slot): Coded;
  failures(attempt: Slot, to: Uint32Array): Coded;
  failureText(attempt: Slot, place: number): string | undefined;
  attemptForget(attempt: Slot): Coded;
  joinedForget(slot: Slot): string | undefined;
  activeClaims(entry: number, to: Uint32Array): Coded;
  hasOwnRuns(attempt: Slot): Coded;

  retainPlan(attempt: number, claim: Slot, lineage: boolean): Coded;
  retain(attempt: number, claim: Slot, plan: number, terminal: boolean, to: Uint32Array): Coded;
  retainedOperation(entry: number): Coded;
  operationMembers(operation: Slot, to: Uint32Array): Coded;
  operationMember(operation: Slot, member: number): Coded;
  operationTargets(operation: Slot, which: number, to: Uint32Array): Coded;
  operationTargetOf(operation: Slot, member: number): Coded;
  operationNext(operation: Slot): Coded;
  operationPay(operation: Slot, kind: number, place: number, ok: boolean): Coded;
  operationComplete(operation: Slot, members: Uint32Array): Coded;
  operationRelease(operation: Slot, member: number): Coded;
  operationDrop(operation: Slot, id: number): Coded;
  operationEnqueue(operation: Slot): Coded;

  openTurn(entry: number, turn: string, listens: boolean): Coded;
  reviveTurn(entry: number, turn: string): Coded;
  hasOwner(entry: number): Coded;
  queue(entry: number, nextTurn: boolean): Coded;
  queueSaid(entry: number, nextTurn: boolean, id: string, text: string): Coded;
  /** 0 nothing, 1 + twice the slot of one, twice the number of more: they are the last list. */
  pull(turn: Slot): Coded;
  pullSaid(turn: Slot): string[] | Coded;
  leases(turn: Slot, to: Uint32Array): Coded;
  settleLease(turn: Slot, message: Slot, delivered: boolean): Coded;
  settleLeases(turn: Slot, messages: Uint32Array, delivered: boolean): Coded;
  settleSaid(turn: Slot, ids: readonly string[], delivered: boolean): Coded;
  releaseTurn(turn: Slot): Coded;
  takeQueue(entry: number, retract: boolean, to: Uint32Array): Coded;
  takeQueueSaid(entry: number, retract: boolean): string[] | Coded;
  snapshot(entry: number, to: Uint32Array): Coded;
  snapshotSaid(entry: number, followup: boolean): string[] | Coded;

  /** Plain: a lease, or a coded refusal. Or the key, and the registration of its holder. */
  admissionReserve(
    core: number,
    operationId: string,
    ownerId: string,
    sessionId: string | undefined,
    keys: readonly string[],
  ): number | string[];
  admissionRelease(core: number, lease: number): Coded;
  admissionGet(core: number, operationId: string): string[] | Coded;
  admissionList(
    core: number,
    kind: number,
    sessionId: string | undefined,
    ownerId: string | undefined,
  ): string[] | Coded;
  admissionClose(core: number): Coded;
  leaseLost(lease: number, operationId: string): Coded;

  limiterOpen(capacity: number): Coded;
  /** Plain: 0 granted, a ticket + 1, or -1 closed. */
  limiterAcquire(limiter: number): number;
  limiterIsClosed(limiter: number): Coded;
  limiterLeave(limiter: number, ticket: number): Coded;
  limiterRelease(limiter: number): Coded;
  /** Plain: a ticket, or -1. */
  limiterNext(limiter: number): number;
  limiterGrant(limiter: number, ticket: number): Coded;
  limiterClose(limiter: number, to: Uint32Array): Coded;
  /** Plain. */
  limiterActive(limiter: number): number;
  /** Plain. */
  limiterWaiting(limiter: number): number;
  limiterDrop(limiter: number): Coded;

  logLevel(level: string | undefined): Coded;
  takeLog(): string | undefined;

  openMail(deliver: () => void): Coded;
  /** What other threads have for the face of this letter box, in order: see `Mail::write`. */
  mail(box: number): (number | string)[];
  flushCalls(): number;
  journalKey(scope: string, id: string): string;
  inputDigest(scope: string, text: string): string;
  operationDescriptor(options: string): string;
  schemaCompile(text: string): Plain;
  schemaDrop(schema: number): number;
  schemaJudge(schema: number, text: string): string | undefined;
  plansOpen(): number;
  plansDrop(plans: number): number;
  plansIssue(plans: number, digest: string, until: number): number;
  plansJudge(plans: number, digest: string, now: number): number;

  journalOpen(ticket: number, path: string, options: string): Later;
  journalInMemory(options: string): Plain;
  journalBounds(journal: number): string;
  journalReserve(
    journal: number,
    ticket: number,
    id: string,
    digest: string,
    input: string,
    scope: string,
    now: number,
    unlessHeld: string | undefined,
  ): Later;
  journalUpdate(
    journal: number,
    ticket: number,
    id: string,
    patch: string,
    scope: string,
    now: number,
  ): Later;
  journalResolve(
    journal: number,
    ticket: number,
    id: string,
    resolution: string,
    scope: string,
    now: number,
  ): Later;
  journalRequestCancel(journal: number, ticket: number, id: string, scope: string): Later;
  journalCancel(journal: number, ticket: number, id: string, scope: string, now: number): Later;
  journalForget(journal: number, ticket: number, scope: string, before: number): Later;
  journalDrain(journal: number, ticket: number): Later;
  journalStatus(journal: number, id: string, scope: string): string | undefined;
  journalPayload(journal: number, id: string, scope: string): string | undefined;
  journalStartedAt(journal: number, id: string, scope: string): string | undefined;
  journalCancelRequested(journal: number, id: string, scope: string): Plain;
  journalPage(journal: number, scope: string, offset: number, state: string | undefined): string;
  journalNextQueued(journal: number, scope: string): string | undefined;
  journalInterruptedAccepted(journal: number, scope: string): string;
  journalStats(journal: number): string;
  journalWatch(journal: number, box: number, scope: string, id: string | undefined): Plain;
  watcherNext(watcher: number): string | undefined;
  watcherDrop(watcher: number): number;
  journalVerify(journal: number, ticket: number): Later;
  journalCompact(journal: number, ticket: number): Later;
  journalBackup(journal: number, ticket: number, path: string): Later;
  journalExport(journal: number, scope: string | undefined): Plain;
  exportNext(exported: number, ticket: number): Later;
  exportDrop(exported: number): number;
  importOpen(path: string): Plain;
  importAdd(imported: number, ticket: number, text: string): Later;
  importEnd(imported: number, ticket: number): Later;
  importCancel(imported: number, ticket: number): Later;
  journalClose(journal: number, ticket: number): Later;
  flushJournals(): number;
  journalDrop(journal: number): number;

  logsOpen(ticket: number, directory: string, bounds: string): Later;
  logsAppend(logs: number, ticket: number, id: string, line: string, scope: string): Later;
  logsRetire(logs: number, ticket: number, id: string, scope: string): Later;
  logsRead(logs: number, id: string, offset: number, scope: string): string;
  logsFollow(logs: number, box: number, id: string, scope: string): Plain;
  followerIsOver(follower: number): number;
  followerDrop(follower: number): number;
  logsClose(logs: number, ticket: number): Later;
  logsDrop(logs: number): number;

  runnerStart(journal: number, box: number, options: string, schema: number): Plain;
  runnerAnswer(
    runner: number,
    call: number,
    kind: number,
    text: string | undefined,
    now: number,
  ): number;
  runnerWake(runner: number): number;
  runnerStop(runner: number, ticket: number): number;
  runnerDrop(runner: number): number;
}
