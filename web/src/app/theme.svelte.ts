export type Theme = 'light' | 'dark';

const key = 'vernier.theme';

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // storage can be switched off
  }
}

/** Light or dark: as the system, until somebody chooses. */
class Appearance {
  theme = $state<Theme>('light');

  constructor() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => this.#show(stored() ?? (system.matches ? 'dark' : 'light'));
    system.addEventListener('change', follow);
    follow();
  }

  toggle(): void {
    this.#show(this.theme === 'dark' ? 'light' : 'dark');
    try {
      localStorage.setItem(key, this.theme);
    } catch {
      // it lasts until the page is closed
    }
  }

  #show(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
    this.theme = theme;
  }
}

export const appearance = new Appearance();
