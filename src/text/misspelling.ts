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
  return distance(word, meant) <= most || distance(stem(word), stem(meant)) <= most;
}

/** Optimal string alignment: https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(isSwapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
