import { printable } from '../../text/wording.ts';
import { mapped, plainText, styled, type Text } from './styled.ts';
import { textWidth } from './text-width.ts';
import { wrapped } from './wrapped.ts';

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
export function tableLines({ header, rows, align }: Table, columns: number): Text[] {
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
