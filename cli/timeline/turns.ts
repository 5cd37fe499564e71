import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { states, type Item, type State } from './data.js';

/**
 * One line of a file of turns. Lines of one turn are put together in the order of the file: a field of
 * a later line counts, a field that it leaves out stays.
 */
export interface TurnLine {
  readonly type: 'turn';
  readonly sessionId: string;
  readonly turnId: string;
  /** Tells the runs of one turn apart. */
  readonly runId?: string;
  readonly state: State;
  readonly queuedAt?: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** When something was last learnt of it: up to here one that was interrupted is drawn. */
  readonly seenAt?: number;
  /** Such as `child` or `continuation`. */
  readonly kind?: string;
  readonly parentTurnId?: string;
  /** A few words for its bar. */
  readonly label?: string;
  readonly error?: string;
}

export interface Turns {
  readonly items: Item[];
  /** Lines that are no turn although they should be: not JSON, or a turn with a field that is wrong. */
  readonly skipped: number;
}

/** The turns of a file of JSON Lines. Lines of another `type` are somebody else's. */
export async function readTurns(
  path: string,
  source: number,
  wanted?: readonly string[],
): Promise<Turns> {
  const input = createReadStream(path, 'utf8');
  const lines = createInterface({ input, crlfDelay: Infinity });
  return collectTurns(lines, source, wanted);
}

export async function collectTurns(
  lines: AsyncIterable<string> | Iterable<string>,
  source: number,
  wanted?: readonly string[],
): Promise<Turns> {
  const turns = new Map<string, TurnLine>();
  let skipped = 0;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const turn = parsed(line);
    if (turn === 'other') continue;
    if (turn === undefined) {
      skipped += 1;
      continue;
    }
    if (wanted !== undefined && !wanted.includes(turn.sessionId)) continue;
    const key = JSON.stringify([turn.sessionId, turn.turnId, turn.runId ?? '']);
    turns.set(key, { ...turns.get(key), ...turn });
  }
  return { items: [...turns.values()].map((turn) => turnItem(turn, source)), skipped };
}

const texts = ['runId', 'kind', 'parentTurnId', 'label', 'error'] as const;
const times = ['queuedAt', 'startedAt', 'endedAt', 'seenAt'] as const;
/** The last instant of a JavaScript Date. */
const lastInstant = 8.64e15;

function parsed(line: string): TurnLine | 'other' | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'other';
  const given = value as Record<string, unknown>;
  if (given['type'] !== 'turn') return 'other';
  const { sessionId, turnId, state } = given;
  if (typeof sessionId !== 'string' || typeof turnId !== 'string') return undefined;
  if (!states.some((known) => known === state)) return undefined;
  const turn: Record<string, unknown> = { type: 'turn', sessionId, turnId, state };
  for (const name of texts) {
    const text = given[name] ?? undefined;
    if (text === undefined) continue;
    if (typeof text !== 'string') return undefined;
    turn[name] = text;
  }
  for (const name of times) {
    const time = given[name] ?? undefined;
    if (time === undefined) continue;
    if (typeof time !== 'number' || !(time >= 0 && time <= lastInstant)) return undefined;
    turn[name] = time;
  }
  return turn as unknown as TurnLine;
}

function turnItem(turn: TurnLine, source: number): Item {
  const { sessionId, turnId, runId, state, queuedAt, startedAt, endedAt, seenAt } = turn;
  const facts: [string, string][] = [];
  if (turn.error !== undefined) facts.push(['Error', turn.error]);
  if (turn.label !== undefined) facts.push(['Label', turn.label]);
  if (turn.kind !== undefined) facts.push(['Kind', turn.kind]);
  if (turn.parentTurnId !== undefined) facts.push(['Parent turn', turn.parentTurnId]);
  if (runId !== undefined) facts.push(['Run', runId]);
  return {
    kind: 'turn',
    id: turnId,
    scope: sessionId,
    source,
    state,
    ...(turn.label === undefined ? {} : { label: turn.label }),
    ...(queuedAt === undefined ? {} : { queuedAt }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(seenAt === undefined ? {} : { seenAt }),
    facts,
  };
}
