import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { kept } from './kept.ts';

/** One shortcut. `keys` as people read them: `N`, `Esc`, `Ctrl ↵`, `←`, `Space`, `/`, `?`. */
interface Shortcut {
  keys: string;
  /** What it does, in the language of the page. */
  words: string;
  /** Returns false if it was not meant: the browser then does what it does. */
  act(event: KeyboardEvent): unknown;
  /** Works while the person types, too. */
  inText?: boolean;
}

const active = signal<readonly (readonly Shortcut[])[]>([]);

/** Whether letters alone work as shortcuts: people who speak to their machine turn them off (WCAG 2.1.4). */
export const areLettersOn = signal(kept.get('letters') !== 'off');

export function allowLetters(isOn: boolean): void {
  kept.set('letters', isOn ? null : 'off');
  areLettersOn.value = isOn;
}

/** All shortcuts of what is shown now. */
export function shownShortcuts(): readonly Shortcut[] {
  return active.value.flat();
}

/** Adds shortcuts while the component is shown; those added last come first. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  // Before the next key comes: one that acts on what was shown before would do something else than its words say.
  useLayoutEffect(() => {
    active.value = [shortcuts, ...active.peek()];
    return () => {
      active.value = active.peek().filter((one) => one !== shortcuts);
    };
  });
}

/** Does what a shortcut does, for a button that says the same. */
export function pressShortcut(keys: string): void {
  const shortcut = shownShortcuts().find((one) => one.keys === keys);
  shortcut?.act(new KeyboardEvent('keydown'));
}

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const pressed = nameOf(event);
    const isText = isTyping(event.target);
    for (const { keys, act, inText = false } of shownShortcuts()) {
      if (keys !== pressed || (isText && !inText)) continue;
      if (/^[A-Z]$/.test(keys) && !areLettersOn.peek()) continue;
      if (act(event) === false) continue;
      event.preventDefault();
      return;
    }
  });
}

const names: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Enter: '↵',
  Escape: 'Esc',
};

function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  const name = names[key] ?? (/^[a-z]$/.test(key) ? key.toUpperCase() : key);
  if (altKey) return `Alt ${name}`;
  return ctrlKey || metaKey ? `Ctrl ${name}` : name;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'range', 'button'].includes(target.type);
  return target.isContentEditable || target.matches('textarea, select');
}
