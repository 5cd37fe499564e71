import { codeOf } from './errors.mts';
import { OK, type Claim, type Parts } from './parts.mts';
import type { Run } from './run.mts';
import { drive, type Plan } from './turn.mts';
import type { KernelEvent } from './types.mts';
import { watch } from './watch.mts';

export interface Admission {
  /** What this run keeps others from doing at the same time; see ApplicationOperationService. */
  readonly keys: readonly string[];
  /** Judged once the keys are held. Throws to refuse; what it resolves to is let go at the end. */
  readonly check?: () => Promise<Disposable | void> | Disposable | void;
}

/** The way of every run: claimed, admitted, driven to its end; and whatever happens, released. */
export function admit(
  parts: Parts,
  claim: Claim,
  run: Run,
  { keys, check }: Admission,
  plan: Plan,
): AsyncGenerator<KernelEvent> {
  return watch(run, async () => {
    try {
      run.phase('claimed');
      await claim.enter();
      // A quarantined session refuses by its own code, before it is found busy.
      claim.activationBlocker();
      const lease = parts.core.operations.reserve({
        operationId: run.runId,
        ownerId: run.kind,
        sessionId: run.sessionId,
        exclusivityKeys: keys,
      });
      let held: Disposable | void = undefined;
      try {
        held = await check?.();
        claim.attach(run, (stop) => run.stopping(stop.input));
        run.phase('attached');
        await drive(parts, claim, plan);
      } finally {
        held?.[Symbol.dispose]();
        lease.release();
      }
    } catch (error) {
      // An attached claim that a stop has captured ends by this call and by no other.
      const isUnclean = codeOf(error) === 'ERR_DISPOSAL_FAILED';
      claim.finalize(isUnclean ? { ok: false, error } : OK);
      const cancelled = codeOf(error) === 'ERR_EXECUTION_CANCELLED';
      if (!cancelled && error !== run.abandoned.reason) throw error;
      run.emit({ type: 'end', outcome: 'stopped' });
    } finally {
      claim.release();
    }
  });
}
