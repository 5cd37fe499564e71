import type { App } from './app.mts';

export interface Command {
  readonly name: string;
  readonly args?: string;
  readonly help: string;
  /** Throws `usage` if `rest` is not what it takes. */
  run(app: App, rest: string): Promise<void> | void;
}

export const usage = Symbol('usage');

export function needed(rest: string): string {
  if (rest === '') throw usage;
  return rest;
}
