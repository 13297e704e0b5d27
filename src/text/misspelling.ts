import { editDistance } from './edit-distance.ts';
import { stem } from './porter.ts';

/** Letters from which on a word may have two mistakes. */
const longWord = 9;

/**
 * Whether a word is likely another one with a slip of the hand: a letter too many, missing, wrong, or two that have changed
 * places; in long words two of these. Words that are merely alike (`press`, `progress`) are not. Endings of English make no
 * difference.
 */
export function isMisspelling(word: string, meant: string): boolean {
  const most = word.length < longWord ? 1 : 2;
  return editDistance(word, meant) <= most || editDistance(stem(word), stem(meant)) <= most;
}
