import { byId } from './elements.js';

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const names = { auto: 'Auto', light: 'Light', dark: 'Dark' } as const;
const slot = 'tenure-timeline-theme';

/** Follows the system until told otherwise. `onChange` is for what the style sheet does not reach. */
export function listenToTheme(onChange: () => void): void {
  const button = byId('theme');
  let theme = remembered();
  const apply = (): void => {
    if (theme === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    byId('theme-name').textContent = names[theme];
    button.setAttribute('aria-label', `Theme: ${names[theme]}. Change`);
    onChange();
  };
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';
    remember(theme);
    apply();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange);
  apply();
}

// A browser may refuse to keep anything for a file.
function remembered(): Theme {
  try {
    const kept = localStorage.getItem(slot);
    return themes.find((theme) => theme === kept) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(slot, theme);
  } catch {}
}
