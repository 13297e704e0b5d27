import { datePrefix } from '../../text/dates.ts';
import { segment } from '../../text/segment.ts';
import { Vocabulary } from '../../text/spelling.ts';
import { stopTerms } from '../../text/stop-words.ts';
import type { GenerationReader } from './reader.ts';

/** The terms of a query with their weights; those that stand for a misspelt word weigh what they weigh themselves. */
export interface PlannedQuery {
  /** Of FTS5; null when nothing that was asked for is in the index. */
  expression: string | null;
  /** Rare terms weigh more (inverse document frequency), and each weighs something. */
  weights: ReadonlyMap<string, number>;
  /** Of all terms that were asked for, found or not. */
  weight: number;
  /** The same as FTS5 weighs, for which a term that half of all texts have weighs nothing. */
  ftsWeight: number;
}

const maxTerms = 32;
/**
 * A term that weighs less than this share of the heaviest there is in the index is left out: it is in so many texts that it says little, and to
 * look at all of them is what takes the time.
 */
const minShare = 0.25;
/** A text of any length may be asked for. */
const maxQueryChars = 4_000;

/**
 * Plans a query for FTS5: its words joined by OR, since of a question in natural language hardly any text has all words.
 * Words without a subject are left out, unless there are no others; a word that the index has never seen brings those
 * that are spelt nearly like it.
 */
export function planQuery(query: string, index: GenerationReader, speller: Speller): PlannedQuery {
  const tokens = segment(query.slice(0, maxQueryChars));
  const meant = tokens.filter(({ term }) => !stopTerms.has(term));
  const words = new Map((meant.length > 0 ? meant : tokens).map(({ term, word }) => [term, word]));
  const { chunks } = index.counts();
  const ratio = (docs: number) => (chunks - docs + 0.5) / (docs + 0.5);
  const weigh = (docs: number) => Math.log(1 + ratio(docs));
  const asked = [...words].map(([term, word]) => {
    const docs = index.docsOf(term);
    return { term, word, docs, weight: weigh(docs) };
  });
  // The rarest, if there are too many.
  asked.sort((a, b) => b.weight - a.weight);
  const weights = new Map<string, number>();
  let weight = 0;
  let ftsWeight = 0;
  const least = minShare * Math.max(0, ...asked.map((each) => (each.docs > 0 ? each.weight : 0)));
  for (const each of asked.slice(0, maxTerms)) {
    if (each.weight < least) break;
    weight += each.weight;
    ftsWeight += Math.max(1e-6, Math.log(ratio(each.docs)));
    if (each.docs > 0) {
      weights.set(each.term, each.weight);
      continue;
    }
    if (each.word === null) continue;
    for (const { term, docs } of speller.nearest(each.word, index)) weights.set(term, weigh(docs));
  }
  const terms = [...weights.keys()].map((term) => (isDate(term) ? `"${term}" OR "${term}"` : `"${term}"`));
  return { expression: terms.length > 0 ? terms.join(' OR ') : null, weights, weight, ftsWeight };
}

/** A question that names a day asks for that day: it counts twice. */
function isDate(term: string): boolean {
  return term.startsWith(datePrefix);
}

/** Knows the words of the index; reads those that are new when it is asked. */
export class Speller {
  #generation = -1;
  #lastId = 0;
  #vocabulary = new Vocabulary();

  nearest(word: string, index: GenerationReader): { term: string; docs: number }[] {
    if (this.#generation !== index.id) {
      this.#generation = index.id;
      this.#lastId = 0;
      this.#vocabulary = new Vocabulary();
    }
    for (const { id, word: known } of index.wordsAfter(this.#lastId)) {
      this.#vocabulary.add(known);
      this.#lastId = id;
    }
    return this.#vocabulary.nearest(word).flatMap((near) => {
      const term = segment(near)[0]?.term ?? near;
      const docs = index.docsOf(term);
      // A word stays known when the last text with it is gone.
      return docs > 0 ? [{ term, docs }] : [];
    });
  }
}
