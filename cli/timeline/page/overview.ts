import { Canvas } from './canvas.js';
import type { Palette } from './palette.js';
import { zoomed } from './scale.js';
import type { Store } from './state.js';

const base = 4;

/** How much went on when, over all the time there is, with a window that shows what is on view. */
export class Overview {
  readonly #store: Store;
  readonly #canvas: Canvas;
  readonly #palette: () => Palette;

  constructor(
    store: Store,
    element: HTMLCanvasElement,
    palette: () => Palette,
    onResize: () => void,
  ) {
    this.#store = store;
    this.#palette = palette;
    this.#canvas = new Canvas(element, onResize);
    this.#listen(element);
  }

  draw(): void {
    const context = this.#canvas.clear();
    const { width, height } = this.#canvas;
    const palette = this.#palette();
    const { all, view } = this.#store;
    const scale = width / (all.to - all.from);
    const { busy, failed } = this.#counts(Math.max(Math.round(width), 1), scale);
    const most = Math.sqrt(Math.max(1, ...busy));
    context.fillStyle = palette.state.running;
    context.globalAlpha = 0.45;
    for (const [x, count] of busy.entries()) {
      if (count === 0) continue;
      const tall = Math.max((Math.sqrt(count) / most) * (height - base - 6), 2);
      context.fillRect(x, height - base - tall, 1, tall);
    }
    context.globalAlpha = 1;
    context.fillStyle = palette.state.failed;
    for (const [x, count] of failed.entries())
      if (count > 0) context.fillRect(x, height - base, 1.5, base);
    const left = Math.max((view.from - all.from) * scale, 0);
    const right = Math.min((view.to - all.from) * scale, width);
    if (right - left > width - 1) return;
    context.fillStyle = palette.band;
    context.globalAlpha = 0.75;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(left + 1, 1, Math.max(right - left - 2, 3), height - 2, 4);
    context.stroke();
  }

  /** For each pixel: the bars that reach into it, and those that failed there. */
  #counts(width: number, scale: number): { busy: Int32Array; failed: Int32Array } {
    const { all, shown } = this.#store;
    const busy = new Int32Array(width + 1);
    const failed = new Int32Array(width);
    const pixel = (time: number): number =>
      Math.min(Math.max(Math.floor((time - all.from) * scale), 0), width - 1);
    for (const bar of shown) {
      const [from, to] = [pixel(bar.from), pixel(bar.to)];
      busy[from] = (busy[from] ?? 0) + 1;
      busy[to + 1] = (busy[to + 1] ?? 0) - 1;
      if (bar.item.state === 'failed') failed[to] = (failed[to] ?? 0) + 1;
    }
    for (let x = 1; x <= width; x += 1) busy[x] = (busy[x] ?? 0) + (busy[x - 1] ?? 0);
    return { busy: busy.subarray(0, width), failed };
  }

  /** A press takes the window there, a drag draws it along. */
  #listen(element: HTMLCanvasElement): void {
    const go = (event: PointerEvent): void => {
      const { all, view } = this.#store;
      const box = element.getBoundingClientRect();
      const at = all.from + ((event.clientX - box.left) / box.width) * (all.to - all.from);
      const half = (view.to - view.from) / 2;
      this.#store.look({ from: at - half, to: at + half });
    };
    element.addEventListener('pointerdown', (event) => {
      element.setPointerCapture(event.pointerId);
      go(event);
    });
    element.addEventListener('pointermove', (event) => {
      if (element.hasPointerCapture(event.pointerId)) go(event);
    });
    element.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const { view } = this.#store;
        const middle = (view.from + view.to) / 2;
        this.#store.look(zoomed(view, Math.exp(-event.deltaY / 240), middle));
      },
      { passive: false },
    );
  }
}
