import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { printable } from '../../text/wording.ts';
import { linesOf, mapped, plainText, type Style, styled, type Text } from './styled.ts';
import { textWidth, widthOf } from './text-width.ts';

/** The parser takes more than linear time for some texts, so longer ones stay as they are. Code is read at once. */
const maxCharacters = 8_000;
const maxCode = 200_000;
/** Texts in quotes and lists, one in the other, get no narrower. */
const minColumns = 8;
/** It looks for the other end of each of these. */
const maxMarks = 1_000;
const marks = /[*_~]/g;
/** A line with more quotes and list items than this, one in the other: the parser reads the rest again for each. */
const nested = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){20}/m;

/**
 * Markdown as a terminal shows it, without a line end behind it. All words stay, HTML is text, and each link has its
 * address behind it. What cannot be read as Markdown is returned as it is.
 *
 * @param columns width of the terminal, which all but code fits
 */
export function markdownText(source: string, columns: number): Text {
  if (!isQuicklyRead(source)) return source.trimEnd();
  try {
    const lines = blockLines(new Lexer({ gfm: true }).lex(source), columns);
    const text = lines.map((line, i): Text => (i === 0 ? line : ['\n', line]));
    return keepsLetters(source, plainText(text)) ? text : source.trimEnd();
  } catch {
    // The words of an answer are worth more than their looks.
    return source.trimEnd();
  }
}

function isQuicklyRead(source: string): boolean {
  if (isCode(source)) return source.length <= maxCode;
  const isShort = source.length <= maxCharacters && (source.match(marks)?.length ?? 0) <= maxMarks;
  return isShort && !nested.test(source);
}

/** Whether the text is one code block, from its first line to its last. */
function isCode(source: string): boolean {
  const [first = '', ...lines] = source.trimEnd().split('\n');
  const [, fence] = /^(`{3,}(?=[^`]*$)|~{3,})/.exec(first) ?? [];
  if (fence === undefined) return false;
  const end = lines.findIndex((line) => line.trimStart().startsWith(fence));
  return end === -1 || end === lines.length - 1;
}

/** Whether no letter was lost: Markdown drops some text, such as a label that is defined twice. */
function keepsLetters(source: string, shown: string): boolean {
  const left = new Map<string, number>();
  for (const [letter] of shown.matchAll(letters)) left.set(letter, (left.get(letter) ?? 0) + 1);
  return Array.from(source.matchAll(letters)).every(([letter]) => {
    const count = left.get(letter) ?? 0;
    left.set(letter, count - 1);
    return count > 0;
  });
}

const letters = /\p{L}/gu;

/** @param between the lines between two blocks */
function blockLines(tokens: readonly Token[], columns: number, between: readonly Text[] = ['']): Text[] {
  return tokens
    .map((token) => linesOfBlock(token as MarkedToken, columns))
    .filter((lines) => lines.length > 0)
    .flatMap((lines, i) => (i === 0 ? lines : [...between, ...lines]));
}

function linesOfBlock(token: MarkedToken, columns: number): Text[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading': {
      const bold = styled('bold', inline(token.tokens, ['bold', 'underline']));
      return fitted(token.depth === 1 ? styled('underline', bold) : bold, columns);
    }
    case 'paragraph':
      return fitted(inline(token.tokens), columns);
    case 'text':
      return fitted(token.tokens ? inline(token.tokens) : token.text, columns);
    case 'code': {
      const language = token.lang ? [styled('dim', token.lang)] : [];
      return [...language, ...token.text.split('\n')].map((line) => (line === '' ? '' : ['    ', line]));
    }
    case 'blockquote':
      return blockLines(token.tokens, columns - 2).map((line) => [styled('dim', '│ '), line]);
    case 'list':
      return listLines(token, columns);
    case 'table': {
      if (!isWhole(token)) return linesOf(token.raw.trimEnd());
      const header = token.header.map(({ tokens }) => inline(tokens, ['bold']));
      const rows = token.rows.map((row) => row.map(({ tokens }) => inline(tokens)));
      return tableLines({ header, rows, align: token.align }, columns);
    }
    case 'hr':
      return [styled('dim', '─'.repeat(Math.max(3, Math.min(columns - 1, 40))))];
    default:
      return linesOf(token.raw.trimEnd());
  }
}

