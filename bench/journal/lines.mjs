// A line for each rival of a row: both figures, their ratio, and what became of the target.

import { compare } from '../harness.mjs';
import { grouped, times } from '../table.mjs';
import { LABELS } from './candidates.mjs';

/** Rows in a second: more is better. */
export const RATE = {
  of: (ns) => 1e9 / ns,
  text: (rate) => `${grouped(rate)} rows/s`,
};

/** Time: less is better. */
export const TIME = {
  of: (ns) => ns,
  text(ns) {
    if (ns >= 1e7) return `${grouped(ns / 1e6)} ms`;
    return ns >= 1e4 ? `${grouped(ns / 1e3)} µs` : `${(ns / 1e3).toFixed(2)} µs`;
  },
};

function judged({ atLeast, atMost }, ratio) {
  return atLeast === undefined ? ratio <= atMost : ratio >= atLeast;
}

const targetText = ({ atLeast, atMost }) =>
  atLeast === undefined ? `≤ ${atMost}×` : `≥ ${atLeast}×`;

const verdict = (met) => (met ? 'met' : '**missed**');

/** `samples` has, by candidate, the ns of each round. */
export function linesOf({ title, unit, rivals, targets = {}, labels = LABELS }, samples) {
  const valuesOf = (name) => samples.get(name).map(unit.of);
  return rivals.map((name) => {
    const { own, rival, ratio, low, high } = compare(valuesOf('tenure'), valuesOf(name));
    const line = {
      title,
      own: unit.text(own),
      label: labels[name],
      rival: unit.text(rival),
      ratio: `${times(ratio)}×`,
      spread: `${times(low)}–${times(high)}`,
    };
    const target = targets[name];
    if (target)
      return { ...line, target: targetText(target), verdict: verdict(judged(target, ratio)) };
    const limit = targets.tenure?.atMostMs;
    if (limit === undefined) return { ...line, target: '', verdict: '' };
    return { ...line, target: `≤ ${grouped(limit)} ms`, verdict: verdict(own <= limit * 1e6) };
  });
}
