import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, type KernelEvent } from '../kernel/index.mts';

/** A line of the file that `tenure timeline --turns` reads: docs/timeline.md describes it. */
interface TurnLine {
  readonly sessionId: string;
  readonly turnId: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
  readonly kind?: string | undefined;
  readonly label?: string;
  readonly queuedAt?: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly seenAt?: number;
  readonly error?: string;
}

const states = { completed: 'succeeded', stopped: 'cancelled', failed: 'failed' } as const;
const labelLength = 80;

/** Writes down how turns go, for a timeline. A convenience: a line that cannot be written is lost. */
export class TurnLog {
  readonly #path: string;

  /** Turns that an earlier life left without an end were interrupted. */
  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    const text = read(path);
    // The last line may be torn: what follows it begins a line of its own.
    if (text !== '' && !text.endsWith('\n')) this.#append('\n');
    for (const { sessionId, turnId } of unended(text))
      this.#write({ sessionId, turnId, state: 'interrupted' });
  }

  note(event: KernelEvent, text: string): void {
    const { sessionId, turnId, kind } = event;
    if (turnId === undefined) return;
    const now = Date.now();
    if (event.type === 'phase' && event.phase === 'claimed') {
      const label = text.replaceAll('\n', ' ;; ').slice(0, labelLength).toWellFormed();
      this.#write({ sessionId, turnId, state: 'queued', kind, label, queuedAt: now });
    } else if (event.type === 'phase' && event.phase === 'running') {
      this.#write({ sessionId, turnId, state: 'running', startedAt: now });
    } else if (event.type === 'step' || event.type === 'step_end') {
      // If the program is killed, this is the last that is known.
      this.#write({ sessionId, turnId, state: 'running', seenAt: now });
    } else if (event.type === 'end') {
      const error = event.error === undefined ? {} : { error: messageOf(event.error) };
      this.#write({ sessionId, turnId, state: states[event.outcome], endedAt: now, ...error });
    }
  }

  refused(sessionId: string, turnId: string | undefined, reason: unknown): void {
    if (turnId === undefined) return;
    const error = messageOf(reason);
    this.#write({ sessionId, turnId, state: 'failed', endedAt: Date.now(), error });
  }

  #write(line: TurnLine): void {
    this.#append(`${JSON.stringify({ type: 'turn', ...line })}\n`);
  }

  /** At once, so that a process that is killed leaves what it knew. */
  #append(text: string): void {
    try {
      appendFileSync(this.#path, text, { mode: 0o600 });
    } catch {}
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function unended(text: string): TurnLine[] {
  const turns = new Map<string, TurnLine>();
  for (const each of text.split('\n')) {
    try {
      const line = JSON.parse(each) as TurnLine;
      turns.set(JSON.stringify([line.sessionId, line.turnId]), line);
    } catch {
      // Torn, or empty.
    }
  }
  return [...turns.values()].filter(({ state }) => state === 'queued' || state === 'running');
}
