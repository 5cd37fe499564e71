// One command in one world: what it returned or threw, in words that compare between worlds.
import { SKIPPED } from './define.ts';
import type { Command, Definition } from './define.ts';
import type { World } from './world.ts';

const definitions = new Map<string, Definition>();

/** Commands that worked, and codes of errors that were thrown, in any world so far. */
export const reached = { commands: new Map<string, number>(), codes: new Map<string, number>() };

const count = (counts: Map<string, number>, what: string): void => {
  counts.set(what, (counts.get(what) ?? 0) + 1);
};

export function register(more: Record<string, Definition>): void {
  for (const [name, definition] of Object.entries(more)) definitions.set(name, definition);
}

export const definedCommands = (): ReadonlyMap<string, Definition> => definitions;

export function perform(world: World, command: Command): string {
  const run = definitions.get(command.do)!.run as (world: World, args: unknown) => unknown;
  try {
    const value = run(world, command);
    if (value !== SKIPPED) count(reached.commands, command.do);
    return world.describe(value);
  } catch (error) {
    count(reached.codes, String((error as { code?: unknown }).code));
    return `thrown ${world.describe(error)}`;
  }
}
