import type { LedgerEntry, LedgerRecord, RunRecord } from './ledger.mts';

/** What a compaction leaves of the runs before it. */
export interface Checkpoint {
  readonly runs: number;
  readonly steps: number;
  readonly bytes: number;
  readonly lastCommands: readonly string[];
}

/** A checkpoint and where in the ledger the records after it begin. */
export interface Placed {
  readonly checkpoint: Checkpoint | undefined;
  readonly offset: number;
}

export interface History {
  readonly checkpoint: Checkpoint | undefined;
  readonly records: readonly LedgerRecord[];
}

/** A turn that ended early, and all that a continuation of it has to find unchanged. */
export interface Continuation {
  readonly sessionId: string;
  readonly sourceRunId: string;
  readonly sourceTurnId: string;
  /** How many records the source had. */
  readonly highWater: number;
  readonly steps: readonly string[];
}

const none: Checkpoint = { runs: 0, steps: 0, bytes: 0, lastCommands: [] };
const commandsKept = 5;

export function stepsOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The last checkpoint of a whole ledger. */
export function lastCheckpoint(entries: readonly LedgerEntry[]): Placed {
  const entry = entries.filter(({ record }) => record.type === 'checkpoint').at(-1);
  if (entry?.record.type !== 'checkpoint') return { checkpoint: undefined, offset: 0 };
  return { checkpoint: entry.record.checkpoint, offset: entry.end };
}

export function compacted({ checkpoint = none, records }: History): Checkpoint {
  const steps = records.filter((record) => record.type === 'step');
  const runs = records.filter((record) => record.type === 'run' && record.kind !== 'compaction');
  const commands = [...checkpoint.lastCommands, ...steps.map(({ command }) => command)];
  return {
    runs: checkpoint.runs + runs.length,
    steps: checkpoint.steps + steps.length,
    bytes: steps.reduce((sum, { bytes }) => sum + bytes, checkpoint.bytes),
    lastCommands: commands.slice(-commandsKept),
  };
}

/**
 * The newest turn of the session, if it ended before its last step and nothing has continued it.
 * A run without an end that is not `live` was cut short with the process that ran it.
 */
export function resumable(
  sessionId: string,
  records: readonly LedgerRecord[],
  live: (runId: string) => boolean,
): Continuation | undefined {
  const source = records
    .filter((record) => record.type === 'run')
    .filter(isTurn)
    .at(-1);
  if (!source || live(source.runId)) return undefined;
  const own = recordsOf(source.runId, records);
  const steps = stepsLeft(source, own);
  const completed = own.some((record) => record.type === 'end' && record.outcome === 'completed');
  if (completed || steps.length === 0) return undefined;
  const { runId: sourceRunId, turnId: sourceTurnId } = source;
  return { sessionId, sourceRunId, sourceTurnId, highWater: own.length, steps };
}

/** The run that continues `runId`, if one has begun. */
export function continuationOf(
  runId: string,
  records: readonly LedgerRecord[],
): RunRecord | undefined {
  const run = records.find((record) => record.type === 'run' && record.lineage.continues === runId);
  return run?.type === 'run' ? run : undefined;
}

export function recordsOf(runId: string, records: readonly LedgerRecord[]): LedgerRecord[] {
  return records.filter((record) => 'runId' in record && record.runId === runId);
}

function isTurn({ kind }: RunRecord): boolean {
  return kind === 'turn' || kind === 'continuation';
}

/** Replays what became of the steps: a steered text went before those that were left. */
function stepsLeft(run: RunRecord, own: readonly LedgerRecord[]): string[] {
  const left = [...run.steps];
  for (const record of own) {
    if (record.type === 'steered') left.unshift(...stepsOf(record.text));
    if (record.type === 'step' && record.ended === 'exited') left.shift();
  }
  return left;
}
