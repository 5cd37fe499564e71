import { byId, isolated, make, mark } from './elements.js';
import { clockOf, dayOf, duration, legible, milliseconds, scopeName } from './format.js';
import { states, stateNames, type Bar } from './model.js';
import { lookAt } from './chart-input.js';
import type { Store } from './state.js';

const rowHeight = 48;
const spare = 6;

const orders: Readonly<Record<string, (a: Bar, b: Bar) => number>> = {
  state: (a, b) => states.indexOf(a.item.state) - states.indexOf(b.item.state),
  id: (a, b) => a.item.id.localeCompare(b.item.id),
  start: (a, b) => a.from - b.from,
  duration: (a, b) => a.to - a.ran - (b.to - b.ran),
};

/** The rows of the bars, of which only those in sight exist. */
export class Table {
  readonly #store: Store;
  readonly #frame = byId('rows');
  readonly #body = byId('rows-body', HTMLTableSectionElement);
  readonly #table = byId('rows-table', HTMLTableElement);
  #rows: readonly Bar[] = [];
  #order = 'start';
  #descends = true;
  /** The row that the keyboard is at. */
  #at = 0;
  #drawn = '';

  constructor(store: Store) {
    this.#store = store;
    this.#frame.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.#frame);
    this.#body.addEventListener('click', (event) => this.#press(event));
    this.#body.addEventListener('dblclick', () => store.selected && lookAt(store, store.selected));
    this.#body.addEventListener('pointerover', (event) => store.hover(this.#barOf(event.target)));
    this.#body.addEventListener('pointerleave', () => store.hover(undefined));
    this.#body.addEventListener('keydown', (event) => this.#key(event));
    for (const head of this.#table.querySelectorAll<HTMLElement>('th[data-order]'))
      head.querySelector('button')?.addEventListener('click', () => this.#sort(head));
  }

  /** After a change of the filters or of the order. */
  fill(): void {
    const order = orders[this.#order] ?? (() => 0);
    const sign = this.#descends ? -1 : 1;
    this.#rows = this.#store.shown.toSorted((a, b) => sign * (order(a, b) || a.index - b.index));
    this.#at = Math.max(this.#store.selected ? this.#rows.indexOf(this.#store.selected) : 0, 0);
    this.#table.setAttribute('aria-rowcount', String(this.#rows.length + 1));
    this.#drawn = '';
    this.draw();
  }

  draw(): void {
    const { scrollTop, clientHeight } = this.#frame;
    const first = Math.max(Math.floor(scrollTop / rowHeight) - spare, 0);
    const last = Math.min(
      Math.ceil((scrollTop + clientHeight) / rowHeight) + spare,
      this.#rows.length,
    );
    const drawn = [first, last, this.#at].join(' ');
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#fillBody(first, last);
    }
    this.#mark();
  }

  /** Scrolls the row of a bar into sight, and takes the keyboard there if asked to. */
  show(bar: Bar, takesFocus: boolean): void {
    const at = this.#rows.indexOf(bar);
    if (at < 0) return;
    this.#at = at;
    this.#scrollTo(at);
    this.draw();
    if (takesFocus) this.#focused()?.focus({ preventScroll: true });
  }

  // -- within -----------------------------------------------------------------

  #fillBody(first: number, last: number): void {
    const focused = this.#body.contains(document.activeElement);
    const at = this.#at;
    const rows: HTMLElement[] = [];
    // The row that the keyboard is at stays, out of sight too: it holds the focus.
    if (at < first) rows.push(gap(at), ...this.#row(at), gap(first - at - 1));
    else rows.push(gap(first));
    for (let each = first; each < last; each += 1) rows.push(...this.#row(each));
    if (at >= last && last < this.#rows.length)
      rows.push(gap(at - last), ...this.#row(at), gap(this.#rows.length - at - 1));
    else rows.push(gap(this.#rows.length - last));
    this.#body.replaceChildren(...rows);
    if (focused) this.#focused()?.focus({ preventScroll: true });
  }

  /** What changes while the rows stay. */
  #mark(): void {
    const { selected, hovered } = this.#store;
    for (const row of this.#body.querySelectorAll<HTMLElement>('tr[data-at]')) {
      const bar = this.#rows[Number(row.dataset['at'])];
      row.setAttribute('aria-selected', String(bar === selected));
      row.classList.toggle('hovered', bar === hovered);
    }
  }

  #row(at: number): HTMLElement[] {
    const bar = this.#rows[at];
    if (bar === undefined) return [];
    const { item } = bar;
    const state = make('td', 'state', mark(item.state), make('span', '', stateNames[item.state]));
    const scope = `${item.kind === 'turn' ? 'turn of ' : ''}${scopeName(item.scope)}`;
    const label = item.label === undefined ? '' : ` · ${legible(item.label)}`;
    const id = make(
      'td',
      'name',
      isolated('id', legible(item.id)),
      isolated('under', `${scope}${label}`),
    );
    const when = make(
      'td',
      'when',
      make('span', '', `${clockOf(bar.from)}.${milliseconds(bar.from)}`),
      make('span', 'under', dayOf(bar.from)),
    );
    const waited = bar.ran > bar.from ? `waited ${duration(bar.ran - bar.from)}` : '';
    const ran = bar.ran < bar.to || waited === '' ? duration(bar.to - bar.ran) : '–';
    const long = make(
      'td',
      'long',
      make('span', '', bar.isOpen && ran !== '–' ? `${ran} +` : ran),
      make('span', 'under', waited),
    );
    const row = make('tr', '', state, id, when, long);
    row.dataset['at'] = String(at);
    row.tabIndex = at === this.#at ? 0 : -1;
    row.setAttribute('aria-rowindex', String(at + 2));
    return [row];
  }

  #press(event: Event): void {
    const bar = this.#barOf(event.target);
    if (bar === undefined) return;
    this.#at = this.#rows.indexOf(bar);
    this.#store.reveal(bar);
    this.#store.select(bar);
    this.draw();
    this.#focused()?.focus({ preventScroll: true });
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(Math.floor(this.#frame.clientHeight / rowHeight) - 2, 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: this.#at + 1,
      ArrowUp: this.#at - 1,
      PageDown: this.#at + page,
      PageUp: this.#at - page,
      Home: 0,
      End: this.#rows.length - 1,
    };
    const to = steps[event.key];
    const bar = this.#rows[this.#at];
    if (to !== undefined) {
      this.#at = Math.min(Math.max(to, 0), this.#rows.length - 1);
      this.#scrollTo(this.#at);
      this.draw();
      this.#focused()?.focus({ preventScroll: true });
    } else if ((event.key === 'Enter' || event.key === ' ') && bar) {
      this.#store.reveal(bar);
      this.#store.select(bar);
    } else if (event.key === 'z' && bar) {
      this.#store.select(bar);
      lookAt(this.#store, bar);
    } else if (event.key === 'Escape') {
      this.#store.select(undefined);
    } else return;
    event.preventDefault();
  }

  #sort(head: HTMLElement): void {
    const order = head.dataset['order'] ?? 'start';
    this.#descends =
      order === this.#order ? !this.#descends : order === 'start' || order === 'duration';
    this.#order = order;
    for (const each of this.#table.querySelectorAll<HTMLElement>('th[data-order]')) {
      if (each === head)
        each.setAttribute('aria-sort', this.#descends ? 'descending' : 'ascending');
      else each.removeAttribute('aria-sort');
    }
    this.fill();
    this.#frame.scrollTop = 0;
  }

  #scrollTo(at: number): void {
    const head = this.#table.tHead?.offsetHeight ?? 0;
    const { scrollTop, clientHeight } = this.#frame;
    const top = at * rowHeight;
    if (top < scrollTop) this.#frame.scrollTop = top;
    else if (top + rowHeight + head > scrollTop + clientHeight)
      this.#frame.scrollTop = top + rowHeight + head - clientHeight;
  }

  #focused(): HTMLElement | null {
    return this.#body.querySelector<HTMLElement>('tr[tabindex="0"]');
  }

  #barOf(target: EventTarget | null): Bar | undefined {
    const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-at]') : null;
    return row ? this.#rows[Number(row.dataset['at'])] : undefined;
  }
}

/** The height of rows that do not exist. */
function gap(rows: number): HTMLElement {
  const row = make('tr', 'gap', make('td'));
  row.setAttribute('aria-hidden', 'true');
  row.style.height = `${rows * rowHeight}px`;
  return row;
}
