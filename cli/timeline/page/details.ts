import { byId, isolated, make, mark } from './elements.js';
import { duration, fullTime, legible, scopeName, utcTime } from './format.js';
import { stateNames, type Bar, type Model } from './model.js';
import { lookAt } from './chart-input.js';
import type { Store } from './state.js';

/** Which facts are told in short as well. */
const inShort = new Set(['Error', 'Stage', 'Label', 'Progress']);

type Row = readonly [name: string, value: string | Node];

/** What is told of a bar: in short beside the pointer, in full where it is selected. */
function rowsOf(bar: Bar, model: Model, inFull: boolean): Row[] {
  const { item } = bar;
  const told = (item.facts ?? []).filter(([name]) => inFull || inShort.has(name));
  const [errors, others] = [true, false].map((isError) =>
    told
      .filter(([name]) => (name === 'Error') === isError)
      .map(([name, value]): Row => [name, isolated(isError ? 'error' : '', legible(value))]),
  );
  const rows: Row[] = [
    ...(errors ?? []),
    [item.kind === 'turn' ? 'Session' : 'Scope', isolated('', scopeName(item.scope))],
    ...timesOf(bar, inFull),
    ...(others ?? []),
  ];
  if (inFull || model.namesSources)
    rows.push(['Read from', isolated('', legible(bar.group.source))]);
  return rows;
}

function timesOf(bar: Bar, inFull: boolean): Row[] {
  const { queuedAt, startedAt, endedAt, seenAt, state } = bar.item;
  const rows: Row[] = [];
  const waited = bar.ran - bar.from;
  if (queuedAt !== undefined && (waited > 0 || startedAt === undefined))
    rows.push(['Waited', duration(waited)]);
  if (startedAt !== undefined) {
    const known = state === 'interrupted' ? ', as far as is known' : ' so far';
    rows.push(['Ran', duration(bar.to - bar.ran) + (bar.isOpen ? known : '')]);
  }
  const stamp = (name: string, time: number | undefined): void => {
    if (time === undefined) return;
    const shown = make('span', '', fullTime(time));
    if (inFull) shown.append(make('span', 'utc', utcTime(time)));
    rows.push([name, shown]);
  };
  stamp('Queued', queuedAt);
  stamp('Started', startedAt);
  if (endedAt === undefined) rows.push(['Ended', 'no end is recorded']);
  else stamp('Ended', endedAt);
  if (inFull && seenAt !== endedAt) stamp('Last learnt', seenAt);
  return rows;
}

function listOf(rows: readonly Row[]): HTMLElement {
  const list = make('dl', 'facts');
  for (const [name, value] of rows) list.append(make('dt', '', name), make('dd', '', value));
  return list;
}

const heading = ({ item }: Bar): HTMLElement =>
  make(
    'div',
    'what',
    make('span', 'pill', mark(item.state), stateNames[item.state]),
    make('span', 'kind', item.kind === 'turn' ? 'Turn' : 'Operation'),
  );

/** The short details, beside the pointer. */
export class Tip {
  readonly #element = byId('tip');
  readonly #model: Model;
  #bar: Bar | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  show(bar: Bar | undefined, x: number, y: number): void {
    this.#element.hidden = bar === undefined;
    if (bar === undefined) return void (this.#bar = undefined);
    if (bar !== this.#bar) {
      this.#element.replaceChildren(
        heading(bar),
        isolated('id', legible(bar.item.id)),
        listOf(rowsOf(bar, this.#model, false)),
      );
      this.#bar = bar;
    }
    const { offsetWidth: width, offsetHeight: height } = this.#element;
    const left = x + 16 + width > innerWidth ? Math.max(x - 16 - width, 4) : x + 16;
    const top = Math.max(4, Math.min(y + 16, innerHeight - height - 8));
    this.#element.style.transform = `translate(${left}px, ${top}px)`;
  }
}

/** The full details of the selected bar. */
export class Panel {
  readonly #element = byId('details');
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  show(bar: Bar | undefined): void {
    this.#element.hidden = bar === undefined;
    if (bar === undefined) return this.#element.replaceChildren();
    const close = make('button', 'quiet', 'Close');
    close.type = 'button';
    close.addEventListener('click', () => this.#store.select(undefined));
    const look = make('button', 'quiet', 'Zoom to it');
    look.type = 'button';
    look.addEventListener('click', () => lookAt(this.#store, bar));
    const title = make('h2', 'id', isolated('', legible(bar.item.id)));
    const top = make('div', 'top', heading(bar), make('div', 'buttons', look, close));
    this.#element.replaceChildren(top, title, listOf(rowsOf(bar, this.#store.model, true)));
    this.#element.scrollTop = 0;
  }
}

/** What a screen reader is told of a bar. */
export function spoken({ item, ran, from, to, isOpen }: Bar): string {
  const kind = item.kind === 'turn' ? 'turn' : 'operation';
  const waited = ran > from ? `, waited ${duration(ran - from)}` : '';
  const whole = `${duration(to - ran)}${isOpen ? ', without an end' : ''}`;
  return `${kind} ${legible(item.id)}, ${stateNames[item.state]}${waited}, ran ${whole}`;
}
