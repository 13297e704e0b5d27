/** Misspells the two longest words of Latin letters, always in the same way, to measure the effect of typing errors. */
export function misspelt(text: string): string {
  const words = [...text.matchAll(/[A-Za-z]{5,}/g)].map(([word]) => word);
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, 2);
  return longest.reduce((all, word) => all.replaceAll(word, misspeltWord(word)), text);
}

/** Drops a letter, swaps two or replaces one inside the word; the word determines which. */
function misspeltWord(word: string): string {
  const sum = [...word].reduce((all, letter) => (all * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  const at = 1 + (sum % (word.length - 2));
  const [before, letter, next, rest] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const kind = Math.floor(sum / 7) % 3;
  if (kind === 0) return `${before}${next}${rest}`;
  if (kind === 1 && letter !== next) return `${before}${next}${letter}${rest}`;
  return `${before}${letter === 'x' ? 'q' : 'x'}${next}${rest}`;
}
