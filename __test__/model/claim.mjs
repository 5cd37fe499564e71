// Execution claims: the right to run once in a session, and the record of that run.
import * as errors from './errors.mjs';
import { CoreError } from './errors.mjs';
import { Handle, begin, make, own, ownOpen, peek, rejecting, tell } from './handles.mjs';
import { activationBlocker, reserve, leaveGeneration } from './generation.mjs';
import { waitForMutations, isMutationAhead } from './mutation.mjs';
import { claimEnded } from './stop.mjs';
import { openRequest } from './request.mjs';

const phaseError = (message) => new CoreError('ERR_CLAIM_PHASE', `Execution claim ${message}`);
const startError = (message) => new CoreError('ERR_CLAIM_START', `Execution claim has ${message}`);
const foreign = (sessionId) =>
  new CoreError(
    'ERR_CLAIM_FOREIGN',
    `Execution claim does not own pending admission for session ${sessionId}`,
  );

export const isLive = (claim) => claim.phase !== 'released' && claim.phase !== 'failed';

export function claimExecution(member, sessionId, pending) {
  member.needOpen();
  errors.needId(sessionId, 'sessionId');
  if (pending !== undefined) {
    const claim = peek(pending, ExecutionClaim);
    if (claim?.member !== member || claim.session.id !== sessionId || claim.phase !== 'pending') {
      throw foreign(sessionId);
    }
    return pending;
  }
  const session = member.scope.session(sessionId);
  if (session.attempt) {
    const message = `Session ${sessionId} is stopping and cannot admit a new execution`;
    throw new CoreError('ERR_SESSION_STOPPING', message);
  }
  const claim = {
    member,
    session,
    phase: 'pending',
    ahead: [...session.mutations],
    run: undefined,
    onStop: undefined,
    told: false,
    attempt: undefined,
    attempts: [],
    generation: undefined,
    registered: false,
    finalization: undefined,
    failure: undefined,
    binding: undefined,
    start: { state: 'none', value: undefined },
    controller: new AbortController(),
    cancellation: errors.cancellationError(sessionId),
  };
  session.claims.push(claim);
  claim.handle = make(ExecutionClaim, claim);
  return claim.handle;
}

/** The one way in which a claim ends. */
export function endClaim(claim, outcome) {
  claim.phase = outcome.ok ? 'released' : 'failed';
  claim.failure = outcome.ok ? undefined : { error: outcome.error };
  claim.session.claims = claim.session.claims.filter((each) => each !== claim);
  claimEnded(claim);
}

export function tellStop(claim) {
  if (claim.told || !claim.onStop) return;
  claim.told = true;
  tell(claim.onStop, claim.attempt.handleFor(claim.member));
}

/** An attached claim captured by a stop ends as its finalization did, and not before. */
function endStoppedAttached(claim) {
  if (claim.finalization) endClaim(claim, claim.finalization);
}

const needRun = (claim) => {
  if (!claim.run) throw phaseError(`has no attached Run in phase ${claim.phase}`);
};

export class ExecutionClaim extends Handle {
  get sessionId() {
    return own(this, ExecutionClaim).session.id;
  }

  get phase() {
    return own(this, ExecutionClaim).phase;
  }

  get run() {
    const claim = own(this, ExecutionClaim);
    needRun(claim);
    return claim.run;
  }

  get generation() {
    const claim = own(this, ExecutionClaim);
    if (!claim.generation) throw phaseError(`has no reserved generation in phase ${claim.phase}`);
    return claim.generation.handle;
  }

  get stopSignal() {
    return own(this, ExecutionClaim).controller.signal;
  }

  get cancellation() {
    return own(this, ExecutionClaim).cancellation;
  }

  get stopOperation() {
    const claim = own(this, ExecutionClaim);
    const operation = claim.session.operationOf(claim.member);
    return operation?.members.some((each) => each.claim === claim) ? operation.handle : undefined;
  }

  get interaction() {
    return own(this, ExecutionClaim).binding;
  }

  isStopRequested() {
    return ownOpen(this, ExecutionClaim).attempt !== undefined;
  }

  isExclusive() {
    const claim = ownOpen(this, ExecutionClaim);
    return (
      claim.session.claims.every((each) => each === claim) && claim.session.runs().length === 0
    );
  }

  enter() {
    return rejecting(() => waitForMutations(ownOpen(this, ExecutionClaim)));
  }

