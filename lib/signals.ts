import { invalidArgument } from './errors.js';

/** By its shape: a signal of another realm (jsdom, a vm context) serves as well. */
export const isSignal = (value: unknown): value is AbortSignal =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as AbortSignal).aborted === 'boolean' &&
  typeof (value as AbortSignal).addEventListener === 'function';

export function signalOf(value: unknown, name: string): AbortSignal | undefined {
  if (value !== undefined && !isSignal(value)) throw invalidArgument(name, 'an AbortSignal');
  return value;
}

/** Why it was aborted. What a getter throws in its place is the reason, so that nobody waits for ever. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  try {
    return signal?.reason;
  } catch (error) {
    return error;
  }
}

interface Listening {
  readonly acts: Set<() => void>;
  readonly stop: () => void;
}

/** One listener a signal, for all who wait on it: beyond ten of them Node.js warns of a leak. */
const listening = new WeakMap<AbortSignal, Listening>();

function listen(signal: AbortSignal): Listening {
  const acts = new Set<() => void>();
  const stop = (): void => {
    listening.delete(signal);
    signal.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    stop();
    // One of those who act may end the wait of another.
    for (const act of acts) {
      acts.delete(act);
      act();
    }
  };
  signal.addEventListener('abort', abort, { once: true });
  const made = { acts, stop };
  listening.set(signal, made);
  return made;
}

/** Acts when the signal aborts, in the order asked for. Gives what ends that. `act` must not throw. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const { acts, stop } = listening.get(signal) ?? listen(signal);
  acts.add(act);
  return () => {
    if (acts.delete(act) && acts.size === 0) stop();
  };
}
