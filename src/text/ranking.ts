import { stemmer } from 'stemmer';
import { editDistance } from './edit-distance.ts';
import { isStopTerm, segment } from './segment.ts';

/** A text, and how often each of its words counts. */
interface WeightedText {
  text: string;
  weight: number;
}

/** What ranking looks at of a document; of the same texts it is always the same, so it can be kept. */
export interface RankedDocument {
  counts: ReadonlyMap<string, number>;
  /** Words of spaced scripts, as they were before they were cut to their stems. */
  words: ReadonlySet<string>;
  length: number;
}

/** https://en.wikipedia.org/wiki/Okapi_BM25, with the saturation of FTS5. */
const saturation = 1.2;
/** Less than the .75 of FTS5: of texts of a sentence or two the longer one says more, not the same in more words. */
const lengthShare = 0.4;
/** Longer queries are texts to be worked on, not words about what to do: their beginning and end count. */
const maxQueryChars = 4_000;

export function rankedDocument(texts: readonly WeightedText[]): RankedDocument {
  const counts = new Map<string, number>();
  const words = new Set<string>();
  let length = 0;
  for (const { text, weight } of texts)
    for (const { term, word } of segment(text)) {
      if (word !== null) words.add(word);
      if (isStopTerm(term)) continue;
      counts.set(term, (counts.get(term) ?? 0) + weight);
      length += weight;
    }
  return { counts, words, length };
}

/**
 * Ranks a few thousand short texts without an index, with the words and BM25 of the memory index. For a word that no
 * text has, it uses the words that it may be a misspelling of. It is stricter than the memory index, which takes all
 * similarly spelt words: a wrong match here makes a model choose a wrong skill, and no match is better.
 */
export class Ranking {
  readonly #documents: readonly RankedDocument[];
  readonly #meanLength: number;
  #vocabulary: Vocabulary | null = null;

  constructor(documents: readonly RankedDocument[]) {
    this.#documents = documents;
    this.#meanLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  }

  /**
   * The documents that have any of the words, best first.
   *
   * @param isSilent tells of further terms that say nothing here.
   * @returns places in the list of documents, each with the share of what was asked for that it has, from 0 to 1.
   */
  rank(query: string, isSilent: (term: string) => boolean = () => false): { at: number; score: number }[] {
    const asked = new Map<string, string | null>();
    for (const { term, word } of segment(clipped(query)))
      if (!isStopTerm(term) && !isSilent(term)) asked.set(term, word);
    const scores = new Map<number, number>();
    let weight = 0;
    for (const [term, word] of asked) {
      const having = this.#having(term);
      weight += this.#weigh(having.length);
      if (having.length > 0) this.#add(scores, term, having);
      else if (word !== null)
        for (const near of this.#nearest(word)) this.#add(scores, near, this.#having(near));
    }
    const most = weight * (saturation + 1);
    return [...scores]
      .map(([at, score]) => ({ at, score: Math.min(1, score / most) }))
      .sort((a, b) => b.score - a.score || a.at - b.at);
  }

  #having(term: string): number[] {
    return this.#documents.flatMap(({ counts }, at) => (counts.has(term) ? [at] : []));
  }

  /** Rare terms weigh more (inverse document frequency). */
  #weigh(having: number): number {
    return Math.log(1 + (this.#documents.length - having + 0.5) / (having + 0.5));
  }

  #add(scores: Map<number, number>, term: string, having: readonly number[]): void {
    const weight = this.#weigh(having.length);
    for (const at of having) {
      const { counts, length } = this.#documents[at] ?? { counts: new Map<string, number>(), length: 0 };
      const count = counts.get(term) ?? 0;
      const bound = saturation * (1 - lengthShare + (lengthShare * length) / this.#meanLength);
      const share = (count * (saturation + 1)) / (count + bound);
      scores.set(at, (scores.get(at) ?? 0) + weight * share);
    }
  }

  #nearest(word: string): Set<string> {
    this.#vocabulary ??= this.#words();
    const meant = this.#vocabulary.nearest(word).filter((near) => isMisspelling(word, near));
    return new Set(meant.flatMap((near) => segment(near)[0]?.term ?? []));
  }

  #words(): Vocabulary {
    const vocabulary = new Vocabulary();
    for (const word of new Set(this.#documents.flatMap(({ words }) => [...words]))) vocabulary.add(word);
    return vocabulary;
  }
}

function clipped(query: string): string {
  if (query.length <= maxQueryChars) return query;
  const half = maxQueryChars / 2;
  return `${query.slice(0, half)} ${query.slice(-half)}`;
}

/** Letters from which on a word may have two mistakes. */
const longWord = 9;

/**
 * Whether a word is likely another one with a slip of the hand: a letter too many, missing, wrong, or two that have
 * changed places; in long words two of these. Words that are merely alike (`press`, `progress`) are not. Endings of
 * English make no difference.
 */
export function isMisspelling(word: string, meant: string): boolean {
  const most = word.length < longWord ? 1 : 2;
  return editDistance(word, meant) <= most || editDistance(stemmer(word), stemmer(meant)) <= most;
}

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
