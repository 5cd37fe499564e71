import { activate } from './activation.mts';
import { disposeGeneration, disposeInvalidated } from './disposal.mts';
import { messageOf } from './errors.mts';
import { stepRecord, type EndRecord, type RunRecord } from './ledger.mts';
import { OK, type Claim, type Generation, type Parts } from './parts.mts';
import { openSteering, takeSteering } from './steering.mts';
import { endRecord, payAtExit, retain } from './stop.mts';
import type { BackendRun } from './types.mts';

/** What one kind of run does differently from the others. */
export interface Plan {
  readonly steps: readonly string[];
  /** The child turn whose own backend is meant; absent: the session's backend. */
  readonly route?: string;
  /** A continuation: its beginning is committed before it is admitted, and taken once. */
  readonly commitsStart?: boolean;
  readonly work: (generation: Generation, run: BackendRun) => Promise<'completed' | 'stopped'>;
}

interface End {
  readonly outcome: EndRecord['outcome'];
  readonly error?: unknown;
}

/** From an admitted claim to the end of its run. Throws only if the run did not begin. */
export async function drive(parts: Parts, claim: Claim, plan: Plan): Promise<void> {
  const { run } = claim;
  // From here on a text can be steered into the turn, also while its backend is being built.
  const steering = openSteering(parts, run);
  try {
    const generation = await begin(parts, claim, plan);
    const { runId, sessionId } = run;
    let index = 0;
    const backendRun: Omit<BackendRun, 'steps'> = {
      place: () => ({ runId, index }),
      emit: (event) => run.emit(event),
      room: () => run.events.room(),
      mayContinue: () => mayRun(claim),
      stepEnded: async (result) => {
        await parts.records.append(sessionId, stepRecord({ runId, index }, parts.now(), result));
        index += 1;
        run.emit({ type: 'step_end', result });
      },
      takeSteering: () => takeSteering(parts, run, steering),
    };
    const end = await work(parts, claim, plan, generation, backendRun);
    // What is still queued opens the next turn.
    steering?.release();
    const ended = await recordEnd(parts, claim, end);
    await leave(parts, claim);
    run.emit({ type: 'end', ...ended });
  } finally {
    steering?.release();
  }
}

/** attached → reserved → released, with the beginning of the run in the ledger. */
async function begin(parts: Parts, claim: Claim, plan: Plan): Promise<Generation> {
  const { records, now } = parts;
  const { sessionId } = claim;
  const { runId, turnId, kind, lineage } = claim.run;
  const { steps } = plan;
  const stamp = { id: `run:${runId}`, ts: now() };
  const record: RunRecord = { type: 'run', ...stamp, runId, turnId, kind, steps, lineage };
  const append = async (): Promise<RunRecord> => {
    await records.append(sessionId, record);
    return record;
  };
  const generation = await activate(parts, claim, plan.route);
  try {
    if (plan.commitsStart) await claim.commitStart(append);
    const stop = claim.reserve(generation);
    if (stop) retain(stop, claim);
    if (!plan.commitsStart) await append();
  } catch (error) {
    const end = endRecord(runId, now(), 'failed', messageOf(error));
    await records.appendOnce(sessionId, end).catch(() => {});
    if (claim.phase === 'reserved') {
      claim.settle({ ok: false, error });
      await leave(parts, claim);
    }
    throw error;
  }
  claim.settle(OK);
  claim.run.phase('reserved', generation.id);
  return generation;
}

async function work(
  parts: Parts,
  claim: Claim,
  plan: Plan,
  generation: Generation,
  backendRun: Omit<BackendRun, 'steps'>,
): Promise<End> {
  const { run } = claim;
  const onAbandon = (): void => void stopAbandoned(parts, generation);
  run.abandoned.addEventListener('abort', onAbandon, { once: true });
  try {
    // Nothing may be awaited between this question and the dispatch.
    if (!mayRun(claim)) return { outcome: 'stopped' };
    const { steps } = plan.commitsStart ? claim.takeStart() : plan;
    run.phase('running');
    return { outcome: await plan.work(generation, { ...backendRun, steps }) };
  } catch (error) {
    return { outcome: 'failed', error };
  } finally {
    run.abandoned.removeEventListener('abort', onAbandon);
  }
}

/**
 * Whether the run still owns its backend. The claim of a running turn has ended, and no stop
 * captures it: such a run learns of a stop from the operation that holds it.
 */
function mayRun(claim: Claim): boolean {
  const stopped = claim.isStopRequested() || claim.stopOperation || claim.run.abandoned.aborted;
  return !stopped && claim.canDispatch();
}

/** The stop that holds the run may have written its end first: then that is how it ended. */
async function recordEnd({ records, now }: Parts, { run }: Claim, end: End): Promise<End> {
  const message = end.error === undefined ? undefined : messageOf(end.error);
  const record: EndRecord = endRecord(run.runId, now(), end.outcome, message);
  try {
    const { outcome } = await records.appendOnce(run.sessionId, record);
    return { ...end, outcome };
  } catch (error) {
    return { outcome: 'failed', error: end.error ?? error };
  }
}

/** Takes the run off its backend and does what had to wait for that. */
async function leave(parts: Parts, claim: Claim): Promise<void> {
  const { generation, run, sessionId } = claim;
  claim.leaveGeneration();
  await payAtExit(parts, claim);
  await generation.reconcile();
  if (run.kind === 'child' && generation.phase === 'active') await disposeGeneration(generation);
  if (generation.failure) run.emit({ type: 'dispose_failed', error: generation.failure });
  const due = parts.core.dueInvalidation(sessionId);
  if (!due) return;
  const disposal = await disposeInvalidated(parts, due, run);
  if (!disposal.ok) run.emit({ type: 'dispose_failed', error: due.failure });
}

async function stopAbandoned({ core }: Parts, generation: Generation): Promise<void> {
  try {
    await generation.stop(() => generation.backend.stop('immediate'));
  } catch {
    core.invalidate(generation.sessionId);
    await disposeGeneration(generation);
  }
}
