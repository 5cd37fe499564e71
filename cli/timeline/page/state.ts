import { around, within, type View } from './scale.js';
import { layoutOf, type Layout } from './lanes.js';
import { haystack, words, type Bar, type Model, type State } from './model.js';

/** What is asked for: '' is everything, a kind all groups of it, else the key of one group. */
export interface Filters {
  readonly query: string;
  readonly scope: string;
  /** The states that are left out. */
  readonly hidden: ReadonlySet<State>;
}

export const everything: Filters = { query: '', scope: '', hidden: new Set() };

export type Topic = 'filters' | 'view' | 'selection' | 'hover';

/** What the parts of the page share, and how they hear of a change. */
export class Store {
  readonly model: Model;
  filters = everything;
  /** The bars that the filters leave, in the order of the data. */
  shown: readonly Bar[];
  layout: Layout;
  /** All that there is to see under the filters. */
  all: View;
  view: View;
  selected: Bar | undefined;
  hovered: Bar | undefined;
  readonly #listeners: ((topic: Topic) => void)[] = [];

  constructor(model: Model) {
    this.model = model;
    this.shown = model.bars;
    this.layout = layoutOf(model.groups, () => true);
    this.all = around(model.bars, model.writtenAt);
    this.view = this.all;
  }

  listen(listener: (topic: Topic) => void): void {
    this.#listeners.push(listener);
  }

  tell(topic: Topic): void {
    for (const listener of this.#listeners) listener(topic);
  }

  filter(change: Partial<Filters>): void {
    const wasWhole = this.view.from === this.all.from && this.view.to === this.all.to;
    this.filters = { ...this.filters, ...change };
    const passes = this.#passing();
    this.shown = this.model.bars.filter(passes);
    const kept = new Set(this.shown);
    this.layout = layoutOf(this.model.groups, (bar) => kept.has(bar));
    // With nothing to show, what was on view stays there for when there is something again.
    if (this.shown.length > 0) this.all = around(this.shown, this.model.writtenAt);
    this.view = wasWhole ? this.all : within(this.view, this.all);
    if (this.selected && !kept.has(this.selected)) this.select(undefined);
    this.hovered = undefined;
    this.tell('filters');
  }

  look(view: View): void {
    this.view = within(view, this.all);
    this.tell('view');
  }

  select(bar: Bar | undefined): void {
    if (this.selected === bar) return;
    this.selected = bar;
    this.tell('selection');
  }

  hover(bar: Bar | undefined): void {
    if (this.hovered === bar) return;
    this.hovered = bar;
    this.tell('hover');
  }

  /** Moves the view, no more than needed, to where the bar can be seen. */
  reveal(bar: Bar): void {
    const { from, to } = this.view;
    const seen = Math.min(bar.to, to) - Math.max(bar.from, from);
    const span = to - from;
    if (seen >= Math.min(bar.to - bar.from, span) * 0.5 && bar.to >= from && bar.from <= to) return;
    const middle = (bar.from + bar.to) / 2;
    this.look({ from: middle - span / 2, to: middle + span / 2 });
  }

  /** How many of the bars that pass the other filters have each state. */
  countsByState(): ReadonlyMap<State, number> {
    const passes = this.#passing({ hidden: new Set() });
    const counts = new Map<State, number>();
    for (const bar of this.model.bars)
      if (passes(bar)) counts.set(bar.item.state, (counts.get(bar.item.state) ?? 0) + 1);
    return counts;
  }

  #passing(change: Partial<Filters> = {}): (bar: Bar) => boolean {
    const { query, scope, hidden } = { ...this.filters, ...change };
    const wanted = words(query);
    return (bar) =>
      !hidden.has(bar.item.state) &&
      (scope === '' || bar.group.key === scope || bar.item.kind === scope) &&
      wanted.every((word) => haystack(bar).includes(word));
  }
}
