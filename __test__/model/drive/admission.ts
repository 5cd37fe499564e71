// Commands on application operations and on permits.
import fc from 'fast-check';
import { SKIPPED, define, index, pick, pickCore } from './define.ts';
import type { Definition } from './define.ts';

const keys = fc.constantFrom([], ['k0'], ['k1', 'k0'], ['k1', 'k1'], ['session:s0', 'k2'], ['k2']);
const opId = fc.constantFrom('o0', 'o1', 'o2', 'o3');
const owner = fc.constantFrom('w0', 'w1', '');
const maybeSession = fc.constantFrom(undefined, null, 's0', 's1');

export const admission: Record<string, Definition> = {
  reserveOperation: define(
    6,
    {
      core: index,
      operationId: opId,
      ownerId: owner,
      sessionId: maybeSession,
      exclusivityKeys: keys,
    },
    (world, { core: at, operationId, ownerId, sessionId, exclusivityKeys }) => {
      const core = pickCore(world, at);
      const more = sessionId === undefined ? {} : { sessionId };
      const request = { operationId, ownerId, exclusivityKeys, ...more };
      const lease = world.keep(
        'lease',
        world.leases,
        world.cores[core]!.operations.reserve(request),
        core,
      );
      return [lease, lease.registration, Object.isFrozen(lease.registration)];
    },
  ),

  releaseOperation: define(4, { lease: index, dispose: fc.boolean() }, (world, args) => {
    const lease = pick(world.leases, args.lease);
    if (!lease) return SKIPPED;
    return args.dispose ? lease[Symbol.dispose]() : lease.release();
  }),

  lookUpOperations: define(
    2,
    { core: index, operationId: opId, ownerId: owner, sessionId: maybeSession },
    (world, args) => {
      const { operations } = world.cores[pickCore(world, args.core)]!;
      const filter = args.sessionId === undefined ? {} : { sessionId: args.sessionId };
      return [
        operations.get(args.operationId),
        operations.listActive(filter),
        operations.listActive({ ...filter, ownerId: args.ownerId }),
      ];
    },
  ),

  closeOperations: define(1, { core: index, really: fc.nat({ max: 3 }) }, (world, args) =>
    args.really === 0 ? world.cores[pickCore(world, args.core)]!.operations.close() : SKIPPED,
  ),
};

export const permits: Record<string, Definition> = {
  acquire: define(3, { signal: fc.nat({ max: 3 }), releases: fc.boolean() }, (world, args) => {
    if (args.signal === 0) {
      const controller = new AbortController();
      world.signals.push(controller);
      const held = world.permits.at(-1);
      if (args.releases && held) {
        controller.signal.addEventListener('abort', () => held.release());
      }
    }
    const signal = args.signal < 2 ? world.signals.at(-1)?.signal : undefined;
    const promise = world.limiter.acquire(signal);
    const permit = promise.then((each) => world.keep('permit', world.permits, each, 0));
    return [world.track(permit), world.limiter.activeCount, world.limiter.waitingCount];
  }),

  releasePermit: define(3, { permit: index }, (world, args) => {
    const permit = pick(world.permits, args.permit);
    if (!permit) return SKIPPED;
    permit.release();
    return [world.limiter.activeCount, world.limiter.waitingCount];
  }),

  abortSignal: define(2, { signal: index }, (world, args) => {
    const controller = pick(world.signals, args.signal);
    if (!controller) return SKIPPED;
    controller.abort(world.newError());
    return [world.limiter.activeCount, world.limiter.waitingCount];
  }),

  closeLimiter: define(1, { really: fc.nat({ max: 5 }) }, (world, args) =>
    args.really === 0 ? world.limiter.close(world.newError()) : SKIPPED,
  ),
};
