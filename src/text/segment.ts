import { stemmer } from 'stemmer';
import { dateTerms } from './dates.ts';

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
