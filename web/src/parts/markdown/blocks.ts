import { Lexer, type Token, type TokensList } from 'marked';
import { mathMarks } from './math-marks.ts';

/** A block of a text in Markdown: a paragraph, a list, a table. The same words are the same block. */
export interface Block {
  raw: string;
  /** Null for what is shown as it is written: too long or too deep to be read as Markdown in a moment. */
  token: Token | null;
}

/** A text that grows at its end: blocks behind which others have begun, and what may still change. */
export interface GrowingText {
  /** How much of the text the finished blocks are. */
  length: number;
  finished: readonly Block[];
  open: readonly Block[];
}

export const noText: GrowingText = { length: 0, finished: [], open: [] };

/** Longer texts are plain: the lexer would hold the page up. */
const maxText = 200_000;
/** Characters of one paragraph: some patterns of its inner marks cost the square of it. */
const maxInline = 10_000;
/** Marks of quotes and lists at the beginning of one line. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){16}/m;

/** The blocks of a text. It never fails: what is no Markdown is shown as it is written. */
export function blocksOf(text: string): Block[] {
  if (text.length > maxText || tooDeep.test(text)) return [{ raw: text, token: null }];
  try {
    const lexer = new Lexer({ gfm: true, extensions: mathMarks });
    const tokens = lexer.blockTokens(text.replaceAll(/\r\n|\r/g, '\n'), lexer.tokens as TokensList);
    for (const { src, tokens: inner } of lexer.inlineQueue)
      if (src.length > maxInline) inner.push({ type: 'text', raw: src, text: src, escaped: false });
      else lexer.inlineTokens(src, inner);
    return tokens.map((token) => ({ raw: token.raw, token }));
  } catch {
    return [{ raw: text, token: null }];
  }
}

/**
 * Reads on in a text that was read before: only what may still change is read again. Links that are defined at the end of the text are
 * links when the whole text is read.
 */
export function grow(before: GrowingText, text: string): GrowingText {
  if (text.length < before.length) return grow(noText, text);
  const blocks = blocksOf(text.slice(before.length));
  let done = 0;
  for (let at = 1; at < blocks.length; at++) if (isEndedBy(blocks, at)) done = at;
  const now = blocks.slice(0, done);
  const length = now.reduce((sum, { raw }) => sum + raw.length, before.length);
  return {
    length,
    finished: now.length > 0 ? [...before.finished, ...now] : before.finished,
    open: blocks.slice(done),
  };
}

/** Whether the block at a place can no longer become a part of those before it. */
function isEndedBy(blocks: readonly Block[], at: number): boolean {
  const { raw = '', token } = blocks[at] ?? {};
  const before = blocks[at - 1];
  if (token?.type === 'space' || (!/\n[ \t]*\n$/.test(before?.raw ?? '') && before?.token?.type !== 'space'))
    return false;
  const earlier = before?.token?.type === 'space' ? blocks[at - 2] : before;
  // The next item of a list may begin so.
  return earlier?.token?.type !== 'list' || raw.trimStart().length > 12;
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Text with the entities of HTML that Markdown allows: `&amp;` is `&`. */
export function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g,
    (all, decimal, hex, name) => {
      if (name !== undefined) return named[name] ?? all;
      const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10);
      return code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : '\ufffd';
    },
  );
}

/** Where a link leads, if it may: to the web or to a mailbox. */
export function safeUrl(href: string): URL | null {
  try {
    const url = new URL(withoutEntities(href).trim());
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** What the words of a link name that looks like a host: `bank.example`, in any letters that a reader takes for these. */
export function namedHosts(words: string): string[] {
  const found = words
    .normalize('NFKC')
    .matchAll(/(?:[\p{L}\p{M}\d-]+[.\u3002])+\p{L}{2,}|(?:\d{1,3}\.){3}\d{1,3}/giu);
  return Array.from(found, ([host]) => host.replaceAll('\u3002', '.').toLowerCase());
}
