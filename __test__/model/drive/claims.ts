// Commands on claims, their runs, starts, requests and bindings.
import fc from 'fast-check';
import type * as Tenure from '../../../index.js';
import {
  SKIPPED,
  define,
  index,
  isLive,
  mostlyWell,
  ok,
  outcome,
  pick,
  pickCore,
  route,
  session,
} from './define.ts';
import type { Definition } from './define.ts';
import { isClosed } from './observe.ts';
import { script } from './script.ts';
import { hasGeneration } from './stops.ts';
import type { World } from './world.ts';

export function claim(world: World, core: number, sessionId: string): Tenure.ExecutionClaim {
  return world.keep('claim', world.claims, world.cores[core]!.claimExecution(sessionId), core);
}

/** A run whose ids are its own, or those of a claim made before. */
function newRun(
  world: World,
  of: Tenure.ExecutionClaim,
  twin?: Tenure.RunIdentity,
  same = 0,
): Tenure.RunIdentity {
  const name = world.label('run', of);
  const run = {
    sessionId: of.sessionId,
    runId: twin && same !== 1 ? twin.runId : `r-${name}`,
    turnId: twin && same !== 0 ? twin.turnId : `t-${name}`,
  };
  world.label('run', run);
  return run;
}

export function attach(
  world: World,
  of: Tenure.ExecutionClaim,
  inner: () => void,
  run = newRun(world, of),
): void {
  const core = world.owner(of);
  const name = world.describe(of);
  of.attach(run, (stop) => {
    world.keep('stop', world.stops, stop, core);
    world.event(
      `stop ${core} ${of.sessionId}`,
      `onStop of ${name} in ${world.describe(stop)} ${of.phase}`,
    );
    inner();
  });
}

const runOf = (of: Tenure.ExecutionClaim): Tenure.RunIdentity | undefined => {
  try {
    return of.run;
  } catch {
    return undefined;
  }
};

/** Takes a claim all the way to a running turn, perhaps one of another run. */
function startTurn(
  world: World,
  core: number,
  sessionId: string,
  on: string | undefined,
  twin: Tenure.RunIdentity | undefined,
): unknown {
  const made = claim(world, core, sessionId);
  if (twin) world.twins.add(made);
  attach(world, made, () => {}, newRun(world, made, twin, 1));
  const kernel = world.cores[core]!;
  const generation =
    kernel.currentGeneration(sessionId, on) ??
    world.keep(
      'generation',
      world.generations,
      kernel.createGeneration(made, on, world.newValue('backend'), world.newValue('header')),
      core,
    );
  made.reserve(generation);
  made.settle({ ok: true });
  return made;
}

/** The run of another claim of the session, to be confused with. */
function twinFor(world: World, sessionId: string, at: number): Tenure.RunIdentity | undefined {
  const others = world.claims.filter((each) => each.sessionId === sessionId && runOf(each));
  const other = pick(others, at);
  return other && runOf(other);
}

/** What is left open of the claims of a member that has ended is not asked. */
const ofOpenMembers = (world: World) =>
  world.claims.filter((each) => !isClosed(world.coreOf(each)));

const isPhase = (phase: string) => (each: Tenure.ExecutionClaim) => each.phase === phase;
const isRegistered = (world: World) => (each: Tenure.ExecutionClaim) =>
  hasGeneration(each) && !world.left.has(each);

