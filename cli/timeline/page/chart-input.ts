import { axisHeight, type Chart } from './chart.js';
import type { Bar } from './model.js';
import { moved, zoomed } from './scale.js';
import type { Store } from './state.js';

export interface ChartParts {
  /** The focusable frame that scrolls up and down. */
  readonly frame: HTMLElement;
  readonly chart: Chart;
  readonly store: Store;
  /** Draws what moves with the pointer. */
  readonly remark: () => void;
  /** Shows the short details of a bar beside a point of the window, or none. */
  readonly tip: (bar: Bar | undefined, x: number, y: number) => void;
  /** Takes the keyboard to the bar's row in the table. */
  readonly toTable: (bar: Bar) => void;
}

const dragFrom = 4;

/** Wheel, pointer and keys of the chart. */
export function listenToChart(parts: ChartParts): void {
  listenToWheel(parts);
  listenToPointer(parts);
  listenToKeys(parts);
}

function listenToWheel({ frame, chart, store }: ChartParts): void {
  frame.addEventListener(
    'wheel',
    (event) => {
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
      const { view } = store;
      const perPixel = (view.to - view.from) / Math.max(chart.width, 1);
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const x = event.clientX - frame.getBoundingClientRect().left;
        store.look(zoomed(view, Math.exp(-Math.max(-60, Math.min(60, dy)) / 120), chart.timeAt(x)));
      } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
        event.preventDefault();
        store.look(moved(view, (event.shiftKey && dx === 0 ? dy : dx) * perPixel));
      }
    },
    { passive: false },
  );
}

function listenToPointer({ frame, chart, store, remark, tip }: ChartParts): void {
  let drag: { x: number; y: number; lastX: number; top: number; moves: boolean } | undefined;
  const place = (event: MouseEvent): [x: number, y: number] => {
    const box = frame.getBoundingClientRect();
    return [event.clientX - box.left - frame.clientLeft, event.clientY - box.top - frame.clientTop];
  };
  frame.addEventListener('pointerdown', (event) => {
    const [x] = place(event);
    if (event.button !== 0 || x > chart.width) return;
    const [left, top] = [event.clientX, event.clientY];
    drag = { x: left, y: top, lastX: left, top: frame.scrollTop, moves: false };
  });
  frame.addEventListener('pointermove', (event) => {
    const [x, y] = place(event);
    if (drag) {
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.moves && Math.hypot(dx, dy) < dragFrom) return;
      if (!drag.moves) frame.setPointerCapture(event.pointerId);
      drag.moves = true;
      frame.classList.add('dragging');
      tip(undefined, 0, 0);
      const { view } = store;
      const by = drag.lastX - event.clientX;
      drag.lastX = event.clientX;
      store.look(moved(view, (by * (view.to - view.from)) / chart.width));
      if (event.pointerType === 'mouse') frame.scrollTop = drag.top - dy;
      return;
    }
    chart.cursor = y >= 0 && x <= chart.width ? chart.timeAt(x) : undefined;
    const bar = chart.barAt(x, y);
    frame.classList.toggle('on-bar', bar !== undefined);
    store.hover(bar);
    tip(bar, event.clientX, event.clientY);
    remark();
  });
  const end = (event: PointerEvent): void => {
    if (drag && !drag.moves && event.type === 'pointerup')
      store.select(chart.barAt(...place(event)));
    drag = undefined;
    frame.classList.remove('dragging');
  };
  frame.addEventListener('pointerup', end);
  frame.addEventListener('pointercancel', end);
  frame.addEventListener('pointerleave', () => {
    chart.cursor = undefined;
    store.hover(undefined);
    tip(undefined, 0, 0);
    remark();
  });
  frame.addEventListener('dblclick', (event) => {
    const bar = chart.barAt(...place(event));
    if (bar) lookAt(store, bar);
  });
}

function listenToKeys({ frame, chart, store, tip, toTable }: ChartParts): void {
  const middle = (): number => {
    const { selected, view } = store;
    const at = selected && (selected.from + selected.to) / 2;
    return at !== undefined && at > view.from && at < view.to ? at : (view.from + view.to) / 2;
  };
  const pan = (part: number): void =>
    store.look(moved(store.view, (store.view.to - store.view.from) * part));
  const step = (by: 1 | -1): void => {
    const next = neighbour(store, by);
    if (next === undefined) return;
    store.reveal(next);
    store.select(next);
  };
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => pan(-0.15),
    ArrowRight: () => pan(0.15),
    ArrowUp: () => frame.scrollBy({ top: -66 }),
    ArrowDown: () => frame.scrollBy({ top: 66 }),
    PageUp: () => frame.scrollBy({ top: axisHeight - frame.clientHeight }),
    PageDown: () => frame.scrollBy({ top: frame.clientHeight - axisHeight }),
    Home: () => store.look({ ...moved(store.view, store.all.from - store.view.from) }),
    End: () => store.look({ ...moved(store.view, store.all.to - store.view.to) }),
    '+': () => store.look(zoomed(store.view, 1.5, middle())),
    '=': () => store.look(zoomed(store.view, 1.5, middle())),
    '-': () => store.look(zoomed(store.view, 1 / 1.5, middle())),
    '0': () => store.look(store.all),
    n: () => step(1),
    p: () => step(-1),
    z: () => store.selected && lookAt(store, store.selected),
    Enter: () => store.selected && toTable(store.selected),
    Escape: () => {
      tip(undefined, 0, 0);
      store.select(undefined);
    },
  };
  frame.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions[event.key];
    if (action === undefined || chart.width === 0) return;
    event.preventDefault();
    action();
  });
}

/** Shows one bar, with as much again on each side. */
export function lookAt(store: Store, { from, to }: Bar): void {
  const span = Math.max(to - from, 50);
  store.look({ from: from - span, to: to + span });
}

/** The next bar in time: of those on view, while none is selected. */
function neighbour(store: Store, by: 1 | -1): Bar | undefined {
  const inOrder = store.shown.toSorted((a, b) => a.from - b.from || a.index - b.index);
  const { selected, view } = store;
  if (selected === undefined) {
    const first = inOrder.findIndex((bar) => bar.to >= view.from);
    return inOrder[by === 1 ? Math.max(first, 0) : inOrder.length - 1];
  }
  return inOrder[inOrder.indexOf(selected) + by];
}
