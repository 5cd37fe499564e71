import type { BackendInvalidation, Outcome } from 'tenure';
import { OK, type Generation, type Parts } from './parts.mts';
import type { Run } from './run.mts';
import type { Core, KernelTypes } from './types.mts';

export function disposeGeneration(generation: Generation): Promise<Outcome> {
  return generation.dispose(() => generation.backend.dispose());
}

/** The disposal drops the session's queue, so what is queued goes back to its writer first. */
export function disposeInvalidated(
  parts: Parts,
  invalidation: BackendInvalidation<KernelTypes>,
  run?: Run,
): Promise<Outcome> {
  returnQueued(parts, invalidation.sessionId, run);
  return invalidation.dispose(async (generations) => {
    const outcomes = await Promise.all(generations.map(disposeGeneration));
    return outcomes.find(({ ok }) => !ok) ?? OK;
  });
}

/** Tells `run`, or the running turn, or the kernel's listener what nobody will run any more. */
export function returnQueued({ core, onEvent }: Parts, sessionId: string, run?: Run): void {
  const texts = core.retractQueue(sessionId);
  if (texts.length === 0) return;
  const reader = run ?? runningTurn(core, sessionId);
  if (reader) reader.emit({ type: 'returned', texts });
  else onEvent({ type: 'returned', texts, sessionId });
}

export function runningTurn(core: Core, sessionId: string): Run | undefined {
  const found = core
    .activeTurnIds(sessionId)
    .find((id) => core.runForTurn(sessionId, undefined, id));
  return found === undefined ? undefined : core.runForTurn(sessionId, undefined, found);
}
