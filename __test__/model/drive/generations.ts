// Commands on backend generations, their activation and their invalidation.
import fc from 'fast-check';
import type * as Tenure from '../../../index.js';
import {
  SKIPPED,
  define,
  how,
  index,
  isLive,
  mostlyWell,
  pick,
  pickCore,
  route,
  session,
} from './define.ts';
import type { Definition } from './define.ts';
import { script } from './script.ts';
import type { World } from './world.ts';

export function create(
  world: World,
  claim: Tenure.ExecutionClaim,
  on: string | undefined,
): Tenure.BackendGeneration {
  const core = world.owner(claim);
  const made = world
    .coreOf(claim)
    .createGeneration(claim, on, world.newValue('backend'), world.newValue('header'));
  return world.keep('generation', world.generations, made, core);
}

const isGone = (each: Tenure.BackendGeneration) =>
  each.phase === 'terminated' || each.phase === 'failed';
const isThere = (each: Tenure.BackendGeneration) => !isGone(each);

export const generations: Record<string, Definition> = {
  activate: define(6, { claim: index, route, how: mostlyWell, inner: script }, (world, args) => {
    const claim = pick(world.claims, args.claim, isLive);
    if (!claim) return SKIPPED;
    const name = `build ${world.describe(claim)}`;
    const core = world.coreOf(claim);
    const build = world.task(
      args.how,
      name,
      () => create(world, claim, args.route),
      () => args.inner(world),
    );
    return world.track(core.activate(claim.sessionId, args.route, build), () =>
      core.currentGeneration(claim.sessionId, args.route),
    );
  }),

  createGeneration: define(3, { claim: index, route }, (world, args) => {
    const claim = pick(world.claims, args.claim, isLive);
    return claim ? create(world, claim, args.route) : SKIPPED;
  }),

  stopGeneration: define(
    5,
    { generation: index, how, watch: fc.nat({ max: 7 }) },
    (world, args) => {
      const generation = pick(world.generations, args.generation, isThere);
      if (!generation) return SKIPPED;
      const promise = generation.stop(
        world.task(args.how, `stop of ${world.describe(generation)}`, () => undefined),
      );
      if (args.watch === 0) return 'unwatched';
      // A failure is the same error each time; whether it is the same promise is left open.
      return settled(world, promise);
    },
  ),

  disposeGeneration: define(5, { generation: index, how, inner: script }, (world, args) => {
    const generation = pick(world.generations, args.generation, isThere);
    if (!generation) return SKIPPED;
    const name = `disposal of ${world.describe(generation)}`;
    const task = world.task(
      args.how,
      name,
      () => undefined,
      () => args.inner(world),
    );
    return world.track(generation.dispose(task), () => generation.phase);
  }),

  reconcile: define(5, { generation: index }, (world, args) => {
    const generation = pick(world.generations, args.generation, isThere);
    if (!generation) return SKIPPED;
    const disposal = generation.reconcile();
    return disposal === undefined ? undefined : world.track(disposal);
  }),

  setHeader: define(1, { generation: index }, (world, args) => {
    const generation = pick(world.generations, args.generation);
    if (!generation) return SKIPPED;
    generation.cachedHeader = world.newValue('header');
    return generation.cachedHeader;
  }),

  invalidate: define(3, { core: index, session }, (world, args) => {
    const core = pickCore(world, args.core);
    const made = world.cores[core]!.invalidate(args.session);
    return world.keep('invalidation', world.invalidations, made, core);
  }),

  disposeInvalidation: define(
    4,
    {
      invalidation: index,
      how: fc.constantFrom('now', 'now', 'gate', 'gate', 'throw', 'reject', 'bad'),
    },
    (world, args) => {
      const invalidation = pick(world.invalidations, args.invalidation);
      if (!invalidation) return SKIPPED;
      const error = args.how === 'bad' ? world.newError() : undefined;
      const ended = world.task(
        args.how === 'bad' ? 'now' : args.how,
        'invalidation',
        (): Tenure.Outcome => (error ? { ok: false, error } : { ok: true }),
      );
      const core = world.coreOf(invalidation);
      const promise = invalidation.dispose((given) => {
        world.event('invalidation', `disposes ${world.describe(given)}`);
        return ended();
      });
      return world.track(promise, () => core.invalidation(invalidation.sessionId));
    },
  ),
};

/** Watches how a promise ends, and not which promise it is. */
function settled(world: World, promise: Promise<unknown>): string {
  return world.track(promise.then((value) => value)) && '';
}
