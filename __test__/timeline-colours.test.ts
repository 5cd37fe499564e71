// Whether the colours of the page can be told apart, by computation: the style sheet is read as it is.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { states } from '../cli/timeline/index.js';
import { at } from '../scripts/support/paths.mjs';

type Triple = readonly [number, number, number];

const sheet = readFileSync(at('cli', 'timeline', 'page', 'style', 'base.css'), 'utf8');
const themes = ['light', 'dark'] as const;

/** A colour of a theme, as linear parts of red, green and blue. */
function colour(name: string, theme: (typeof themes)[number]): Triple {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(sheet);
  const hex = found?.[theme === 'light' ? 1 : 2] ?? '';
  const part = (from: number): number => {
    const value = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

const luminance = ([r, g, b]: Triple): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

function contrast(one: Triple, two: Triple): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(two)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** How colours look to those who lack one kind of cone: Machado, Oliveira and Fernandes, 2009. */
const visions: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  'any eye': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** In CIE L*a*b*, where distances are about as large as they look. */
function lab([r, g, b]: Triple): Triple {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(luminance([r, g, b]));
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seen([r, g, b]: Triple, rows: readonly [Triple, Triple, Triple]): Triple {
  const mixed = rows.map(([x, y, z]) => Math.min(Math.max(x * r + y * g + z * b, 0), 1));
  return lab([mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0]);
}

describe.each(themes)('in %s colours', (theme) => {
  test.each(Object.entries(visions))('no two states look alike to %s', (_, rows) => {
    const looks = states.map((state) => [state, seen(colour(state, theme), rows)] as const);
    for (const [index, [one, a]] of looks.entries())
      for (const [two, b] of looks.slice(index + 1)) {
        const distance = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        expect(distance, `${one} and ${two}`).toBeGreaterThan(12);
      }
  });

  test.each(states)('a bar that is %s stands out from what is behind it', (state) => {
    expect(contrast(colour(state, theme), colour('surface', theme))).toBeGreaterThanOrEqual(3);
  });

  test.each(['running', 'succeeded', 'failed'])(
    'a name on a bar that is %s can be read',
    (state) => {
      expect(contrast(colour('on-bar', theme), colour(state, theme))).toBeGreaterThanOrEqual(4.5);
    },
  );
});
