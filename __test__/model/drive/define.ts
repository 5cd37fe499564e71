// What a command is: named arguments that fast-check draws and shrinks, and a step in a world.
import fc from 'fast-check';
import type * as Tenure from '../../../index.js';
import type { World } from './world.ts';

type Drawn<A extends Record<string, fc.Arbitrary<unknown>>> = {
  [K in keyof A]: A[K] extends fc.Arbitrary<infer V> ? V : never;
};

export interface Command {
  readonly do: string;
  readonly [argument: string]: unknown;
}

export interface Definition {
  readonly weight: number;
  readonly args: Record<string, fc.Arbitrary<unknown>>;
  readonly run: (world: World, args: never) => unknown;
}

export function define<A extends Record<string, fc.Arbitrary<unknown>>>(
  weight: number,
  args: A,
  run: (world: World, args: Drawn<A>) => unknown,
): Definition {
  return { weight, args, run };
}

export const SKIPPED = 'nothing to do it with';

/** An index into whatever there is when the command runs. */
export const index = fc.nat({ max: 63 });
export const session = fc.constantFrom('s0', 's0', 's0', 's1', 's2');
export const route = fc.constantFrom(undefined, undefined, undefined, 'child');
export const ok = fc.constantFrom(true, true, false);
export const how = fc.constantFrom('now', 'gate', 'gate', 'reject', 'throw') as fc.Arbitrary<
  'now' | 'gate' | 'reject' | 'throw'
>;
export const mostlyWell = fc.constantFrom(
  'now',
  'now',
  'gate',
  'gate',
  'gate',
  'reject',
) as fc.Arbitrary<'now' | 'gate' | 'reject'>;

/** Mostly one for which the step is likely to work, now and then any. */
export function pick<V>(
  table: readonly V[],
  at: number,
  suits?: (each: V) => boolean,
): V | undefined {
  if (table.length === 0) return undefined;
  const suitable = suits && at % 8 !== 7 ? table.filter(suits) : table;
  const from = suitable.length > 0 ? suitable : table;
  return from[from.length - 1 - (at % from.length)];
}

export function pickCore(world: World, at: number): number {
  return at % world.cores.length;
}

export const outcome = (world: World, good: boolean): Tenure.Outcome =>
  good ? { ok: true } : { ok: false, error: world.newError() };

export const isLive = (claim: Tenure.ExecutionClaim): boolean =>
  claim.phase !== 'released' && claim.phase !== 'failed';
