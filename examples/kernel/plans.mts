import { KernelError } from './errors.mts';
import { continuationOf, recordsOf, stepsOf, type Continuation } from './history.mts';
import type { CheckpointRecord } from './ledger.mts';
import type { Claim, Parts } from './parts.mts';
import type { Plan } from './turn.mts';

export function promptSteps(text: string): string[] {
  const steps = stepsOf(text);
  if (steps.length > 0) return steps;
  throw new KernelError('ERR_PROMPT_EMPTY', 'A prompt has at least one line that is not empty');
}

export function runSteps(steps: readonly string[]): Plan {
  return { steps, work: ({ backend }, run) => backend.run(run) };
}

/** Folds the records so far into a checkpoint, and drops it if a stop came meanwhile. */
export function compaction({ records, newId, now }: Parts, sessionId: string): Plan {
  return {
    steps: [],
    work: async ({ backend }, { mayContinue, emit }) => {
      const checkpoint = await backend.compact(await records.history(sessionId));
      if (!mayContinue()) return 'stopped';
      const record: CheckpointRecord = { type: 'checkpoint', id: newId(), ts: now(), checkpoint };
      await records.checkpoint(sessionId, record);
      emit({ type: 'compacted', checkpoint });
      return 'completed';
    },
  };
}

export function assertAlone(claim: Claim): void {
  if (claim.isExclusive()) return;
  const message = `Session ${claim.sessionId} cannot be compacted while something runs in it`;
  throw new KernelError('ERR_COMPACTION_BUSY', message);
}

/** A continuation is planned from the ledger at leisure, and judged again when it is admitted. */
export async function assertUnchanged(parts: Parts, source: Continuation): Promise<void> {
  const { sessionId, sourceRunId, highWater } = source;
  const { records } = await parts.records.history(sessionId);
  const taken = continuationOf(sourceRunId, records);
  if (taken) {
    const message = `Run ${sourceRunId} was already continued by run ${taken.runId}`;
    throw new KernelError('ERR_CONTINUATION_TAKEN', message);
  }
  const live = parts.core.hasActiveRun(sessionId, sourceRunId);
  if (!live && recordsOf(sourceRunId, records).length === highWater) return;
  const message = `Run ${sourceRunId} has changed since its continuation was planned`;
  throw new KernelError('ERR_CONTINUATION_STALE', message);
}
