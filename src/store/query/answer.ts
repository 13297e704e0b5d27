import { type LongRow, type PageLimit, textLength } from '../rows.ts';

/** Whether the bytes of a page have no say: it has one row, or all. Read at once, rows cost half of what each by itself does. */
export function isUnbound({ limit, maxBytes }: PageLimit & { limit?: number }): boolean {
  return limit === 1 || maxBytes === undefined;
}

/** The first rows, up to the one that fills the page. Reads no further. */
export function page<Row extends LongRow>(
  rows: Iterable<Row>,
  { maxBytes = Number.POSITIVE_INFINITY }: PageLimit,
): Row[] {
  const read: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    read.push(row);
    bytes += textLength(row);
    if (bytes >= maxBytes) break;
  }
  return read;
}
