import { disposeGeneration, disposeInvalidated } from './disposal.mts';
import { codeOf, KernelError } from './errors.mts';
import type { Claim, Generation, Parts } from './parts.mts';

/** The route's backend, built if there is none. Throws why the session may not have one now. */
export function activate(
  parts: Parts,
  claim: Claim,
  route: string | undefined,
): Promise<Generation> {
  const signal = AbortSignal.any([claim.stopSignal, claim.run.abandoned]);
  return abortable(obtain(parts, claim, route, signal), signal, parts.patienceMs);
}

async function obtain(
  parts: Parts,
  claim: Claim,
  route: string | undefined,
  signal: AbortSignal,
): Promise<Generation> {
  for (;;) {
    await clearTheWay(parts, claim);
    signal.throwIfAborted();
    try {
      const make = () => build(parts, claim, route, signal);
      return await parts.core.activate(claim.sessionId, route, make);
    } catch (error) {
      // A build that was joined may have been cancelled with the turn that began it.
      if (signal.aborted || codeOf(error) !== 'ERR_EXECUTION_CANCELLED') throw error;
    }
  }
}

async function clearTheWay(parts: Parts, claim: Claim): Promise<void> {
  for (;;) {
    const blocker = claim.activationBlocker();
    const due = blocker ? undefined : parts.core.dueInvalidation(claim.sessionId);
    if (blocker) await blocker;
    else if (!due) return;
    else if (!(await disposeInvalidated(parts, due, claim.run)).ok) throw due.failure;
  }
}

async function build(
  parts: Parts,
  claim: Claim,
  route: string | undefined,
  signal: AbortSignal,
): Promise<Generation> {
  const { core, startBackend, now } = parts;
  const { sessionId } = claim;
  const backend = await startBackend({ sessionId, route, signal });
  let generation: Generation;
  try {
    generation = core.createGeneration(claim, route, backend, { startedAt: now() });
  } catch (error) {
    await backend.dispose();
    throw error;
  }
  if (generation.isCurrent) return generation;
  // A stop came while it was being built: it shall never run anything.
  const disposal = await disposeGeneration(generation);
  if (disposal.ok) throw claim.cancellation;
  const message = `A backend of session ${sessionId} that a stop forestalled was not disposed`;
  throw new KernelError('ERR_DISPOSAL_FAILED', message, { cause: disposal.error });
}

/** Settles as `work` does, unless that takes longer than `patienceMs` after the abort. */
function abortable<R>(work: Promise<R>, signal: AbortSignal, patienceMs: number): Promise<R> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => reject(signal.reason), patienceMs);
    };
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    void work.then(resolve, reject).finally(done);
  });
}
