// Releases, pays and disposes whatever is left, after which no record may remain.
import assert from 'node:assert/strict';
import { isClosed } from './observe.ts';
import { pay } from './stops.ts';
import { SESSIONS } from './world.ts';
import type { World } from './world.ts';

export function payAll(world: World): string {
  const words: string[] = [];
  world.failDraws = 0;
  const attempt = (what: string, step: () => unknown): void => {
    try {
      words.push(`${what} ${world.describe(step())}`);
    } catch (error) {
      words.push(`${what} thrown ${world.describe(error)}`);
    }
  };
  for (const gate of world.gates) {
    if (!gate.opened) gate.resolve();
    gate.opened = true;
  }
  for (const turn of world.turns) turn.handle.release();
  for (const claim of world.claims) {
    attempt('leave', () => claim.leaveGeneration());
    attempt('finalize', () => claim.finalize({ ok: true }));
    if (claim.phase === 'reserved') attempt('settle', () => claim.settle({ ok: true }));
    attempt('release', () => claim.release());
  }
  for (const lease of world.leases) lease.release();
  for (const operation of world.operations) {
    attempt('pay', () => pay(world, operation));
    attempt('let go', () => {
      for (const member of operation.members())
        if (member.claim) operation.releaseRun(member.claim);
    });
  }
  for (const core of world.cores) {
    if (isClosed(core)) continue;
    for (const sessionId of SESSIONS) {
      attempt('drain', () => core.drainFollowup(sessionId));
      attempt('invalidate', () => {
        const core_ = core.invalidate(sessionId);
        world.track(
          core_.dispose(async (generations) => {
            for (const each of generations) {
              const outcome = await each.dispose(async () => {});
              if (!outcome.ok) return outcome;
            }
            return { ok: true };
          }),
        );
      });
    }
  }
  for (const generation of world.generations)
    attempt('reconcile', () => generation.reconcile() !== undefined);
  for (const permit of world.permits) permit.release();
  return words.join('; ');
}

/** Zero, but for what has failed for good. */
export function remains(world: World): string {
  const words: string[] = [];
  for (const core of world.cores) {
    if (isClosed(core)) continue;
    const { sessions, admissions } = core.stats();
    const forGood = new Set(
      [
        ...world.generations.filter((each) => each.phase === 'failed'),
        ...world.invalidations.filter((each) => each.failure),
      ]
        .filter((each) => !isClosed(world.coreOf(each)))
        .map((each) => each.sessionId),
    );
    assert.deepEqual(
      { sessions, admissions },
      { sessions: forGood.size, admissions: 0 },
      'nothing remains',
    );
    words.push(`${sessions} ${admissions}`);
  }
  return words.join('; ');
}
