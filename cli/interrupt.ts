// Ctrl-C. A command that asks for the signal ends by itself; a second Ctrl-C ends any at once.
import process from 'node:process';
import { EXIT } from './exit.js';

const controller = new AbortController();
let isLookedAt = false;

/** From now on Ctrl-C ends the command with its exit code. */
export function listen(): void {
  process.on('SIGINT', () => {
    if (!isLookedAt || controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  });
}

/** The signal of this process; asking for it is a promise to look at it. */
export function interruptedOnce(): AbortSignal {
  isLookedAt = true;
  return controller.signal;
}
