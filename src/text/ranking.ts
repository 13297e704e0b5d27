import { stemmer } from 'stemmer';
import { editDistance } from './wording.ts';

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
    const meant = this.#vocabulary.nearest(
      word,
      (near, likeness) =>
        (likeness >= minLikeness || hasSameLetters(word, near)) && isMisspelling(word, near),
    );
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

/** Letters that have changed places take up to three pairs of a word away: `tabelt` has two of five in common with `tablet`. */
function hasSameLetters(word: string, other: string): boolean {
  return word.length === other.length && [...word].sort().join('') === [...other].sort().join('');
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

  /**
   * The likest words, at most three; none for words of less than five letters.
   *
   * @param isMeant chooses by a word and its likeness, from 0 to 1.
   */
  nearest(
    word: string,
    isMeant = (_: string, likeness: number): boolean => likeness >= minLikeness,
  ): string[] {
    if (word.length < minLength) return [];
    const pairs = pairsOf(word);
    const shared = new Map<number, number>();
    for (const pair of pairs)
      for (const id of this.#byPair.get(pair) ?? []) shared.set(id, (shared.get(id) ?? 0) + 1);
    const found: { word: string; likeness: number }[] = [];
    for (const [id, count] of shared) {
      const other = this.#words[id] ?? '';
      const likeness = (2 * count) / (pairs.size + other.length - 1);
      if (isMeant(other, likeness)) found.push({ word: other, likeness });
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

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const day = '(\\d{1,2})(?:st|nd|rd|th)?';
const year = '(?:,?\\s+((?:19|20)\\d\\d))?';

const iso = /(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g;
const chineseDate = /(?:((?:19|20)\d\d)\s*年\s*)?(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号號]/g;
const monthFirst = new RegExp(`\\b${month}\\s+${day}\\b${year}`, 'gi');
const dayFirst = new RegExp(`\\b${day}\\s+(?:of\\s+)?${month}\\b${year}`, 'gi');

/** No word of a text becomes such a term. */
export const datePrefix = '_date_';

/**
 * A term for each date in a text, however it is written: of `2023-04-29`, `April 29th, 2023` and `2023年4月29日` the terms
 * are the same, and one of them is that of `29 April` and `4月29日`. So a question about a day finds the file of that
 * day.
 */
export function dateTerms(text: string): string[] {
  if (!/\d/.test(text)) return [];
  const terms = new Set<string>();
  const add = (y: string | undefined, m: number, d: string | undefined) => {
    if (!(m >= 1 && m <= 12 && Number(d) >= 1 && Number(d) <= 31)) return;
    const inYear = `${String(m).padStart(2, '0')}_${String(Number(d)).padStart(2, '0')}`;
    terms.add(`${datePrefix}${inYear}`);
    if (y) terms.add(`${datePrefix}${y}_${inYear}`);
  };
  for (const [, y, m, d] of text.matchAll(iso)) add(y, Number(m), d);
  for (const [, y, m, d] of text.matchAll(chineseDate)) add(y, Number(m), d);
  for (const [, m, d, y] of text.matchAll(monthFirst)) add(y, monthOf(m), d);
  for (const [, d, m, y] of text.matchAll(dayFirst)) add(y, monthOf(m), d);
  return [...terms];
}

function monthOf(name = ''): number {
  return months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Changes with every change of what {@link segment} makes of a text: an index is only good for its own. */
export const segmentation = 'nfkc-bigram-porter-date/1';

/** Scripts without spaces between words, and Korean, whose words carry their endings. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}々ー';
/** A word of plain letters is tried first: to look a character up in the classes of Unicode takes much longer. */
const pieces = new RegExp(
  `[a-z0-9_]+(?![a-z0-9_\\u{80}-\\u{10ffff}])|[${unspaced}]+|[[\\p{L}\\p{N}_]--[${unspaced}]][[\\p{L}\\p{M}\\p{N}_]--[${unspaced}]]*`,
  'gv',
);
/** The same pieces where there is nothing but ASCII, which is found out several times as fast. */
const plainPieces = /[a-z0-9_]+/g;
const firstUnspaced = new RegExp(`^[${unspaced}]`, 'v');
const isPlain = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f]/g;

/** A token, and the word that it was made of. */
interface Token {
  /** What is indexed: a stem, or two neighbouring characters. */
  term: string;
  /** A whole word of a spaced script, before it was cut to its stem; null for all others. */
  word: string | null;
}

/**
 * The tokens of a text. NFKC, lower case, accents off; words of Latin letters by their Porter stem, of unspaced scripts
 * every two neighbouring characters; and a term for each date.
 *
 * Bigrams and not words of `Intl.Segmenter`: those come from the ICU of the running Node, and an index that was made by
 * another version would lose matches and say nothing. Retrieval is as good either way.
 */
export function segment(text: string): Token[] {
  const tokens: Token[] = [];
  const plain = normalised(text);
  for (const piece of piecesOf(plain))
    if (isRun(piece)) for (const term of bigrams(piece)) tokens.push({ term, word: null });
    else for (const word of wordsOf(piece)) tokens.push({ term: stemOf(word), word });
  for (const term of dateTerms(plain)) tokens.push({ term, word: null });
  return tokens;
}

/**
 * The text as it is given to the full-text index: its terms with spaces between them. Each character of an unspaced
 * script is there alone, too, so that a query of one character finds it.
 */
export function indexText(text: string, seeWord: (word: string) => void): string {
  const terms: string[] = [];
  const plain = normalised(text);
  for (const piece of piecesOf(plain)) {
    if (isRun(piece)) {
      for (const term of bigrams(piece)) terms.push(term);
      if (piece.length > 1) for (const character of piece) terms.push(character);
    } else
      for (const word of wordsOf(piece)) {
        terms.push(stemOf(word));
        seeWord(word);
      }
  }
  terms.push(...dateTerms(plain));
  return terms.join(' ');
}

function normalised(text: string): string {
  // HTML comments are for programs, not for readers.
  const shown = text.includes('<!--') ? text.replace(/<!--.*?-->/gs, ' ') : text;
  return shown.normalize('NFKC').toLowerCase();
}

function piecesOf(plain: string): readonly string[] {
  return plain.match(isPlain.test(plain) ? plainPieces : pieces) ?? [];
}

/** Of an unspaced script, and not a word. */
function isRun(piece: string): boolean {
  return piece.charCodeAt(0) > 0x7f && firstUnspaced.test(piece);
}

function bigrams(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  const pairs: string[] = [];
  for (let i = 1; i < characters.length; i++) pairs.push(`${characters[i - 1]}${characters[i]}`);
  return pairs;
}

/** A word without accents; one that is put together with `_`, and its parts. */
function wordsOf(piece: string): string[] {
  const word = isPlain.test(piece) ? piece : piece.normalize('NFD').replace(accents, '').normalize('NFC');
  if (!word.includes('_')) return [word];
  const parts = word.split('_').filter((part) => part !== '');
  return parts.length < 2 ? [word] : [word, ...parts];
}

const stems = new Map<string, string>();
const maxStems = 50_000;

function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const made = /^[a-z]+$/.test(word) ? stemmer(word) : word;
  if (stems.size >= maxStems) stems.clear();
  stems.set(word, made);
  return made;
}

/** Words that questions are full of and that say nothing of their subject. */
const english = `
a about after again all also am an and any are as at be because been before being both but by can could did do does doing
down during each few for from further had has have having he her here hers him his how i if in into is it its itself just
let me more most my no nor not of off on once only or other our ours out over own please same she should so some
such tell than that the their theirs them then there these they this those through to too under until up very was we were
what when where which while who whom whose why will with would you your yours s t d ll m re ve don doesn didn isn wasn`;

const chinese = `
什么 多少 哪些 哪个 哪里 哪儿 哪一 哪年 哪位 怎么 怎样 怎麼 什麼 甚么 为何 为什 为什么 是什 是谁 谁是 如何 几个 是否 请问 可以 我们 你们 他们 她们
它们 这个 那个 这些 那些 这里 那里 一个 一些 没有 不是 就是 还是 或者 以及 因为 所以 但是 的是 是的 了吗 的吗 是哪 有哪 有什 么时 时候 什么时候
告诉 的话 之前 以前 的 了 是 在 和 与 吗 呢 吧 啊 我 你 他 她 它 有 也 都 就 很`;

/** Whether a term, as it comes out of segmentation, says nothing of a subject. */
export const isStopTerm: (term: string) => boolean = termOf(`${english} ${chinese}`);

/** Whether a term is one of these words. They are segmented for the first term: that takes 4 ms of a start. */
export function termOf(words: string): (term: string) => boolean {
  let terms: ReadonlySet<string> | null = null;
  return (term) => {
    terms ??= new Set(words.split(/\s+/).flatMap((word) => segment(word).map((token) => token.term)));
    return terms.has(term);
  };
}
