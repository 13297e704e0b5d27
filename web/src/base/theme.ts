import { effect, signal } from '@preact/signals';
import { kept } from './kept.ts';

export const themes = ['system', 'light', 'dark'] as const;

type Theme = (typeof themes)[number];

/** What a person chose. */
export const theme = signal<Theme>(themes.find((one) => one === kept.get('theme')) ?? 'system');

export function chooseTheme(chosen: Theme): void {
  kept.set('theme', chosen === 'system' ? null : chosen);
  theme.value = chosen;
}

/** Light or dark, whichever the page is not now. */
export function toggleTheme(): void {
  const isDark =
    theme.value === 'dark' ||
    (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  chooseTheme(isDark ? 'light' : 'dark');
}

export function keepDocumentTheme(): void {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}

/** Whether the person asked for less motion. */
export function isMotionReduced(): boolean {
  return globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false;
}