export const claims: Record<string, Definition> = {
  claim: define(7, { core: index, session, watch: fc.boolean(), inner: script }, (world, args) => {
    const core = pickCore(world, args.core);
    const made = claim(world, core, args.session);
    if (args.watch) {
      world.watched.add(made);
      made.stopSignal.addEventListener('abort', () => {
        const same = made.stopSignal.reason === made.cancellation;
        world.event(`stop ${core} ${args.session}`, `abort of ${world.describe(made)} ${same}`);
        args.inner(world);
      });
    }
    return made;
  }),

  claimPending: define(2, { core: index, session, claim: index }, (world, args) => {
    const given = pick(world.claims, args.claim, isPhase('pending'));
    if (!given) return SKIPPED;
    const sessionId = args.claim % 4 === 0 ? args.session : given.sessionId;
    return world.cores[pickCore(world, args.core)]!.claimExecution(sessionId, given);
  }),

  attach: define(
    6,
    { claim: index, twin: fc.nat({ max: 9 }), same: fc.nat({ max: 2 }), inner: script },
    (world, args) => {
      const given = pick(world.claims, args.claim, isPhase('pending'));
      if (!given) return SKIPPED;
      const twin = args.twin < 2 ? twinFor(world, given.sessionId, args.claim) : undefined;
      if (twin) world.twins.add(given);
      attach(world, given, () => args.inner(world), newRun(world, given, twin, args.same));
      return world.label('run', given.run);
    },
  ),

  admit: define(8, { core: index, session, inner: script }, (world, args) => {
    const made = claim(world, pickCore(world, args.core), args.session);
    attach(world, made, () => args.inner(world));
    return made;
  }),

  startTurn: define(9, { core: index, session, route, twin: fc.nat({ max: 5 }) }, (world, args) => {
    const twin = args.twin === 0 ? twinFor(world, args.session, args.core) : undefined;
    const on = twin && args.core % 3 !== 0 ? 'child' : args.route;
    return startTurn(world, pickCore(world, args.core), args.session, on, twin);
  }),

  reserve: define(8, { claim: index, generation: index }, (world, args) => {
    const near = (given: Tenure.ExecutionClaim) =>
      world.generations.filter(
        (each) => each.sessionId === given.sessionId && world.owner(each) === world.owner(given),
      );
    const isOpen = (each: Tenure.BackendGeneration) => each.isCurrent && each.phase === 'active';
    const given = pick(
      world.claims,
      args.claim,
      (each) => each.phase === 'attached' && near(each).some(isOpen),
    );
    const generation = given && pick(near(given), args.generation, isOpen);
    if (!generation) return SKIPPED;
    const stop = given.reserve(generation);
    if (stop) world.keep('stop', world.stops, stop, world.owner(given));
    return stop;
  }),

  settle: define(6, { claim: index, ok }, (world, args) => {
    const given = pick(world.claims, args.claim, isPhase('reserved'));
    return given ? given.settle(outcome(world, args.ok)) : SKIPPED;
  }),

  finalize: define(5, { claim: index, ok }, (world, args) => {
    const given = pick(world.claims, args.claim, isPhase('attached'));
    return given ? given.finalize(outcome(world, args.ok)) : SKIPPED;
  }),

  release: define(6, { claim: index, dispose: fc.boolean() }, (world, args) => {
    const given = pick(world.claims, args.claim, isLive);
    if (!given) return SKIPPED;
    return args.dispose ? given[Symbol.dispose]() : given.release();
  }),

  leaveGeneration: define(6, { claim: index }, (world, args) => {
    const given = pick(world.claims, args.claim, isRegistered(world));
    if (!given) return SKIPPED;
    if (hasGeneration(given)) world.left.add(given);
    return given.leaveGeneration();
  }),

  enter: define(5, { claim: index }, (world, args) => {
    const given = pick(world.claims.filter(isLive), args.claim, isPhase('pending'));
    return given ? world.track(given.enter(), () => given.phase) : SKIPPED;
  }),

  readSignal: define(2, { claim: index }, (world, args) => {
    const given = pick(world.claims, args.claim);
    if (!given) return SKIPPED;
    const { aborted, reason } = given.stopSignal;
    return [
      aborted,
      aborted && reason === given.cancellation,
      given.cancellation,
      given.cancellation === given.cancellation,
    ];
  }),

  activationBlocker: define(6, { claim: index }, (world, args) => {
    const given = pick(world.claims, args.claim, isLive);
    if (!given) return SKIPPED;
    const blocker = given.activationBlocker();
    return blocker === undefined ? undefined : world.track(blocker);
  }),

  commitStart: define(4, { claim: index, how: mostlyWell }, (world, args) => {
    const given = pick(ofOpenMembers(world), args.claim, isPhase('attached'));
    if (!given) return SKIPPED;
    const value = world.newValue('start');
    world.committing.add(given);
    return world.track(given.commitStart(world.task(args.how, 'commit', () => value)));
  }),

  takeStart: define(6, { claim: index }, (world, args) => {
    const given = pick(ofOpenMembers(world), args.claim, (each) => world.committing.has(each));
    return given ? given.takeStart() : SKIPPED;
  }),

  openRequest: define(4, { claim: index, id: fc.nat({ max: 2 }) }, (world, args) => {
    const given = pick(ofOpenMembers(world), args.claim, isRegistered(world));
    if (!given) return SKIPPED;
    const made = given.openRequest(`q${args.id}`, world.newValue('request value'));
    return world.keep('request', world.requests, made, world.owner(given));
  }),

  closeRequest: define(3, { request: index }, (world, args) => {
    const request = pick(world.requests, args.request);
    return request ? request.close() : SKIPPED;
  }),

  bindInteraction: define(3, { claim: index, wrong: fc.nat({ max: 6 }) }, (world, args) => {
    // Once its admission is over and its run is gone, nothing is said of a binding.
    const holds = (each: Tenure.ExecutionClaim) => isLive(each) || isRegistered(world)(each);
    const given = pick(
      ofOpenMembers(world).filter(holds),
      args.claim,
      (each) => runOf(each) !== undefined,
    );
    if (!given) return SKIPPED;
    const run = runOf(given) ?? { sessionId: given.sessionId, runId: 'none', turnId: 'none' };
    const wrong = [{ runId: 'x' }, { turnId: 'x' }, { sessionId: 'x' }][args.wrong];
    const binding = { ...run, ...wrong };
    world.label('binding', binding);
    given.bindInteraction(binding);
    world.bindings.set(given, binding);
    return binding;
  }),

  unbindInteraction: define(2, { claim: index, other: fc.nat({ max: 3 }) }, (world, args) => {
    const given = pick(ofOpenMembers(world), args.claim, (each) => world.bindings.has(each));
    const binding = given && world.bindings.get(given);
    if (!binding) return SKIPPED;
    return given.unbindInteraction(args.other === 0 ? { ...binding } : binding);
  }),

  lookUpRun: define(3, { core: index, claim: index, route, other: fc.boolean() }, (world, args) => {
    const given = pick(world.claims, args.claim, (each) => runOf(each) !== undefined);
    const run = given && runOf(given);
    if (!run) return SKIPPED;
    const core = world.cores[pickCore(world, args.core)]!;
    const { sessionId, runId, turnId } = run;
    return [
      core.hasActiveRun(sessionId, runId),
      core.hasActiveRun(sessionId, runId, args.other ? 'other' : turnId),
      core.runForTurn(sessionId, args.route, turnId),
      core.activeRun(sessionId, args.route, runId),
    ];
  }),
};
