// Colours, where they are wanted.
import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** As Node.js itself decides: FORCE_COLOR first, then NO_COLOR, then whether it is a terminal. */
export function wantsColour(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: term } = env;
  if (forced !== undefined) return ['', '1', '2', '3', 'true'].includes(forced);
  if (none !== undefined && none !== '') return false;
  return stream.isTTY === true && term !== 'dumb';
}

/** Who paints, or leaves text as it is. It was decided before, so Node.js need not decide again. */
export const paintIf = (wanted: boolean): Paint =>
  wanted ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;

const STATES: Readonly<Record<string, Style>> = {
  queued: 'cyan',
  running: 'blue',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'gray',
  interrupted: 'yellow',
};

export const styleOf = (state: string): Style => STATES[state] ?? 'white';
