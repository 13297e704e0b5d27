import { datePrefix, isStopTerm, segment, Vocabulary } from '../../text/ranking.ts';
import type { GenerationReader } from './reader.ts';

/** The terms of a query with their weights. A term that replaces a misspelt word has its own weight. */
export interface PlannedQuery {
  /** The FTS5 expression; null when the index has none of the terms. */
  expression: string | null;
  /** Rare terms weigh more (inverse document frequency); every weight is above 0. */
  weights: ReadonlyMap<string, number>;
  /** The sum over all terms of the query, found or not. */
  weight: number;
  /** The same sum by the weights of FTS5, which are 0 for a term in half of all texts. */
  ftsWeight: number;
}

const maxTerms = 32;
/**
 * Minimum weight of a term, as a share of the heaviest term of the query. A lighter term is in so many texts that it says
 * little, and visiting all of them is slow.
 */
const minShare = 0.25;
/** Longer queries are cut. */
const maxQueryChars = 4_000;

/**
 * Plans a query for FTS5: its words joined by OR, because hardly any text has all words of a natural question. Stop words
 * are left out, unless there are no others. A word that the index does not have is replaced by words of similar spelling.
 */
export function planQuery(query: string, index: GenerationReader, speller: Speller): PlannedQuery {
  const tokens = segment(query.slice(0, maxQueryChars));
  const meant = tokens.filter(({ term }) => !isStopTerm(term));
  const words = new Map((meant.length > 0 ? meant : tokens).map(({ term, word }) => [term, word]));
  const { chunks } = index.counts();
  const ratio = (docs: number) => (chunks - docs + 0.5) / (docs + 0.5);
  const weigh = (docs: number) => Math.log(1 + ratio(docs));
  const asked = [...words].map(([term, word]) => {
    const docs = index.docsOf(term);
    return { term, word, docs, weight: weigh(docs) };
  });
  // Keep the rarest, if there are too many.
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

/** A date in a query counts twice: such a question is about that day. */
function isDate(term: string): boolean {
  return term.startsWith(datePrefix);
}

/** Finds words of similar spelling in the index. Reads new words of the index on use. */
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
      // A word stays in the vocabulary after its last text was removed.
      return docs > 0 ? [{ term, docs }] : [];
    });
  }
}