/** Lines that break between words; a terminal breaks them anywhere. */
function fitted(text: Text, columns: number): Text[] {
  const width = Math.max(minColumns, columns);
  return linesOf(text).flatMap((line) => wrapped(mapped(line, printable), width, 'keep'));
}

/** Whether a table has all that stood in its lines: cells without a column are left out of it. */
function isWhole({ raw, header, rows }: Tokens.Table): boolean {
  const cells = [header, ...rows].flat().map(({ text }) => text);
  const count = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return count(raw) === count(cells.join(''));
}

function listLines({ ordered, start, loose, items }: Tokens.List, columns: number): Text[] {
  const markers = items.map((_, i) => (ordered ? `${Number(start) + i}. ` : '• '));
  const width = Math.max(0, ...markers.map(({ length }) => length));
  return items.flatMap(({ tokens }, i) => {
    const [box, words] =
      tokens[0]?.type === 'checkbox' ? [`${tokens[0].raw.trim()} `, tokens.slice(1)] : ['', tokens];
    const marker = (markers[i] ?? '').padStart(width) + box;
    const [first = '', ...rest] = blockLines(words, columns - width - box.length, loose ? [''] : []);
    const lines: Text[] = [
      first === '' ? marker.trimEnd() : [marker, first],
      ...rest.map((line): Text => (line === '' ? '' : [' '.repeat(width), line])),
    ];
    return loose && i > 0 ? ['', ...lines] : lines;
  });
}

/** @param active styles that the text has already: the end of an inner one would end them */
function inline(tokens: readonly Token[], active: readonly Style[] = []): Text {
  return tokens.map((token) => inlineText(token as MarkedToken, active));
}

function inlineText(token: MarkedToken, active: readonly Style[]): Text {
  const within = (style: Style, tokens: readonly Token[]): Text =>
    active.includes(style) ? inline(tokens, active) : styled(style, inline(tokens, [...active, style]));
  switch (token.type) {
    case 'strong':
      return within('bold', token.tokens);
    case 'em':
      return within('italic', token.tokens);
    case 'del':
      return within('strike', token.tokens);
    case 'codespan':
      return styled('cyan', token.text);
    case 'br':
      return '\n';
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens ? inline(token.tokens, active) : token.text;
    case 'link': {
      const words = within('underline', token.tokens);
      return [words, address(token, plainText(words))];
    }
    case 'image':
      return [token.text, address(token, token.text)];
    default:
      return token.raw;
  }
}

/** The address and title of a link, unless its words are the address. */
function address({ href, title }: Pick<Tokens.Link, 'href' | 'title'>, words: string): string {
  const behind = title ? ` "${title}"` : '';
  if (behind === '' && [words, `mailto:${words}`, `http://${words}`].includes(href)) return '';
  return `${words === '' ? '' : ' '}(${href}${behind})`;
}

interface Table {
  header: readonly Text[];
  rows: readonly (readonly Text[])[];
  /** Of each column; null for the left. */
  align: readonly ('left' | 'right' | 'center' | null)[];
}

const gap = ' │ ';
/** Columns of the terminal that a cell gets at least, if it has so many. */
const minCell = 8;

/**
 * The lines of a table that fits the terminal: wide cells take several lines. A table that does not fit even so has a
 * line for each cell, behind its title.
 */
