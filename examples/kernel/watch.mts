import type { Run } from './run.mts';
import type { KernelEvent } from './types.mts';

/**
 * Shows a run to its reader. The run is driven apart from that, so that what it owns does not
 * depend on how fast it is read; a reader that leaves early ends it.
 */
export async function* watch(run: Run, drive: () => Promise<void>): AsyncGenerator<KernelEvent> {
  let over = false;
  const driven = drive().finally(() => {
    over = true;
    run.events.close();
  });
  driven.catch(() => {});
  try {
    yield* run.events;
  } finally {
    if (!over) run.abandon(new Error(`The reader of turn ${run.turnId} has left`));
    await driven;
  }
}
