import { computed, effect, signal } from '@preact/signals';
import { kept } from './kept.ts';

export const languages = ['en', 'zh-CN'] as const;

export type Language = (typeof languages)[number];

const ownName: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };

/** The language of the page. */
export const language = signal<Language>(first());

/** How dates are written: a day before its month in English. */
export const locale = computed(() => (language.value === 'en' ? 'en-GB' : language.value));

/** Reads the language that a person chose, or else the browser's. */
function first(): Language {
  const chosen = kept.get('language');
  if (chosen === 'en' || chosen === 'zh-CN') return chosen;
  return globalThis.navigator?.language?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}

export function chooseLanguage(chosen: Language): void {
  kept.set('language', chosen);
  language.value = chosen;
}

export function nameOf(one: Language): string {
  return ownName[one];
}

/** Tells the browser, for its hyphens, quotes and screen readers. */
export function keepDocumentLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value;
  });
}
