import { barHeight } from './lanes.js';
import type { State } from './model.js';
import type { Palette } from './palette.js';

type Context = CanvasRenderingContext2D;

/** One bar in pixels: it waits from `x` to `ran` and runs from there to `end`. */
export interface Shape {
  readonly x: number;
  readonly ran: number;
  readonly end: number;
  readonly y: number;
  readonly state: State;
  readonly isOpen: boolean;
}

const radius = 3.5;
const patterns = new Map<string, CanvasPattern | null>();

/** A state is told by its form as well: hatched, hollow, crossed, or open at its end. */
export function paintBar(context: Context, shape: Shape, palette: Palette): void {
  const { x, y, end, state } = shape;
  const ran = Math.min(Math.max(shape.ran, x), end);
  const width = Math.max(end - x, 2);
  const colour = palette.state[state];
  if (width < 4) {
    context.fillStyle = colour;
    context.fillRect(x, y, width, barHeight);
    return;
  }
  context.save();
  outline(context, x, y, width, shape.isOpen);
  context.clip();
  if (ran > x) paintWaiting(context, x, y, ran - x, colour, palette);
  if (end > ran) paintRunning(context, { ...shape, x: ran }, colour, palette);
  context.restore();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  edge(context, x + 0.5, y + 0.5, width - 1, shape.isOpen);
  context.stroke();
  if (state === 'failed') cross(context, end, width, y, palette);
}

/** The part that waited: the lighter one. */
function paintWaiting(
  context: Context,
  x: number,
  y: number,
  width: number,
  colour: string,
  palette: Palette,
): void {
  context.fillStyle = palette.surface;
  context.fillRect(x, y, width, barHeight);
  context.globalAlpha = 0.22;
  context.fillStyle = colour;
  context.fillRect(x, y, width, barHeight);
  context.globalAlpha = 1;
}

function paintRunning(context: Context, shape: Shape, colour: string, palette: Palette): void {
  const { x, y, end, state } = shape;
  const width = end - x;
  if (state === 'cancelled') {
    context.fillStyle = palette.surface;
    context.fillRect(x, y, width, barHeight);
    context.fillStyle = colour;
    context.fillRect(x, y + Math.floor(barHeight / 2), width, 1);
    return;
  }
  if (state === 'interrupted') {
    context.fillStyle = palette.surface;
    context.fillRect(x, y, width, barHeight);
    context.fillStyle = hatch(context, colour) ?? colour;
    context.fillRect(x, y, width, barHeight);
    return;
  }
  context.fillStyle = colour;
  if (!shape.isOpen) return context.fillRect(x, y, width, barHeight);
  // Goes on: it fades out towards the instant of writing.
  const fade = Math.min(width, 28);
  context.fillRect(x, y, width - fade, barHeight);
  const gradient = context.createLinearGradient(end - fade, 0, end, 0);
  gradient.addColorStop(0, colour);
  gradient.addColorStop(1, palette.surface);
  context.fillStyle = gradient;
  context.fillRect(end - fade, y, fade, barHeight);
}

/** Diagonal stripes, made once for each colour and resolution. */
function hatch(context: Context, colour: string): CanvasPattern | null {
  const ratio = context.getTransform().a;
  const key = `${colour} ${ratio}`;
  const made = patterns.get(key);
  if (made !== undefined) return made;
  const size = 6;
  const tile = document.createElement('canvas');
  tile.width = tile.height = size * Math.ceil(ratio);
  const brush = tile.getContext('2d');
  if (brush === null) return null;
  brush.scale(tile.width / size, tile.width / size);
  brush.strokeStyle = colour;
  brush.lineWidth = 2.1;
  brush.beginPath();
  for (const shift of [-size, 0, size]) {
    brush.moveTo(shift, size);
    brush.lineTo(shift + size, 0);
  }
  brush.stroke();
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(size / tile.width));
  patterns.set(key, pattern);
  return pattern;
}

/** A dark cap with a cross at the end of what failed. */
function cross(context: Context, end: number, width: number, y: number, palette: Palette): void {
  if (width < 12) return;
  const half = 2.8;
  const middle = y + barHeight / 2;
  const at = end - 7;
  context.strokeStyle = palette.onBar;
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(at - half, middle - half);
  context.lineTo(at + half, middle + half);
  context.moveTo(at + half, middle - half);
  context.lineTo(at - half, middle + half);
  context.stroke();
}

function outline(context: Context, x: number, y: number, width: number, isOpen: boolean): void {
  context.beginPath();
  const right = isOpen ? 0 : radius;
  context.roundRect(x, y, width, barHeight, [radius, right, right, radius]);
}

/** The outline; without its right side where no end is known. */
function edge(context: Context, x: number, y: number, width: number, isOpen: boolean): void {
  const height = barHeight - 1;
  if (!isOpen) return context.roundRect(x, y, width, height, radius);
  context.moveTo(x + width, y);
  context.lineTo(x + radius, y);
  context.arcTo(x, y, x, y + radius, radius);
  context.lineTo(x, y + height - radius);
  context.arcTo(x, y + height, x + radius, y + height, radius);
  context.lineTo(x + width, y + height);
}

/** A ring around the bar that is looked at. */
export function paintRing(
  context: Context,
  { x, end, y }: Pick<Shape, 'x' | 'end' | 'y'>,
  colour: string,
  width: number,
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  const by = 1 + width / 2;
  const length = Math.max(end - x, 2);
  context.roundRect(x - by, y - by, length + 2 * by, barHeight + 2 * by, radius + by);
  context.stroke();
}
