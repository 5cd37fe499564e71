import type { SteeringTurn } from 'tenure';
import type { SteeredRecord } from './ledger.mts';
import type { Parts } from './parts.mts';
import type { Run } from './run.mts';

/** Makes the run the owner of its session's queue, if it is one that can be steered. */
export function openSteering({ core }: Parts, run: Run): SteeringTurn | undefined {
  if (!run.isConversation) return undefined;
  const onUpdate = run.emit.bind(run);
  return core.openSteeringTurn(run.sessionId, run.turnId, (snapshot) =>
    onUpdate({ type: 'queue', ...snapshot }),
  );
}

/**
 * Leases what is queued and keeps what the ledger has: a text is acknowledged when it is found
 * there, and goes back to the queue when it is not. One that goes back takes those after it along,
 * so that their order stays. If the ledger cannot be read, the leases stand until the turn is
 * released.
 */
export async function takeSteering(
  { records, now }: Parts,
  run: Run,
  steering: SteeringTurn | undefined,
): Promise<string[]> {
  const leases = steering?.pull() ?? [];
  const taken: string[] = [];
  for (const [at, { id, content }] of leases.entries()) {
    const { text } = content;
    const { runId, sessionId } = run;
    const record: SteeredRecord = { type: 'steered', id, ts: now(), runId, text };
    if (!(await records.lands(sessionId, record))) {
      const back = leases.slice(at);
      steering?.nack(back.map((lease) => lease.id));
      for (const lease of back) run.emit({ type: 'not_steered', text: lease.content.text });
      break;
    }
    steering?.ack([id]);
    taken.push(text);
    run.emit({ type: 'steered', text });
  }
  return taken;
}
