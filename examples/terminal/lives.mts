import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Direction } from './script.mts';

/** The parts of a script that the program lives through, one life each: all but the last are cut short. */
export function livesOf(script: readonly Direction[]): Direction[][] {
  const lives: Direction[][] = [[]];
  for (const direction of script) {
    lives.at(-1)?.push(direction);
    if (direction.action.kind === 'crash') lives.push([]);
  }
  return lives.filter((life) => life.length > 0);
}

/** Starts the program anew for each of its lives. Resolves to the exit code of the last. */
export async function liveThrough(text: string, lives: number, args: string[]): Promise<number> {
  let code = 0;
  for (let life = 0; life < lives; life += 1) {
    if (life > 0) process.stdout.write('-------  killed, and started again\n');
    const program = [...process.execArgv, ...process.argv.slice(1, 2)];
    const again = [...program, ...args, '--script', '-', '--life', String(life)];
    const child = spawn(process.execPath, again, { stdio: ['pipe', 'inherit', 'inherit'] });
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    // A terminal sends SIGINT to the child as well.
    const signals = { SIGINT: () => {}, SIGTERM: pass, SIGHUP: pass };
    for (const [name, listener] of Object.entries(signals)) process.on(name, listener);
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
    const [exitCode, signal] = (await once(child, 'exit')) as [
      number | null,
      NodeJS.Signals | null,
    ];
    for (const [name, listener] of Object.entries(signals)) process.off(name, listener);
    code = exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'];
    if (signal !== 'SIGKILL') break;
  }
  return code;
}
