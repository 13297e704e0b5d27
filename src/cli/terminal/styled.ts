import { printable } from '../../text/wording.ts';

/**
 * What can be written to a terminal. A string is text and nothing else: all in it that a terminal would obey is escaped.
 * Colours and cursor moves are objects of their own, so text from a model, a tool or a file cannot contain any.
 */
export type Text = string | Styled | Control | readonly Text[];

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof codes;

/** Text with a colour or weight; on a terminal without colours only the text. */
export class Styled {
  readonly style: Style;
  readonly text: Text;

  constructor(style: Style, text: Text) {
    this.style = style;
    this.text = text;
  }
}

export function styled(style: Style, text: Text): Styled {
  return new Styled(style, text);
}

const csi = '\u001b[';
const sequences = {
  lineStart: () => '\r',
  lineEnd: () => '\r\n',
  up: (rows: number) => `${csi}${rows}A`,
  column: (column: number) => `${csi}${column}G`,
  eraseLineRight: () => `${csi}K`,
  eraseBelow: () => `${csi}J`,
  clear: () => `${csi}H${csi}2J`,
  pasteOn: () => `${csi}?2004h`,
  pasteOff: () => `${csi}?2004l`,
} as const;

/** A control sequence, by name, so that nobody can smuggle in another one. */
export class Control {
  readonly name: keyof typeof sequences;
  readonly count: number;

  constructor(name: keyof typeof sequences, count = 1) {
    this.name = name;
    this.count = count;
  }
}

/** The characters to write: all strings escaped, and only sequences that this file has. */
export function rendered(text: Text, hasColours: boolean): string {
  if (typeof text === 'string') return printable(text);
  if (text instanceof Control) return sequences[text.name](Math.trunc(text.count));
  if (!(text instanceof Styled)) return text.map((piece) => rendered(piece, hasColours)).join('');
  const inner = rendered(text.text, hasColours);
  const [on, off] = codes[text.style];
  return hasColours && inner !== '' ? `${csi}${on}m${inner}${csi}${off}m` : inner;
}

/** The strings of a text, escaped, without colours and cursor moves. */
export function plainText(text: Text): string {
  if (typeof text === 'string') return printable(text);
  if (text instanceof Control) return '';
  return text instanceof Styled ? plainText(text.text) : text.map(plainText).join('');
}

/** The same text with each of its strings, in their order, replaced. */
export function mapped(text: Text, change: (words: string) => Text): Text {
  if (typeof text === 'string') return change(text);
  if (text instanceof Control) return text;
  return text instanceof Styled
    ? new Styled(text.style, mapped(text.text, change))
    : text.map((piece) => mapped(piece, change));
}

/** The lines of a text, each with its styles. */
export function linesOf(text: Text): Text[] {
  if (typeof text === 'string') return text.split('\n');
  if (text instanceof Control) return [text];
  if (text instanceof Styled) return linesOf(text.text).map((line) => new Styled(text.style, line));
  const lines: Text[][] = [[]];
  for (const piece of text)
    for (const [i, line] of linesOf(piece).entries())
      if (i === 0) lines.at(-1)?.push(line);
      else lines.push([line]);
  return lines;
}
