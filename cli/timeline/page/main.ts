import { axisHeight, Chart } from './chart.js';
import { listenToChart } from './chart-input.js';
import { Controls, filtersFrom, hashOf } from './controls.js';
import { Panel, spoken, Tip } from './details.js';
import { byId, isolated, make } from './elements.js';
import { counted, fullTime, legible, zoneName } from './format.js';
import { modelOf, type Model, type TimelineData } from './model.js';
import { Overview } from './overview.js';
import { paletteOf, type Palette } from './palette.js';
import { zoomed } from './scale.js';
import { Store, type Topic } from './state.js';
import { Table } from './table.js';
import { listenToTheme } from './theme.js';

function start(): void {
  const data = JSON.parse(byId('data').textContent ?? '') as TimelineData;
  const model = modelOf(data);
  introduce(model);
  const store = new Store(model);
  const controls = new Controls(store);
  const table = new Table(store);
  const panel = new Panel(store);
  const tip = new Tip(model);
  const frame = byId('chart');
  let palette: Palette | undefined;
  const colours = (): Palette => (palette ??= paletteOf(document.body));

  let due: 'nothing' | 'marks' | 'all' = 'nothing';
  const draw = (what: 'marks' | 'all'): void => {
    if (due === 'nothing') requestAnimationFrame(drawDue);
    if (due !== 'all') due = what;
  };
  const drawDue = (): void => {
    const whole = due === 'all';
    due = 'nothing';
    chart.scrollTop = frame.scrollTop;
    if (whole) {
      chart.draw();
      overview.draw();
    }
    chart.drawMarks();
  };
  const redraw = (): void => draw('all');
  const canvases = {
    bars: byId('bars', HTMLCanvasElement),
    marks: byId('marks', HTMLCanvasElement),
  };
  const chart = new Chart(store, canvases, colours, redraw);
  const overview = new Overview(store, byId('overview', HTMLCanvasElement), colours, redraw);
  frame.addEventListener('scroll', redraw, { passive: true });
  listenToChart({
    frame,
    chart,
    store,
    remark: () => draw('marks'),
    tip: (bar, x, y) => tip.show(bar, x, y),
    toTable: (bar) => table.show(bar, true),
  });
  listenToButtons(store);
  listenToTheme(() => {
    palette = undefined;
    redraw();
  });

  const react: Record<Topic, () => void> = {
    filters: () => {
      byId('lanes').style.height = `${axisHeight + store.layout.height}px`;
      byId('nothing').hidden = store.shown.length > 0 || model.bars.length === 0;
      controls.show();
      table.fill();
      const hash = hashOf(store.filters);
      if (hash !== location.hash.slice(1)) history.replaceState(null, '', `#${hash}`);
    },
    view: () => tip.show(undefined, 0, 0),
    hover: () => table.draw(),
    selection: () => {
      panel.show(store.selected);
      if (!store.selected) return table.draw();
      const lane = store.layout.places.get(store.selected);
      if (lane) scrollInto(frame, lane.y);
      table.show(store.selected, false);
      byId('spoken').textContent = spoken(store.selected);
    },
  };
  store.listen((topic) => {
    react[topic]();
    draw(topic === 'hover' || topic === 'selection' ? 'marks' : 'all');
  });
  addEventListener('hashchange', () => store.filter(filtersFrom(location.hash, model)));
  store.filter(filtersFrom(location.hash, model));
  store.look(store.all);
}

/** What the page is, of what, and when. */
function introduce(model: Model): void {
  const { sources, notes, items, writtenAt } = model.data;
  const turns = items.filter(({ kind }) => kind === 'turn').length;
  const amounts = [
    ...(items.length - turns > 0 ? [counted(items.length - turns, 'operation')] : []),
    ...(turns > 0 ? [counted(turns, 'turn')] : []),
  ];
  const parts = [
    ...(amounts.length > 0 ? [amounts.join(' and ')] : []),
    `written ${fullTime(writtenAt).slice(0, -4)} (${zoneName(writtenAt)})`,
  ];
  byId('about').textContent = parts.join(' · ');
  const list = byId('sources');
  for (const { kind, name } of sources) {
    const what = kind === 'journal' ? 'Journal' : 'Turns';
    list.append(make('li', '', `${what} `, isolated('path', legible(name))));
  }
  for (const note of notes) list.append(make('li', 'note', isolated('', legible(note))));
  list.hidden = list.childElementCount === 0;
  byId('empty').hidden = items.length > 0;
  byId('work').hidden = items.length === 0;
  byId('tools').hidden = items.length === 0;
}

function listenToButtons(store: Store): void {
  const zoom = (factor: number): void => {
    const { from, to } = store.view;
    store.look(zoomed(store.view, factor, (from + to) / 2));
  };
  byId('zoom-in').addEventListener('click', () => zoom(1.6));
  byId('zoom-out').addEventListener('click', () => zoom(1 / 1.6));
  byId('fit').addEventListener('click', () => store.look(store.all));
}

function scrollInto(frame: HTMLElement, y: number): void {
  const room = frame.clientHeight - axisHeight;
  if (y < frame.scrollTop + 34) frame.scrollTop = y - 40;
  else if (y + 34 > frame.scrollTop + room) frame.scrollTop = y + 60 - room;
}

start();
