import { make } from './elements.js';
import { states, type State } from './model.js';

/** The colours of the style sheet, for what is drawn and not styled. */
export interface Palette {
  readonly state: Readonly<Record<State, string>>;
  readonly surface: string;
  readonly band: string;
  readonly line: string;
  readonly faint: string;
  readonly text: string;
  readonly quiet: string;
  readonly accent: string;
  readonly onBar: string;
  readonly font: string;
}

/** What a colour comes to is known to an element that has it. */
export function paletteOf(element: HTMLElement): Palette {
  const probe = make('span', 'unseen');
  element.append(probe);
  const style = getComputedStyle(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return style.color;
  };
  const colours = states.map((state) => [state, read(state)]);
  const palette = {
    state: Object.fromEntries(colours) as Record<State, string>,
    surface: read('surface'),
    band: read('band'),
    line: read('line'),
    faint: read('faint'),
    text: read('text'),
    quiet: read('quiet'),
    accent: read('accent'),
    onBar: read('on-bar'),
    font: style.fontFamily,
  };
  probe.remove();
  return palette;
}
