// Everything that a caller can see of a world without changing it.
import type * as Tenure from '../../../index.js';
import { seen } from './stops.ts';
import { ROUTES, SESSIONS } from './world.ts';
import type { World } from './world.ts';

type Note = (what: string, value: unknown) => void;

function attempted(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

function noteClaim(note: Note, claim: Tenure.ExecutionClaim, closed: boolean): void {
  const { phase } = claim;
  note('phase', phase);
  if (closed) return;
  note(
    'stop requested',
    attempted(() => claim.isStopRequested()),
  );
  note(
    'exclusive',
    attempted(() => claim.isExclusive()),
  );
  note(
    'can dispatch',
    attempted(() => claim.canDispatch()),
  );
  note('interaction', claim.interaction);
  note('stop operation', claim.stopOperation);
  if (phase !== 'pending')
    note(
      'run',
      attempted(() => claim.run),
    );
  if (phase === 'reserved') note('generation', claim.generation);
}

function noteGeneration(note: Note, generation: Tenure.BackendGeneration): void {
  note('phase', generation.phase);
  note('current', generation.isCurrent);
  note('active runs', generation.activeRuns.size);
  note('failure', generation.failure);
  note('header', generation.cachedHeader);
  note('disposal begun', generation.disposal !== undefined);
}

function noteOperation(note: Note, operation: Tenure.StopOperation): void {
  note(
    'members',
    attempted(() => operation.members().map((each) => [each.runId, each.claim, each.owesTerminal])),
  );
  note(
    'deliveries',
    attempted(() => operation.pendingDeliveries().map((each) => each.generation)),
  );
  note(
    'projection',
    attempted(() => seen(operation.nextProjection())),
  );
  note(
    'generations',
    attempted(() => operation.generations()),
  );
  note(
    'failures',
    attempted(() => operation.deliveryFailures()),
  );
}

function noteSession(note: Note, core: Tenure.RuntimeCore, sessionId: string): void {
  note('has active runs', core.hasActiveRuns(sessionId));
  note('active turns', core.activeTurnIds(sessionId));
  note('generations', core.generations(sessionId));
  for (const route of ROUTES) note('current', core.currentGeneration(sessionId, route));
  note(
    'requests',
    core
      .requests(sessionId)
      .map((each) => [each, each.requestId, each.turnId, each.generation, each.value]),
  );
  note('invalidation', core.invalidation(sessionId));
  note('due invalidation', core.dueInvalidation(sessionId));
}

function noteCore(note: Note, core: Tenure.RuntimeCore, closed: boolean): void {
  if (closed) return;
  for (const sessionId of SESSIONS) noteSession(note, core, sessionId);
  note('cached sessions', core.cachedSessions().sort());
  note('operations', core.operations.listActive());
  const { sessions, admissions } = core.stats();
  note('sessions', sessions);
  note('admissions', admissions);
}

export const isClosed = (core: Tenure.RuntimeCore): boolean =>
  attempted(() => core.stats()) instanceof Error;

export function observe(world: World): [string, unknown][] {
  const seenValues: [string, unknown][] = [];
  const note: Note = (what, value) => {
    seenValues.push([what, typeof value === 'object' ? world.describe(value) : value]);
  };
  const each = <V extends object>(
    table: readonly V[],
    on: (note: Note, value: V) => void,
  ): void => {
    for (const value of table) {
      seenValues.push(['of', world.describe(value)]);
      on(note, value);
    }
  };
  const closed = world.cores.map(isClosed);
  each(world.claims, (on, claim) => noteClaim(on, claim, closed[world.owner(claim)]!));
  each(world.generations, noteGeneration);
  each(world.operations, noteOperation);
  each(world.invalidations, (tell, value) => tell('failure', value.failure));
  for (const [at, core] of world.cores.entries()) noteCore(note, core, closed[at]!);
  for (const signal of world.watched) note('aborted', signal.stopSignal.aborted);
  note('permits', world.limiter.activeCount);
  note('waiting', world.limiter.waitingCount);
  return seenValues;
}
