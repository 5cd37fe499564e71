import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Item } from '../cli/timeline/index.js';
import { duration, legible } from '../cli/timeline/page/format.js';
import { firstEndingAfter, layoutOf } from '../cli/timeline/page/lanes.js';
import { haystack, modelOf, words, type Bar } from '../cli/timeline/page/model.js';
import { around, ticksOf, within, zoomed, type View } from '../cli/timeline/page/scale.js';
import { hostile, large } from './fixtures/timeline/samples.js';

const WRITTEN = 1_000_000;

/** The bar of an operation with these fields. */
function barOf(fields: Partial<Item>): Bar {
  const item: Item = {
    kind: 'operation',
    id: 'a',
    scope: '',
    source: 0,
    state: 'running',
    ...fields,
  };
  const sources = [{ kind: 'journal' as const, name: 'j' }];
  const [bar] = modelOf({ writtenAt: WRITTEN, sources, items: [item], notes: [] }).bars;
  if (bar === undefined) throw new Error('no bar');
  return bar;
}

const drawn = ({ from, ran, to, isOpen }: Bar): unknown[] => [from, ran, to, isOpen];

// -- what is drawn ----------------------------------------------------------------

test.each<[string, Partial<Item>, unknown[]]>([
  ['waits', { state: 'queued', queuedAt: 10 }, [10, WRITTEN, WRITTEN, true]],
  ['runs', { queuedAt: 10, startedAt: 20 }, [10, 20, WRITTEN, true]],
  ['ended', { state: 'failed', queuedAt: 10, startedAt: 20, endedAt: 30 }, [10, 20, 30, false]],
  ['never ran', { state: 'cancelled', queuedAt: 10, endedAt: 30 }, [10, 30, 30, false]],
  ['did not wait', { state: 'succeeded', startedAt: 20, endedAt: 30 }, [20, 20, 30, false]],
  ['has only an end', { state: 'failed', endedAt: 30 }, [30, 30, 30, false]],
  ['ends before it starts', { state: 'failed', startedAt: 40, endedAt: 30 }, [40, 40, 40, false]],
  ['has no time', { state: 'running' }, [WRITTEN, WRITTEN, WRITTEN, true]],
])('a bar that %s', (_, fields, expected) => {
  expect(drawn(barOf(fields))).toEqual(expected);
});

test('what was interrupted is drawn up to what was last learnt, with no end', () => {
  const bar = barOf({ state: 'interrupted', queuedAt: 10, startedAt: 20, seenAt: 500 });
  expect(drawn(bar)).toEqual([10, 20, 500, true]);
});

test('a search looks at ids, scopes, states and facts, whatever the case', () => {
  const bar = barOf({
    id: 'Job-7',
    scope: 'Render',
    state: 'failed',
    facts: [['Error', 'No ROOM']],
  });
  for (const query of ['job-7', 'RENDER', 'failed', 'no room', ' error ']) {
    expect(words(query).every((word) => haystack(bar).includes(word))).toBe(true);
  }
  expect(haystack(bar).includes('job-8')).toBe(false);
});

// -- lanes ------------------------------------------------------------------------

test('no two bars of a lane overlap, and none is lost', () => {
  const times = fc.tuple(fc.nat(500), fc.nat(60));
  fc.assert(
    fc.property(fc.array(times, { maxLength: 80 }), (pairs) => {
      const items = pairs.map(([at, long], index): Item => ({
        kind: 'operation',
        id: String(index),
        scope: String(index % 2),
        source: 0,
        state: 'succeeded',
        startedAt: at,
        endedAt: at + long,
      }));
      const model = modelOf({ writtenAt: 600, sources: [], items, notes: [] });
      const layout = layoutOf(model.groups, () => true);
      const lanes = layout.bands.flatMap((band) => band.lanes);
      for (const { bars } of lanes)
        for (const [at, bar] of bars.slice(1).entries())
          expect(bar.from).toBeGreaterThan((bars[at]?.to ?? 0) - 1);
      expect(lanes.flatMap(({ bars }) => bars)).toHaveLength(items.length);
      expect(new Set(lanes.map(({ y }) => y)).size).toBe(lanes.length);
      expect(layout.places.size).toBe(items.length);
    }),
  );
});

test('the first bar on view is found as by looking at each', () => {
  const model = modelOf(large(400));
  const { bands } = layoutOf(model.groups, () => true);
  for (const lane of bands.flatMap((band) => band.lanes))
    for (const time of [0, ...lane.bars.flatMap(({ from, to }) => [from, to, to + 1])]) {
      const found = lane.bars.findIndex(({ to }) => to >= time);
      expect(firstEndingAfter(lane, time)).toBe(found < 0 ? lane.bars.length : found);
    }
});

// -- time -------------------------------------------------------------------------

test('however it is zoomed and moved, the view stays within all there is', () => {
  const all: View = { from: 1000, to: 901_000 };
  const steps = fc.array(
    fc.record({ factor: fc.double({ min: 0.01, max: 100, noNaN: true }), at: fc.integer() }),
  );
  fc.assert(
    fc.property(steps, (made) => {
      let view = all;
      for (const { factor, at } of made) view = within(zoomed(view, factor, at), all);
      expect(view.from).toBeGreaterThanOrEqual(all.from);
      expect(view.to).toBeLessThanOrEqual(all.to + 1e-6);
      expect(view.to - view.from).toBeGreaterThan(19.9);
    }),
  );
});

test('a zoom leaves the instant under the pointer where it is', () => {
  const view = { from: 0, to: 1000 };
  const { from, to } = zoomed(view, 4, 250);
  expect([from, to]).toEqual([187.5, 437.5]);
  expect((250 - from) / (to - from)).toBe(0.25);
});

test('nothing and a single instant have a view too', () => {
  for (const view of [around([], 5000), around([{ from: 5000, to: 5000 }], 0)]) {
    expect(view.to).toBeGreaterThan(view.from);
    expect((view.from + view.to) / 2).toBe(5000);
  }
});

test('ticks are in order, on view and far enough apart, from milliseconds to decades', () => {
  const start = new Date(2026, 2, 27, 13, 37, 11).getTime();
  for (const span of [30, 4000, 90_000, 3.6e6, 2e7, 3e8, 4e9, 9e11]) {
    const view = { from: start, to: start + span };
    const ticks = ticksOf(view, 0.1);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(13);
    for (const [index, { at }] of ticks.entries()) {
      expect(at).toBeGreaterThanOrEqual(view.from);
      expect(at).toBeLessThanOrEqual(view.to);
      const before = ticks[index - 1]?.at ?? -Infinity;
      expect(at - before).toBeGreaterThan(span * 0.08);
    }
  }
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min'],
  [187_000, '3 min 07 s'],
  [3_600_000, '1 h'],
  [11_100_000, '3 h 05 min'],
  [180_000_000, '2 d 02 h'],
])('%d ms is said as %s', (ms, said) => {
  expect(duration(ms)).toBe(said);
});

// -- text of others ---------------------------------------------------------------

test('what is invisible or turns the direction of text is shown by its number', () => {
  expect(legible('\u202etxt.exe\u2066')).toBe('\\u{202e}txt.exe\\u{2066}');
  expect(legible('a\nb\u0000')).toBe('a\\u{a}b\\u{0}');
  expect(legible('\ud800')).toBe('\\u{d800}');
  expect(legible('漢字 עברית')).toBe('漢字 עברית');
});

test('hostile names of groups do not meet in one', () => {
  const model = modelOf(hostile);
  expect(model.groups).toHaveLength(hostile.items.length);
});
