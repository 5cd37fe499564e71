/** The element of the page with this id. */
export function byId<E extends HTMLElement = HTMLElement>(id: string, kind?: new () => E): E {
  const found = document.getElementById(id);
  if (found === null || (kind && !(found instanceof kind))) throw new Error(`No ${id} in the page`);
  return found as E;
}

type Child = Node | string | undefined;

/** An element with classes and children. Strings become text, whatever they contain. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** Text of others, which does not change the direction of what stands beside it. */
export const isolated = (className: string, text: string): HTMLElement =>
  make('bdi', className, text);

/** The sign of a state, in its colour; its name stands beside it or in a label. */
export function mark(state: string): HTMLElement {
  const element = make('span', `mark mark-${state}`);
  element.setAttribute('aria-hidden', 'true');
  return element;
}
