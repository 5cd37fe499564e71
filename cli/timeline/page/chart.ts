import { Canvas } from './canvas.js';
import { dayOf, legible, scopeName } from './format.js';
import {
  barHeight,
  firstEndingAfter,
  headHeight,
  laneHeight,
  type Band,
  type Lane,
} from './lanes.js';
import type { Bar } from './model.js';
import { paintBar, paintRing, type Shape } from './paint.js';
import type { Palette } from './palette.js';
import { ticksOf } from './scale.js';
import type { Store } from './state.js';

export const axisHeight = 34;
const slack = 3;

/** Draws what is on view, and tells which bar lies under a point. */
export class Chart {
  readonly #store: Store;
  readonly #canvas: Canvas;
  /** Above the bars: what moves with the pointer, so that they need not be drawn again. */
  readonly #marks: Canvas;
  readonly #palette: () => Palette;
  /** How far down the lanes are scrolled. */
  scrollTop = 0;
  /** The instant under the pointer. */
  cursor: number | undefined;

  constructor(
    store: Store,
    elements: { readonly bars: HTMLCanvasElement; readonly marks: HTMLCanvasElement },
    palette: () => Palette,
    onResize: () => void,
  ) {
    this.#store = store;
    this.#palette = palette;
    this.#canvas = new Canvas(elements.bars, onResize);
    this.#marks = new Canvas(elements.marks, onResize);
  }

  get width(): number {
    return this.#canvas.element.clientWidth;
  }

  xOf(time: number): number {
    const { from, to } = this.#store.view;
    return ((time - from) / (to - from)) * this.width;
  }

  timeAt(x: number): number {
    const { from, to } = this.#store.view;
    return from + (x / this.width) * (to - from);
  }

  /** The bar at a point of the canvas: the nearest one, where several share a pixel. */
  barAt(x: number, y: number): Bar | undefined {
    if (y < axisHeight) return undefined;
    const lane = this.#laneAt(y - axisHeight + this.scrollTop);
    if (lane === undefined) return undefined;
    let best: Bar | undefined;
    let distance = slack;
    const first = firstEndingAfter(lane, this.timeAt(x - slack));
    for (let at = first; at < lane.bars.length; at += 1) {
      const bar = lane.bars[at];
      if (bar === undefined || this.xOf(bar.from) > x + slack) break;
      const gap = Math.max(this.xOf(bar.from) - x, x - this.xOf(bar.to), 0);
      if (gap < distance) [best, distance] = [bar, gap];
    }
    return best;
  }

  draw(): void {
    const context = this.#canvas.clear();
    const palette = this.#palette();
    const { width, height } = this.#canvas;
    context.font = `12px ${palette.font}`;
    context.textBaseline = 'middle';
    if (this.#store.shown.length === 0) return;
    this.#grid(context, palette, width, height);
    context.save();
    context.beginPath();
    context.rect(0, axisHeight, width, height - axisHeight);
    context.clip();
    for (const band of this.#store.layout.bands) this.#band(context, palette, band, width, height);
    context.restore();
  }

  /** The rings of the bars that are looked at, and the line at the pointer. */
  drawMarks(): void {
    const context = this.#marks.clear();
    const palette = this.#palette();
    const { width, height } = this.#marks;
    if (this.cursor !== undefined) {
      context.globalAlpha = 0.35;
      context.fillStyle = palette.text;
      context.fillRect(Math.round(this.xOf(this.cursor)), axisHeight - 7, 1, height);
      context.globalAlpha = 1;
    }
    context.beginPath();
    context.rect(0, axisHeight, width, height - axisHeight);
    context.clip();
    const { selected, hovered, layout } = this.#store;
    for (const bar of [hovered, selected]) {
      const lane = bar && layout.places.get(bar);
      if (bar === undefined || lane === undefined) continue;
      const y = lane.y + axisHeight - this.scrollTop + (laneHeight - barHeight) / 2;
      paintRing(context, this.#shape(bar, y, width), palette.text, bar === selected ? 2 : 1.5);
    }
  }

  // -- within -----------------------------------------------------------------

  #grid(context: CanvasRenderingContext2D, palette: Palette, width: number, height: number): void {
    const { view, model } = this.#store;
    const ticks = ticksOf(view, 110 / Math.max(width, 110));
    context.fillStyle = palette.line;
    context.fillRect(0, axisHeight - 1, width, 1);
    context.textAlign = 'left';
    let free = this.#day(context, palette);
    for (const { at, text } of ticks) {
      const x = Math.round(this.xOf(at));
      context.fillStyle = palette.faint;
      context.fillRect(x, axisHeight, 1, height);
      context.fillStyle = palette.line;
      context.fillRect(x, axisHeight - 7, 1, 7);
      const wide = context.measureText(text).width;
      if (x + 5 < free || x + 5 + wide > width) continue;
      context.fillStyle = palette.quiet;
      context.fillText(text, x + 5, axisHeight / 2);
      free = x + 5 + wide + 8;
    }
    const now = Math.round(this.xOf(model.writtenAt));
    if (now < 0 || now > width) return;
    context.fillStyle = palette.accent;
    context.fillRect(now, axisHeight - 7, 1, height);
  }

  /** The day at the left, where the ticks tell only hours. */
  #day(context: CanvasRenderingContext2D, palette: Palette): number {
    const { from, to } = this.#store.view;
    if (to - from > 4 * 86_400_000) return 0;
    const text = dayOf(from);
    context.fillStyle = palette.text;
    context.fillText(text, 12, axisHeight / 2);
    return 12 + context.measureText(text).width + 14;
  }

  #band(
    context: CanvasRenderingContext2D,
    palette: Palette,
    band: Band,
    width: number,
    height: number,
  ): void {
    const top = axisHeight - this.scrollTop;
    const end = band.y + headHeight + band.lanes.length * laneHeight;
    if (end + top < axisHeight || band.y + top > height) return;
    for (const lane of band.lanes) {
      const y = lane.y + top;
      if (y + laneHeight < axisHeight || y > height) continue;
      this.#lane(context, palette, lane, y + (laneHeight - barHeight) / 2, width);
    }
    // The name of a group stays in sight for as long as any of its lanes does.
    const y = Math.min(Math.max(band.y + top, axisHeight), end + top - headHeight);
    this.#head(context, palette, band, y, width);
  }

