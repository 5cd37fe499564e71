// Commands on stop attempts and on what a retained stop operation owes.
import fc from 'fast-check';
import type * as Tenure from '../../../index.js';
import {
  SKIPPED,
  define,
  index,
  mostlyWell,
  ok,
  outcome,
  pick,
  pickCore,
  session,
} from './define.ts';
import type { Definition } from './define.ts';
import { script } from './script.ts';
import type { How, World } from './world.ts';

export interface Owed {
  readonly lineage: boolean;
  readonly terminal: boolean;
}

export function retain(
  world: World,
  stop: Tenure.StopAttempt,
  claim: Tenure.ExecutionClaim,
  owed: Owed,
): unknown {
  const options = {
    ...(owed.lineage ? { lineage: world.newValue('lineage') } : {}),
    ...(owed.terminal ? { terminal: true } : {}),
  };
  const operation = stop.retain(claim, options);
  return world.keep('operation', world.operations, operation, world.owner(stop));
}

/** What an attempt, or a member's part in one, does. */
export function attemptBody(
  world: World,
  core: number,
  how: How | 'drain',
  retains: Owed | undefined,
  inner: () => void = () => {},
): (stop: Tenure.StopAttempt) => Promise<void> {
  const task = world.task(how === 'drain' ? 'now' : how, `attempt of ${core}`, () => undefined);
  return (stop) => {
    world.keep('stop', world.stops, stop, core);
    const active = stop.activeClaims();
    world.event(
      `stop ${core} ${stop.sessionId}`,
      `attempt ${world.describe([stop, stop.input, active])}`,
    );
    if (retains)
      for (const each of active) if (!world.twins.has(each)) retain(world, stop, each, retains);
    inner();
    if (how !== 'drain') return task();
    return stop.drained().then((errors) => {
      world.event(`stop ${core} ${stop.sessionId}`, `drained ${world.describe(errors)}`);
    });
  };
}

const owesNow = (each: Tenure.StopOperation) =>
  each.pendingDeliveries().length > 0 || each.nextProjection() !== undefined;

function project(world: World, operation: Tenure.StopOperation): Tenure.StopProjection | undefined {
  const next = operation.nextProjection();
  if (next) world.keep('projection', world.projections, next, world.owner(operation));
  return next;
}

export const seen = (next: Tenure.StopProjection | undefined) =>
  next && { ...next, ...(next.kind === 'turn' ? { message: next.message } : {}) };

function nextDelivery(
  world: World,
  operation: Tenure.StopOperation,
  at: number,
): Tenure.StopDelivery | undefined {
  const delivery = pick(operation.pendingDeliveries(), at);
  return delivery && world.keep('delivery', world.deliveries, delivery, world.owner(operation));
}

const keepMembers = (world: World, operation: Tenure.StopOperation) =>
  operation
    .members()
    .map((each) => world.keep('member', world.stopMembers, each, world.owner(operation)));

/** Pays all that an operation owes. */
export function pay(world: World, operation: Tenure.StopOperation, terminal = true): unknown {
  for (const delivery of operation.pendingDeliveries()) delivery.settle({ ok: true });
  const kinds: string[] = [];
  for (let next = operation.nextProjection(); next; next = operation.nextProjection()) {
    kinds.push(next.kind);
    next.done();
  }
  const members = keepMembers(world, operation);
  if (terminal) for (const each of members) each.terminalDone();
  return [...kinds, operation.complete(members), operation.complete(members)];
}

