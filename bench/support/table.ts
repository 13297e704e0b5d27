/** Rows of text as aligned columns; the first row is the heading. Numbers stand to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (isNumber(cell) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const [heading = [], ...body] = rows;
  return [line(heading), widths.map((width) => '─'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}

function isNumber(cell: string): boolean {
  return /^[\d.,]+$/.test(cell);
}