  #head(
    context: CanvasRenderingContext2D,
    palette: Palette,
    { group, count }: Band,
    y: number,
    width: number,
  ): void {
    context.fillStyle = palette.band;
    context.fillRect(0, y, width, headHeight - 4);
    const middle = y + (headHeight - 4) / 2;
    const isTurn = group.kind === 'turn';
    const kind = isTurn ? 'Turns of session' : 'Operations of scope';
    context.textAlign = 'left';
    context.fillStyle = palette.quiet;
    context.fillText(kind, 12, middle);
    let x = 12 + context.measureText(`${kind} `).width + 2;
    context.font = `600 12px ${palette.font}`;
    context.fillStyle = palette.text;
    const name = fitted(context, scopeName(group.scope), width - x - 80);
    context.fillText(name, x, middle);
    x += context.measureText(name).width + 10;
    context.font = `12px ${palette.font}`;
    context.fillStyle = palette.quiet;
    const source = this.#store.model.namesSources ? ` · ${legible(group.source)}` : '';
    const rest = `${count.toLocaleString()}${source}`;
    context.fillText(fitted(context, rest, width - x - 12), x, middle);
  }

  #lane(
    context: CanvasRenderingContext2D,
    palette: Palette,
    lane: Lane,
    y: number,
    width: number,
  ): void {
    const { view } = this.#store;
    let drawn = '';
    for (let at = firstEndingAfter(lane, view.from); at < lane.bars.length; at += 1) {
      const bar = lane.bars[at];
      if (bar === undefined || bar.from > view.to) break;
      const shape = this.#shape(bar, y, width);
      // Of many in the same pixels one of each state is drawn.
      const key = `${Math.round(shape.x)} ${bar.item.state}`;
      if (shape.end - shape.x < 1.5 && key === drawn) continue;
      drawn = key;
      paintBar(context, shape, palette);
      this.#label(context, palette, bar, shape, width);
    }
  }

  /** Not far beyond the edges: a canvas does not like very long shapes. */
  #shape(bar: Bar, y: number, width: number): Shape {
    const x = Math.max(this.xOf(bar.from), -20);
    const end = Math.min(Math.max(this.xOf(bar.to), x + 2), width + 20);
    const { item, isOpen } = bar;
    const snapped = end - x < 4 ? Math.round(x) : x;
    return { x: snapped, ran: this.xOf(bar.ran), end, y, state: item.state, isOpen };
  }

  #label(
    context: CanvasRenderingContext2D,
    palette: Palette,
    bar: Bar,
    shape: Shape,
    width: number,
  ): void {
    const hasRun = shape.ran < shape.end - 1;
    const left = Math.max(hasRun ? shape.ran : shape.x, 0) + 6;
    const { state, label, id } = bar.item;
    const isSolid = hasRun && state !== 'cancelled' && state !== 'interrupted';
    // Past the cross of what failed, and where what runs fades out, nothing could be read.
    const spared = state === 'failed' ? 14 : isSolid && bar.isOpen ? 22 : 6;
    const room = Math.min(shape.end, width) - left - spared;
    if (room < (hasRun && !isSolid ? 60 : 34)) return;
    context.font = `11px ${palette.font}`;
    context.textAlign = 'left';
    const text = fitted(context, legible(label ?? id), room);
    if (hasRun && !isSolid) {
      // Stripes and lines leave a plate free for the text.
      context.fillStyle = palette.surface;
      const plate = Math.min(context.measureText(text).width + 6, room + 3);
      context.fillRect(left - 3, shape.y + 1, plate, barHeight - 2);
    }
    context.fillStyle = isSolid ? palette.onBar : palette.text;
    context.fillText(text, left, shape.y + barHeight / 2 + 0.5);
    context.font = `12px ${palette.font}`;
  }

  #laneAt(y: number): Lane | undefined {
    const band = this.#store.layout.bands.findLast((each) => each.y <= y);
    if (band === undefined || y < band.y + headHeight) return undefined;
    return band.lanes[Math.floor((y - band.y - headHeight) / laneHeight)];
  }
}

/** As much of a text as there is room for. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (room <= 0) return '';
  const short = text.length > 200 ? text.slice(0, 200) : text;
  const wide = context.measureText(short).width;
  if (wide <= room && short === text) return text;
  const keep = Math.floor((short.length * room) / wide) - 1;
  return keep < 2 ? '' : `${short.slice(0, keep).toWellFormed()}…`;
}
