const minLength = 5;
const minLikeness = 0.55;
const maxNeighbours = 3;

/** Finds words that are spelt nearly alike, by the pairs of letters that they share (Dice's coefficient). */
export class Vocabulary {
  readonly #words: string[] = [];
  readonly #byPair = new Map<string, number[]>();

  add(word: string): void {
    if (word.length < minLength - 1) return;
    const id = this.#words.push(word) - 1;
    for (const pair of pairsOf(word)) {
      const ids = this.#byPair.get(pair);
      if (ids) ids.push(id);
      else this.#byPair.set(pair, [id]);
    }
  }

  /** The likest words, at most three; none for words of less than five letters. */
  nearest(word: string): string[] {
    if (word.length < minLength) return [];
    const pairs = pairsOf(word);
    const shared = new Map<number, number>();
    for (const pair of pairs)
      for (const id of this.#byPair.get(pair) ?? []) shared.set(id, (shared.get(id) ?? 0) + 1);
    const found: { word: string; likeness: number }[] = [];
    for (const [id, count] of shared) {
      const other = this.#words[id] ?? '';
      const likeness = (2 * count) / (pairs.size + other.length - 1);
      if (likeness >= minLikeness) found.push({ word: other, likeness });
    }
    found.sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1));
    return found.slice(0, maxNeighbours).map((each) => each.word);
  }
}

function pairsOf(word: string): Set<string> {
  const pairs = new Set<string>();
  for (let i = 1; i < word.length; i++) pairs.add(word.slice(i - 1, i + 1));
  return pairs;
}
