import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.mts';
import { commands, enter } from './commands.mts';
import type { PlainScreen } from './screen.mts';

/**
 * A script is what a person would type, line by line:
 *
 *   # a comment
 *   echo hello          typed at once
 *   @300 echo again     typed 300 ms after the line before it
 *   /stop               a command of the terminal
 *   !wait [MS]          goes on when nothing runs any more; fails after MS (30000)
 *   !until TEXT         goes on when TEXT has been printed since the last typed line; likewise
 *   !interrupt          Ctrl-C
 *   !crash              the program is killed, and started again for the lines that follow
 *   \!wait              typed as it stands, without the backslash
 *
 * `@MS` may stand before each of them. At the end the script waits as with `!wait`.
 */
export type Action =
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'wait'; readonly limitMs: number }
  | { readonly kind: 'until'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'crash' };

export interface Direction {
  readonly line: number;
  readonly delayMs: number;
  readonly action: Action;
}

export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

const limitMs = 30_000;

/** Throws a ScriptError that names every line that is wrong. */
export function parseScript(text: string): Direction[] {
  const directions: Direction[] = [];
  const problems: string[] = [];
  for (const [at, raw] of text.split('\n').entries()) {
    const line = at + 1;
    try {
      const direction = parseLine(raw.trim(), line);
      if (direction) directions.push(direction);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      problems.push(`line ${line}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw new ScriptError(problems.join('\n'));
  return directions;
}

function parseLine(text: string, line: number): Direction | undefined {
  if (text === '' || text.startsWith('#')) return undefined;
  const [, delay, rest = ''] = /^(?:@(\S*)\s*)?([^]*)$/.exec(text) ?? [];
  if (delay !== undefined && !/^\d+$/.test(delay)) {
    throw new ScriptError(`"@${delay}" is no delay in milliseconds`);
  }
  if (rest === '') throw new ScriptError('nothing follows the delay');
  return { line, delayMs: Number(delay ?? 0), action: parseAction(rest) };
}

function parseAction(text: string): Action {
  if (text.startsWith('\\')) return { kind: 'type', text: text.slice(1) };
  if (!text.startsWith('!')) return { kind: 'type', text: known(text) };
  const [, name, rest = ''] = /^!(\S*)\s*(.*)$/.exec(text) ?? [];
  if ((name === 'interrupt' || name === 'crash') && rest === '') return { kind: name };
  if (name === 'until' && rest !== '') return { kind: 'until', text: rest };
  if (name === 'wait' && /^\d*$/.test(rest)) {
    return { kind: 'wait', limitMs: rest === '' ? limitMs : Number(rest) };
  }
  throw new ScriptError(
    `"${text}" is no direction: there are !wait [MS], !until TEXT, !interrupt and !crash`,
  );
}

function known(text: string): string {
  const name = /^\/([^\s/]*)(?:\s|$)/.exec(text)?.[1];
  if (name === undefined || commands.some((command) => command.name === name)) return text;
  throw new ScriptError(`there is no command /${name}`);
}

/**
 * Types the script into the terminal, once that has begun. Throws a ScriptError when it cannot go
 * on.
 */
export async function play(
  script: readonly Direction[],
  app: App,
  screen: PlainScreen,
  begin: () => Promise<void>,
): Promise<void> {
  let printed = '';
  let heard = (): void => {};
  screen.onPrint((text) => {
    printed += `${text}\n`;
    heard();
  });
  const seen = (text: string): Promise<void> =>
    new Promise((resolve) => {
      heard = () => {
        if (printed.includes(text)) resolve();
      };
      heard();
    });
  await begin();
  for (const { line, delayMs, action } of script) {
    await sleep(delayMs);
    if (action.kind === 'wait') {
      await within(action.limitMs, app.idle(), `line ${line}: something still runs`);
    } else if (action.kind === 'until') {
      await within(limitMs, seen(action.text), `line ${line}: "${action.text}" was not printed`);
    } else if (action.kind === 'crash') {
      process.kill(process.pid, 'SIGKILL');
    } else {
      printed = '';
      screen.print(`${app.session}> ${action.kind === 'type' ? action.text : '^C'}`);
      if (action.kind === 'type') enter(app, action.text);
      else app.interrupt();
    }
  }
  await within(limitMs, app.idle(), 'end of the script: something still runs');
}

async function within(ms: number, work: Promise<void>, otherwise: string): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ms, 'late', { signal: timer.signal }).catch(() => undefined);
  const first = await Promise.race([work, late]);
  timer.abort();
  if (first === 'late') throw new ScriptError(`${otherwise} after ${ms} ms`);
}
