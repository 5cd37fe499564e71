import type { Bar, Group } from './model.js';

export const laneHeight = 22;
export const barHeight = 15;
export const headHeight = 30;
const groupGap = 8;

/** A line of bars of which none overlaps another, in order of time. */
export interface Lane {
  readonly y: number;
  readonly bars: Bar[];
}

export interface Band {
  readonly group: Group;
  readonly y: number;
  readonly count: number;
  readonly lanes: readonly Lane[];
}

export interface Layout {
  readonly bands: readonly Band[];
  readonly height: number;
  readonly places: ReadonlyMap<Bar, Lane>;
}

/** Puts each bar into the first lane of its group where it finds room. */
export function layoutOf(groups: readonly Group[], shown: (bar: Bar) => boolean): Layout {
  const bands: Band[] = [];
  const places = new Map<Bar, Lane>();
  let y = 0;
  for (const group of groups) {
    const bars = group.bars.filter(shown).sort((a, b) => a.from - b.from || a.to - b.to);
    if (bars.length === 0) continue;
    const lanes: Lane[] = [];
    const ends: number[] = [];
    for (const bar of bars) {
      let at = ends.findIndex((end) => end <= bar.from);
      if (at < 0) at = ends.length;
      const lane = (lanes[at] ??= { y: y + headHeight + at * laneHeight, bars: [] });
      lane.bars.push(bar);
      // One that begins and ends at once still takes its place.
      ends[at] = Math.max(bar.to, bar.from + 1);
      places.set(bar, lane);
    }
    bands.push({ group, y, count: bars.length, lanes });
    y += headHeight + lanes.length * laneHeight + groupGap;
  }
  return { bands, height: y, places };
}

/** The first bar of a lane that ends at or after `time`. */
export function firstEndingAfter(lane: Lane, time: number): number {
  let low = 0;
  let high = lane.bars.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lane.bars[middle]?.to ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