  attach(run, onStop) {
    const claim = ownOpen(this, ExecutionClaim);
    errors.needObject(run, 'run');
    const { sessionId, runId, turnId } = run;
    for (const id of [sessionId, runId, turnId]) errors.needString(id, 'run');
    errors.needFunction(onStop, 'onStop');
    if (claim.phase !== 'pending')
      throw phaseError(`cannot attach Run ${runId} from phase ${claim.phase}`);
    if (isMutationAhead(claim)) {
      throw phaseError(`cannot attach Run ${runId} while a session mutation is ahead of it`);
    }
    Object.assign(claim, { run, sessionId, runId, turnId, onStop, phase: 'attached' });
    if (claim.attempt) tellStop(claim);
  }

  activationBlocker() {
    return activationBlocker(ownOpen(this, ExecutionClaim));
  }

  reserve(generation) {
    const claim = ownOpen(this, ExecutionClaim);
    needRun(claim);
    if (claim.phase !== 'attached') throw phaseError(`does not own attached Run ${claim.runId}`);
    reserve(claim, generation);
    claim.phase = 'reserved';
    return claim.attempt?.handleFor(claim.member);
  }

  canDispatch() {
    const { registered, generation } = ownOpen(this, ExecutionClaim);
    return registered && generation.phase === 'active' && generation.current;
  }

  settle(outcome) {
    const claim = own(this, ExecutionClaim);
    if (claim.member.closed) return;
    errors.needObject(outcome, 'outcome');
    if (!outcome.ok && (claim.phase === 'attached' || claim.phase === 'failed')) return;
    needRun(claim);
    if (claim.phase !== 'reserved') throw phaseError(`cannot settle reserved Run ${claim.runId}`);
    endClaim(claim, outcome);
  }

  finalize(outcome) {
    const claim = own(this, ExecutionClaim);
    if (claim.member.closed) return;
    errors.needObject(outcome, 'outcome');
    if (claim.phase !== 'attached') return;
    claim.finalization = outcome;
    if (claim.attempt) endStoppedAttached(claim);
  }

  release() {
    const claim = own(this, ExecutionClaim);
    if (claim.member.closed) return;
    if (claim.phase === 'attached' && claim.attempt) endStoppedAttached(claim);
    else if (claim.phase === 'pending' || claim.phase === 'attached') endClaim(claim, { ok: true });
  }

  [Symbol.dispose]() {
    this.release();
  }

  leaveGeneration() {
    const claim = own(this, ExecutionClaim);
    if (!claim.member.closed) leaveGeneration(claim);
  }

  commitStart(commit) {
    return rejecting(() => {
      const claim = ownOpen(this, ExecutionClaim);
      errors.needFunction(commit, 'commit');
      if (claim.start.state !== 'none') throw startError('already committed its start');
      if (claim.phase !== 'attached')
        throw phaseError(`cannot commit a start in phase ${claim.phase}`);
      claim.start = { state: 'committing', value: undefined };
      return begin(commit).then(
        (value) => {
          claim.start = { state: 'committed', value };
          return value;
        },
        (error) => {
          claim.start = { state: 'failed', value: undefined };
          throw error;
        },
      );
    });
  }

  takeStart() {
    const claim = ownOpen(this, ExecutionClaim);
    if (claim.start.state === 'taken') throw startError('already taken its start');
    if (claim.start.state !== 'committed') throw startError('no committed start');
    const { value } = claim.start;
    claim.start = { state: 'taken', value: undefined };
    return value;
  }

  openRequest(requestId, value) {
    const claim = ownOpen(this, ExecutionClaim);
    errors.needString(requestId, 'requestId');
    if (!claim.registered)
      throw phaseError(`cannot open request ${requestId} in phase ${claim.phase}`);
    return openRequest(claim, requestId, value);
  }

  bindInteraction(binding) {
    const claim = ownOpen(this, ExecutionClaim);
    errors.needObject(binding, 'binding');
    const exact =
      claim.run &&
      binding.sessionId === claim.sessionId &&
      binding.runId === claim.runId &&
      binding.turnId === claim.turnId;
    if (!exact || claim.binding) {
      throw new CoreError(
        'ERR_INTERACTION_IDENTITY',
        'Interaction Run identity or ownership mismatch',
      );
    }
    claim.binding = binding;
  }

  unbindInteraction(binding) {
    const claim = ownOpen(this, ExecutionClaim);
    if (claim.binding === binding) claim.binding = undefined;
  }
}
