// Times and states in words.
import type { OperationStatus } from '../../index.js';
import { safe } from '../terminal/safe.js';

const STEPS: readonly (readonly [ms: number, unit: string])[] = [
  [864e5, 'd'],
  [36e5, 'h'],
  [6e4, 'm'],
  [1e3, 's'],
];

/** How long ago, in the largest unit that says anything. */
export function ago(at: number, now: number): string {
  const past = Math.max(0, now - at);
  for (const [ms, unit] of STEPS) if (past >= ms) return `${Math.floor(past / ms)}${unit}`;
  return 'now';
}

/** A time as ISO 8601 has it; what no date reaches as a number. */
export function date(at: number): string {
  const found = new Date(at);
  return Number.isNaN(found.getTime()) ? String(at) : found.toISOString();
}

/** Never 100 before the end; what a double cannot hold does not count. */
export const percent = (progress: number | null): string =>
  progress === null ? '' : `${Math.floor(Number((progress * 100).toFixed(6)))}%`;

/** What a person wants to know of a row beside its state. */
export function remark(status: OperationStatus): string {
  const { state, submission, error, stage, queuePosition } = status;
  const parts: string[] = [];
  if (state === 'interrupted')
    parts.push(submission === 'accepted' ? 'waits for its runner' : 'waits for a decision');
  // Whoever owned the journal is gone: it could not be read otherwise.
  if (status.stale && (state === 'running' || state === 'queued')) parts.push('nobody watches');
  if (queuePosition !== null) parts.push(queuePosition === 0 ? 'next' : `${queuePosition} ahead`);
  if (error !== null) parts.push(safe(error));
  if (stage !== null) parts.push(safe(stage));
  return parts.join(': ');
}