export const stops: Record<string, Definition> = {
  stopSession: define(
    8,
    {
      core: index,
      session,
      how: fc.constantFrom(
        'now',
        'gate',
        'gate',
        'gate',
        'drain',
        'drain',
        'reject',
        'throw',
      ) as fc.Arbitrary<How | 'drain'>,
      retains: fc.option(fc.record({ lineage: fc.boolean(), terminal: fc.boolean() }), {
        nil: undefined,
        freq: 2,
      }),
      inner: script,
      watch: fc.nat({ max: 7 }),
    },
    (world, args) => {
      const core = pickCore(world, args.core);
      const kernel = world.cores[core]!;
      const body = attemptBody(world, core, args.how, args.retains, () => args.inner(world));
      const promise = kernel.stopSession(args.session, world.newValue('input'), body);
      const over = (): void => {
        for (const each of world.stops) if (each.sessionId === args.session) world.over.add(each);
      };
      // Nobody waits: a rejection must raise nothing.
      if (args.watch === 0 && world.shape.members === 1) return 'unwatched';
      promise.then(over, over);
      return world.track(promise, () => kernel.claimExecution(args.session).release());
    },
  ),

  drained: define(4, { stop: index }, (world, args) => {
    const stop = pick(world.stops, args.stop);
    return stop ? world.track(stop.drained()) : SKIPPED;
  }),

  activeClaims: define(2, { stop: index }, (world, args) => {
    const stop = pick(world.stops, args.stop);
    return stop ? [stop.activeClaims(), stop.operation, stop.sessionId, stop.input] : SKIPPED;
  }),

  retain: define(
    7,
    { stop: index, claim: index, lineage: fc.boolean(), terminal: fc.boolean() },
    (world, args) => {
      // What other members owe in an attempt that is over is left open.
      const isAsked = (each: Tenure.StopAttempt) =>
        world.shape.members === 1 || !world.over.has(each);
      const stop = pick(world.stops.filter(isAsked), args.stop);
      if (!stop) return SKIPPED;
      const here = world.claims.filter(
        (each) =>
          each.sessionId === stop.sessionId &&
          world.owner(each) === world.owner(stop) &&
          !world.twins.has(each) &&
          !world.left.has(each),
      );
      const claim = pick(here, args.claim, hasGeneration);
      return claim ? retain(world, stop, claim, args) : SKIPPED;
    },
  ),

  deliver: define(7, { operation: index, delivery: index, ok }, (world, args) => {
    const operation = pick(world.operations, args.operation, owesNow);
    const delivery = operation && nextDelivery(world, operation, args.delivery);
    if (!delivery) return SKIPPED;
    delivery.settle(outcome(world, args.ok));
    return delivery.generation;
  }),

  deliverAgain: define(4, { delivery: index, ok }, (world, args) => {
    const delivery = pick(world.deliveries, args.delivery);
    return delivery ? delivery.settle(outcome(world, args.ok)) : SKIPPED;
  }),

  project: define(
    6,
    { operation: index, done: fc.constantFrom(true, true, false), message: fc.boolean() },
    (world, args) => {
      const operation = pick(world.operations, args.operation, owesNow);
      const next = operation && project(world, operation);
      if (!next) return SKIPPED;
      if (args.message && next.kind === 'turn') next.message ??= world.newValue('message');
      if (args.done) next.done();
      return [next, seen(next)];
    },
  ),

  projectLate: define(3, { projection: index }, (world, args) => {
    const projection = pick(world.projections, args.projection);
    return projection ? projection.done() : SKIPPED;
  }),

  complete: define(5, { operation: index, some: fc.nat({ max: 3 }) }, (world, args) => {
    const operation = pick(world.operations, args.operation);
    if (!operation) return SKIPPED;
    const members = keepMembers(world, operation);
    return operation.complete(args.some === 0 ? members.slice(1) : members);
  }),

  terminalDone: define(3, { operation: index, member: index }, (world, args) => {
    const operation = pick(world.operations, args.operation);
    const member =
      operation && pick(keepMembers(world, operation), args.member, (each) => each.owesTerminal);
    return member ? member.terminalDone() : SKIPPED;
  }),

  releaseRun: define(4, { operation: index, claim: index }, (world, args) => {
    const operation = pick(world.operations, args.operation);
    if (!operation) return SKIPPED;
    const held = operation.members().flatMap((each) => (each.claim ? [each.claim] : []));
    const claim = pick(held, args.claim) ?? pick(world.claims, args.claim);
    return claim ? operation.releaseRun(claim) : SKIPPED;
  }),

  pay: define(4, { operation: index, terminal: fc.boolean() }, (world, args) => {
    const operation = pick(world.operations, args.operation, owesNow);
    return operation ? pay(world, operation, args.terminal) : SKIPPED;
  }),

  enqueue: define(3, { operation: index, how: mostlyWell }, (world, args) => {
    const operation = pick(world.operations, args.operation);
    if (!operation) return SKIPPED;
    return world.track(
      operation.enqueue(
        world.task(args.how, `lane of ${world.describe(operation)}`, () => undefined),
      ),
    );
  }),

  failDraw: define(1, { in: fc.integer({ min: 1, max: 3 }) }, (world, args) => {
    world.failDraws = args.in;
  }),
};

export function hasGeneration(claim: Tenure.ExecutionClaim): boolean {
  try {
    return claim.generation !== undefined;
  } catch {
    return false;
  }
}
