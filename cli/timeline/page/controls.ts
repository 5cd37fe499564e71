import { byId, make, mark } from './elements.js';
import { counted, legible, scopeName } from './format.js';
import { states, stateNames, type Group, type Model, type State } from './model.js';
import { everything, type Filters, type Store } from './state.js';

/** Search, scope and states; the buttons of the states are the legend as well. */
export class Controls {
  readonly #store: Store;
  readonly #search = byId('search', HTMLInputElement);
  readonly #scope = byId('scope', HTMLSelectElement);
  readonly #buttons = new Map<State, { button: HTMLButtonElement; count: HTMLElement }>();

  constructor(store: Store) {
    this.#store = store;
    fillScopes(this.#scope, store.model);
    this.#fillStates();
    this.#search.addEventListener('input', () => store.filter({ query: this.#search.value }));
    this.#scope.addEventListener('change', () => store.filter({ scope: this.#scope.value }));
    for (const button of document.querySelectorAll('[data-action="clear"]'))
      button.addEventListener('click', () => store.filter(everything));
    document.addEventListener('keydown', (event) => {
      const typing = event.target instanceof HTMLInputElement;
      if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        this.#search.select();
      }
      if (event.key === 'Escape' && event.target === this.#search) store.filter({ query: '' });
    });
  }

  /** Shows the filters as they are, however they came to be so. */
  show(): void {
    const { query, scope, hidden } = this.#store.filters;
    if (this.#search.value !== query) this.#search.value = query;
    this.#scope.value = scope;
    const counts = this.#store.countsByState();
    for (const [state, { button, count }] of this.#buttons) {
      button.setAttribute('aria-pressed', String(!hidden.has(state)));
      count.textContent = (counts.get(state) ?? 0).toLocaleString();
    }
    const [shown, all] = [this.#store.shown.length, this.#store.model.bars.length];
    const told =
      shown === all ? counted(all, 'row') : `${shown.toLocaleString()} of ${counted(all, 'row')}`;
    byId('count').textContent = told;
    byId('clear').hidden = query === '' && scope === '' && hidden.size === 0;
  }

  #fillStates(): void {
    const list = byId('states');
    for (const state of states) {
      const count = make('span', 'count');
      const button = make('button', 'chip', mark(state), stateNames[state], count);
      button.type = 'button';
      button.dataset['state'] = state;
      button.addEventListener('click', () => {
        const hidden = new Set(this.#store.filters.hidden);
        if (!hidden.delete(state)) hidden.add(state);
        this.#store.filter({ hidden });
      });
      this.#buttons.set(state, { button, count });
      list.append(button);
    }
  }
}

function fillScopes(select: HTMLSelectElement, model: Model): void {
  select.append(new Option('Everything', ''));
  for (const kind of ['turn', 'operation'] as const) {
    const groups = model.groups.filter((group) => group.kind === kind);
    if (groups.length === 0) continue;
    const section = make('optgroup');
    section.label = kind === 'turn' ? 'Turns' : 'Operations';
    section.append(new Option(kind === 'turn' ? 'All turns' : 'All operations', kind));
    for (const group of groups) section.append(new Option(optionText(group, model), group.key));
    select.append(section);
  }
}

function optionText(group: Group, model: Model): string {
  const kind = group.kind === 'turn' ? 'session' : 'scope';
  const source = model.namesSources ? ` · ${legible(group.source)}` : '';
  return `${kind} ${scopeName(group.scope)}${source} (${group.bars.length.toLocaleString()})`;
}

/** The filters live in the address, so that a page can be opened again as it was. */
export function filtersFrom(hash: string, model: Model): Filters {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const scope = given.get('scope') ?? '';
  const isKnown =
    scope === 'turn' || scope === 'operation' || model.groups.some(({ key }) => key === scope);
  const hidden = (given.get('without') ?? '').split(' ');
  return {
    query: given.get('search') ?? '',
    scope: isKnown ? scope : '',
    hidden: new Set(states.filter((state) => hidden.includes(state))),
  };
}

export function hashOf({ query, scope, hidden }: Filters): string {
  const told = new URLSearchParams();
  if (query !== '') told.set('search', query);
  if (scope !== '') told.set('scope', scope);
  if (hidden.size > 0) told.set('without', [...hidden].join(' '));
  return String(told);
}
