import { quoted } from './shell-words.ts';

/** Text as one shell word, quoted when necessary. */
export function shellWord(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? text : quoted(text);
}
