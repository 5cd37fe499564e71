import type { StopAttempt, StopOperation, StopProjection } from 'tenure';
import { disposeGeneration } from './disposal.mts';
import { KernelError, oneError } from './errors.mts';
import type { LedgerRecord } from './ledger.mts';
import { OK, type Claim, type Parts } from './parts.mts';
import type { KernelTypes, StopMode } from './types.mts';

type Stop = StopAttempt<KernelTypes>;
type Operation = StopOperation<KernelTypes>;

/** A stop of the session: stop what runs, wait for what was starting, then write it down. */
export async function attemptStop(parts: Parts, stop: Stop): Promise<void> {
  const { mode } = stop.input;
  for (const claim of stop.activeClaims()) {
    retain(stop, claim);
    // The others were told as the stop captured their claims.
    if (!claim.isStopRequested()) claim.run.stopping(stop.input);
  }
  const held = stop.operation;
  const told = held?.enqueue(() => deliver(parts, held, mode));
  const [starts, runs] = await Promise.allSettled([stop.drained(), told]);
  const failures = [
    ...(starts.status === 'fulfilled' ? starts.value : [starts.reason]),
    ...(runs.status === 'fulfilled' ? [] : [runs.reason]),
  ];
  if (failures.length > 0) {
    throw oneError(failures, `Session ${stop.sessionId} was not stopped cleanly`);
  }
  // What was starting may be held since.
  const { operation } = stop;
  await operation?.enqueue(() => pay(parts, operation, mode));
}

/** The operation owes the run's terminal fact and, of a conversation, a record of its turn. */
export function retain(stop: Stop, claim: Claim): Operation {
  const { run } = claim;
  return stop.retain(claim, {
    terminal: true,
    ...(run.isConversation ? { lineage: run.lineage } : {}),
  });
}

/** A run that exits pays what it can of the stop that holds it, and lets go. */
export async function payAtExit(parts: Parts, claim: Claim): Promise<void> {
  const operation = claim.stopOperation;
  if (!operation) return;
  try {
    await operation.enqueue(() => pay(parts, operation, undefined));
  } catch {
    // It stays retained, and the session quarantined: the next stop goes on where this one failed.
  } finally {
    operation.releaseRun(claim);
  }
}

/** `mode` is absent when no backend is to be told: only records are written then. */
async function pay(parts: Parts, operation: Operation, mode: StopMode | undefined): Promise<void> {
  const { core, records, now } = parts;
  const { sessionId } = operation;
  const members = operation.members();
  if (mode) await deliver(parts, operation, mode);
  for (let owed = operation.nextProjection(); owed; owed = operation.nextProjection()) {
    await records.appendOnce(sessionId, projected(operation, owed));
    owed.done();
  }
  for (const member of members) {
    // A run whose backend was not stopped has no terminal fact before it ends.
    const alive = mode === undefined && core.hasActiveRun(sessionId, member.runId);
    if (alive || !member.owesTerminal) continue;
    await records.appendOnce(sessionId, endRecord(member.runId, now(), 'stopped'));
    member.terminalDone();
  }
  operation.complete(members);
  for (const generation of operation.generations()) await generation.reconcile();
}

async function deliver(parts: Parts, operation: Operation, mode: StopMode): Promise<void> {
  const { sessionId } = operation;
  if (operation.deliveryFailures().length > 0) await disposeHeld(operation);
  const failures: unknown[] = [];
  const deliveries = operation.pendingDeliveries().map(async (delivery) => {
    const { generation } = delivery;
    try {
      await generation.stop(() => generation.backend.stop(mode));
      delivery.settle(OK);
    } catch (error) {
      failures.push(error);
      delivery.settle({ ok: false, error });
      // It cannot be stopped any more, so it shall run nothing more.
      parts.core.invalidate(sessionId);
    }
  });
  await Promise.all(deliveries);
  const remedy = 'stop it again to dispose its backend';
  throwStopFailed(operation, failures, `could not be stopped and is quarantined; ${remedy}`);
}

/** A backend is told to stop once. If that failed, a second stop of the session disposes it. */
async function disposeHeld(operation: Operation): Promise<void> {
  const held = operation.generations().filter(({ activeRuns }) => activeRuns.size > 0);
  const outcomes = await Promise.all(held.map(disposeGeneration));
  const failures = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  throwStopFailed(operation, failures, 'is quarantined for good: its backend was not disposed');
}

function throwStopFailed(operation: Operation, failures: unknown[], what: string): void {
  if (failures.length === 0) return;
  const cause = oneError(failures, 'Several backends failed');
  const message = `Session ${operation.sessionId} ${what}`;
  const error = new KernelError('ERR_STOP_FAILED', message, { cause });
  for (const { claim } of operation.members()) claim?.run.emit({ type: 'stop_failed', error });
  throw error;
}

function projected(operation: Operation, owed: StopProjection<KernelTypes>): LedgerRecord {
  const { ts, input } = operation;
  switch (owed.kind) {
    case 'status':
      return { type: 'status', id: `status:${ts}`, ts, status: 'aborted' };
    case 'turn': {
      const { id, turnId, lineage } = owed;
      return (owed.message ??= { type: 'turn', id, ts, turnId, state: 'aborted', lineage });
    }
    case 'note':
      return { type: 'note', id: owed.id, ts, kind: 'abort', source: input.source };
  }
}

export function endRecord(
  runId: string,
  ts: number,
  outcome: 'completed' | 'stopped' | 'failed',
  error?: string,
) {
  const id = `end:${runId}`;
  return {
    type: 'end',
    id,
    ts,
    runId,
    outcome,
    ...(error === undefined ? {} : { error }),
  } as const;
}
