import { segment } from '../../text/ranking.ts';
import { piecesOfLine } from '../markdown/long-line.ts';

/** The part of a chunk to show; line numbers are those of the file. */
interface Snippet {
  start: number;
  end: number;
  text: string;
}

/** Of a snippet. */
const maxSnippetChars = 700;
/** A longer line is cut into pieces of about this many tokens, and some of them are shown. */
const partTokens = 20;

/** A line, or a part of a line that is too long to be shown whole. */
interface Unit {
  from: number;
  to: number;
  line: number;
  weight: number;
}

/**
 * The part of a chunk with most of the query's terms, and the text after it: at most 700 characters, exactly as in the
 * file.
 */
export function snippetOf(
  { start, text }: { start: number; text: string },
  weights: ReadonlyMap<string, number>,
): Snippet {
  const units = unitsOf(text, start, weights);
  let best: { first: number; last: number; weight: number } | null = null;
  let last = -1;
  let weight = 0;
  for (const [first, unit] of units.entries()) {
    for (let next = units[last + 1]; next && next.to - unit.from <= maxSnippetChars; next = units[last + 1]) {
      weight += next.weight;
      last++;
    }
    // Of equally good windows take the last one, which shows the text after the words rather than before them.
    if (!best || weight >= best.weight - 1e-9) best = { first, last, weight };
    weight -= unit.weight;
  }
  return cut(text, units, best ?? { first: 0, last: 0 });
}

function cut(
  text: string,
  units: readonly Unit[],
  { first, last }: { first: number; last: number },
): Snippet {
  const shown = units.slice(first, last + 1);
  // Drop blank lines at both ends.
  while (shown.length > 1 && isBlank(text, shown[0])) shown.shift();
  while (shown.length > 1 && isBlank(text, shown.at(-1))) shown.pop();
  const [head, tail] = [shown[0], shown.at(-1)];
  if (!head || !tail) return { start: 1, end: 1, text: '' };
  return { start: head.line, end: tail.line, text: text.slice(head.from, tail.to) };
}

function isBlank(text: string, unit: Unit | undefined): boolean {
  return unit !== undefined && text.slice(unit.from, unit.to).trim() === '';
}

function unitsOf(text: string, start: number, weights: ReadonlyMap<string, number>): Unit[] {
  const units: Unit[] = [];
  let from = 0;
  for (const [i, line] of text.split('\n').entries()) {
    let at = from;
    for (const part of line.length > maxSnippetChars ? piecesOfLine(line, partTokens) : [line]) {
      units.push({ from: at, to: at + part.length, line: start + i, weight: weigh(part, weights) });
      at += part.length;
    }
    from += line.length + 1;
  }
  return units;
}

/** The weight of the query's terms in a text. */
export function weigh(text: string, weights: ReadonlyMap<string, number>): number {
  let weight = 0;
  for (const term of new Set(segment(text).map((token) => token.term))) weight += weights.get(term) ?? 0;
  return weight;
}
