import { quoted } from './shell-words.ts';

/** A word to be typed in a shell, in quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? text : quoted(text);
}
