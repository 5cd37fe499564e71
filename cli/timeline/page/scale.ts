import { clockOf, dayOf, milliseconds, minuteOf } from './format.js';

/** The stretch of time that is on view. */
export interface View {
  readonly from: number;
  readonly to: number;
}

const shortest = 20;
const margin = 0.02;

/** The stretch from the first to the last of these, with a little air. */
export function around(bars: Iterable<{ from: number; to: number }>, fallback: number): View {
  let from = Infinity;
  let to = -Infinity;
  for (const bar of bars) {
    from = Math.min(from, bar.from);
    to = Math.max(to, bar.to);
  }
  if (from > to) return { from: fallback - 1000, to: fallback + 1000 };
  const air = Math.max((to - from) * margin, shortest);
  return { from: from - air, to: to + air };
}

/** The wanted stretch, as far as `all` and the finest resolution allow it. */
export function within(wanted: View, all: View): View {
  const longest = all.to - all.from;
  const span = Math.min(Math.max(wanted.to - wanted.from, Math.min(shortest, longest)), longest);
  const middle = (wanted.from + wanted.to) / 2;
  const from = Math.min(Math.max(middle - span / 2, all.from), all.to - span);
  return { from, to: from + span };
}

/** `factor` above 1 shows less; the instant `at` stays where it is. */
export const zoomed = ({ from, to }: View, factor: number, at: number): View => ({
  from: at - (at - from) / factor,
  to: at + (to - at) / factor,
});

export const moved = ({ from, to }: View, by: number): View => ({ from: from + by, to: to + by });

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const spacings = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 90, 365, 730, 1825, 3650].map((n) => n * day),
];

export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Round instants of the reader's clock, at least `room` of the view apart. */
export function ticksOf({ from, to }: View, room: number): Tick[] {
  const wanted = (to - from) * room;
  const spacing = spacings.find((each) => each >= wanted) ?? wanted;
  const ticks: Tick[] = [];
  // Whole hours and days are those of the zone, whose offset may change on the way.
  const offset = (time: number): number => new Date(time).getTimezoneOffset() * minute;
  const first = Math.ceil((from - offset(from)) / spacing) * spacing;
  for (let local = first; ticks.length < 100; local += spacing) {
    const at = local + offset(local + offset(from));
    if (at > to) break;
    if (at >= from) ticks.push({ at, text: tickText(at, spacing) });
  }
  return ticks;
}

function tickText(at: number, spacing: number): string {
  if (spacing >= day) return dayOf(at);
  if (spacing >= minute) return minuteOf(at);
  if (spacing >= second) return clockOf(at);
  return `${clockOf(at).slice(3)}.${milliseconds(at)}`;
}
