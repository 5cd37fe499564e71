// Retained stop operations: what a stop still owes, kept until it is paid.
import * as errors from './errors.mjs';
import { CoreError } from './errors.mjs';
import { Handle, make, own, ownOpen, peek, quiet, rejecting } from './handles.mjs';
import { Lane } from './lane.mjs';
import { ExecutionClaim } from './claim.mjs';

export function retain(view, claimHandle, owed = {}) {
  const { attempt, member } = view;
  const { session } = attempt;
  const claim = peek(claimHandle, ExecutionClaim);
  if (claim?.member !== member || claim.session !== session) {
    const message = `Execution claim does not own pending admission for session ${session.id}`;
    throw new CoreError('ERR_CLAIM_FOREIGN', message);
  }
  if (!claim.generation) {
    const message = `Execution claim has no reserved generation in phase ${claim.phase}`;
    throw new CoreError('ERR_CLAIM_PHASE', message);
  }
  const existing = session.operationOf(member);
  if (existing?.members.some((each) => each.retained === claim)) return existing;

  const owesStatus = attempt.opener === undefined;
  const ts = existing ? undefined : member.now();
  const noteId = existing || !owesStatus ? undefined : member.newId();
  const turnProjectionId = owed.lineage === undefined ? undefined : member.newId();

  const operation = existing ?? open(view, ts, noteId);
  if (!existing) {
    session.operations.push(operation);
    attempt.opener ??= operation;
    member.opened.push(operation);
  }
  add(operation, claim, owed, turnProjectionId);
  return operation;
}

function open(view, ts, noteId) {
  const operation = {
    member: view.member,
    session: view.attempt.session,
    attempt: view.attempt,
    input: view.input,
    ts,
    /** One per generation: its backend stop. */
    targets: [],
    members: [],
    turns: [],
    status: undefined,
    note: undefined,
    lane: new Lane(),
    paid: false,
  };
  if (noteId !== undefined) {
    operation.status = projection({ kind: 'status' });
    operation.note = projection({ kind: 'note', id: noteId });
  }
  operation.handle = make(StopOperation, operation);
  return operation;
}

function add(operation, claim, owed, turnProjectionId) {
  let target = operation.targets.find((each) => each.generation === claim.generation);
  if (!target) {
    target = { operation, generation: claim.generation, delivery: 'pending', error: undefined };
    target.handle = make(StopDelivery, target);
    operation.targets.push(target);
    operation.targets.sort((one, other) => one.generation.id - other.generation.id);
  }
  target.isReferred = true;
  const owesTerminal = owed.terminal === true;
  const entry = {
    operation,
    target,
    claim,
    retained: claim,
    runId: claim.runId,
    owesTerminal,
    stopped: false,
  };
  entry.handle = make(StopMember, entry);
  operation.members.push(entry);
  if (turnProjectionId === undefined) return;
  operation.turns.push(
    projection({
      kind: 'turn',
      id: turnProjectionId,
      turnId: claim.turnId,
      lineage: owed.lineage,
      message: undefined,
    }),
  );
}

function projection(facts) {
  const entry = { isDone: false, handle: facts };
  facts.done = () => {
    entry.isDone = true;
  };
  return entry;
}

const owedProjections = ({ status, turns, note }) =>
  [status, ...turns, note].filter((each) => each && !each.isDone);

export const refersTo = (operation, generation) =>
  operation.targets.some((target) => target.generation === generation && target.isReferred);

export class StopOperation extends Handle {
  get sessionId() {
    return own(this, StopOperation).session.id;
  }

  get input() {
    return own(this, StopOperation).input;
  }

  get ts() {
    return own(this, StopOperation).ts;
  }

  enqueue(task) {
    return quiet(
      rejecting(() => {
        const operation = ownOpen(this, StopOperation);
        errors.needFunction(task, 'task');
        return operation.lane.add(task);
      }),
    );
  }

  members() {
    const operation = ownOpen(this, StopOperation);
    return operation.targets.flatMap((target) =>
      operation.members.filter((each) => each.target === target).map((each) => each.handle),
    );
  }

  pendingDeliveries() {
    return ownOpen(this, StopOperation)
      .targets.filter((each) => each.delivery === 'pending')
      .map((each) => each.handle);
  }

  nextProjection() {
    return owedProjections(ownOpen(this, StopOperation))[0]?.handle;
  }

  complete(members) {
    const operation = ownOpen(this, StopOperation);
    if (!Array.isArray(members)) errors.needIds(members, 'members');
    for (const handle of members) {
      const entry = own(handle, StopMember);
      if (entry.operation === operation && !entry.owesTerminal) entry.stopped = true;
    }
    const isPaid =
      owedProjections(operation).length === 0 &&
      operation.targets.every((each) => each.delivery !== 'pending') &&
      operation.members.every((each) => each.stopped);
    if (!isPaid || operation.paid) return false;
    operation.paid = true;
    const { session } = operation;
    session.operations = session.operations.filter((each) => each !== operation);
    return true;
  }

  generations() {
    const operation = ownOpen(this, StopOperation);
    return operation.targets
      .filter((target) => target.isReferred)
      .map((target) => target.generation.handle);
  }

  deliveryFailures() {
    return ownOpen(this, StopOperation)
      .targets.filter((each) => each.delivery === 'failed')
      .map((each) => each.error);
  }

  releaseRun(claimHandle) {
    const operation = ownOpen(this, StopOperation);
    const claim = peek(claimHandle, ExecutionClaim);
    errors.needObject(claim, 'claim');
    for (const each of operation.members) if (each.claim === claim) each.claim = undefined;
    const isHere = (target) =>
      operation.members.some((each) => each.target === target && each.claim);
    for (const target of operation.targets) {
      if (target.delivery !== 'pending' && !isHere(target)) target.isReferred = false;
    }
  }
}

export class StopMember extends Handle {
  get runId() {
    return own(this, StopMember).runId;
  }

  get claim() {
    return own(this, StopMember).claim?.handle;
  }

  get owesTerminal() {
    return own(this, StopMember).owesTerminal;
  }

  terminalDone() {
    own(this, StopMember).owesTerminal = false;
  }
}

export class StopDelivery extends Handle {
  get generation() {
    return own(this, StopDelivery).generation.handle;
  }

  settle(outcome) {
    const target = own(this, StopDelivery);
    errors.needObject(outcome, 'outcome');
    if (target.delivery !== 'pending') return;
    target.delivery = outcome.ok ? 'delivered' : 'failed';
    target.error = outcome.ok ? undefined : outcome.error;
  }
}

export function closeOperations(member) {
  for (const operation of member.opened) operation.lane.close();
  for (const session of member.scope.sessions.values()) {
    const gone = session.operationOf(member);
    if (!gone) continue;
    session.operations = session.operations.filter((each) => each !== gone);
    const isTold = gone.status?.isDone && gone.note?.isDone;
    if (gone.attempt.opener === gone && !isTold) gone.attempt.opener = undefined;
  }
}