function tableLines({ header, rows, align }: Table, columns: number): Text[] {
  const titles = header.map(oneLine);
  const cells = rows.map((row) => row.map(oneLine));
  const natural = titles.map((title, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? '')].map(wide)),
  );
  const widths = fitting(natural, columns - 1 - gap.length * (titles.length - 1));
  if (!widths) return records(titles, cells);
  const bold = titles.map((title) => styled('bold', title));
  const rule = styled('dim', widths.map((width) => '─'.repeat(width)).join('─┼─'));
  const lines = [bold, ...cells].map((row) => rowLines(row, widths, align));
  return [...(lines[0] ?? []), rule, ...lines.slice(1).flat()];
}

/** The widest columns are cut first, all to the same width; null when they would become too narrow. */
function fitting(natural: readonly number[], room: number): number[] | null {
  for (let cap = Math.max(room, minCell); cap >= minCell; cap--) {
    const widths = natural.map((width) => Math.min(width, cap));
    if (widths.reduce((sum, width) => sum + width, 0) <= room) return widths;
  }
  return null;
}

function rowLines(row: readonly Text[], widths: readonly number[], align: Table['align']): Text[] {
  const cells = widths.map((width, i) => wrapped(row[i] ?? '', width, 'cut'));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    cells.map((lines, i): Text => {
      const text = lines[line] ?? '';
      const left = (widths[i] ?? 0) - wide(text);
      const before = align[i] === 'right' ? left : align[i] === 'center' ? Math.floor(left / 2) : 0;
      const isLast = i === widths.length - 1;
      const after = isLast ? '' : [' '.repeat(Math.max(0, left - before)), styled('dim', gap)];
      return [' '.repeat(Math.max(0, before)), text, after];
    }),
  );
}

function records(titles: readonly Text[], rows: readonly (readonly Text[])[]): Text[] {
  if (rows.length === 0) return titles.map((title) => styled('bold', title));
  return rows.flatMap((row, i) => {
    const lines = titles.map((title, at): Text => [styled('bold', title), ': ', row[at] ?? '']);
    return i === 0 ? lines : ['', ...lines];
  });
}

function wide(text: Text): number {
  return textWidth(plainText(text));
}

function oneLine(cell: Text): Text {
  return mapped(cell, (words) => printable(words).replaceAll(/[\n\t]/g, ' '));
}

/**
 * A line of text in lines of at most `width` columns, broken at spaces where there are any, and between ideographs.
 *
 * @param text escaped by `printable`
 * @param longWord what happens to a word that is longer than a line: `keep` leaves it whole, because a person may want to
 * copy it (an address); the terminal breaks it.
 */
function wrapped(text: Text, width: number, longWord: 'cut' | 'keep'): Text[] {
  const { spaces, places } = breaksOf(plainText(text), width, longWord === 'cut');
  let at = 0;
  const broken = mapped(text, (words) => {
    let lines = '';
    for (const unit of words.split('')) {
      if (places.has(at)) lines += '\n';
      lines += spaces.has(at) ? '\n' : unit;
      at++;
    }
    return lines;
  });
  return linesOf(broken);
}

/** Where lines end: at which spaces, and before which places in a word that is longer than a line. */
function breaksOf(
  text: string,
  width: number,
  cutsWords: boolean,
): { spaces: Set<number>; places: Set<number> } {
  const spaces = new Set<number>();
  const places = new Set<number>();
  let column = 0;
  let space: { at: number; column: number } | null = null;
  for (let i = 0; i < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(i) ?? 0);
    const isWide = widthOf(character) === 2;
    if (
      column > 0 &&
      column + widthOf(character) > width &&
      (space || character === ' ' || isWide || cutsWords)
    ) {
      if (character === ' ') space = { at: i++, column };
      else if (isWide) space = null;
      if (space) spaces.add(space.at);
      else places.add(i);
      column = space ? Math.max(0, column - space.column - 1) : 0;
      space = null;
      continue;
    }
    if (character === ' ') space = { at: i, column };
    column += widthOf(character);
    i += character.length;
  }
  return { spaces, places };
}
