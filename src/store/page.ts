import type { PageLimit } from './rows.ts';

/** A row whose length counts. */
export interface Paged {
  body: string;
}

/** Rows that are read at once: taking each by itself costs twice as much. */
const few = 8;

/** Whether a page has few rows whatever their length, or any number of them. */
export function isShort({
  limit = Number.POSITIVE_INFINITY,
  maxBytes,
}: PageLimit & { limit?: number }): boolean {
  return limit <= few || maxBytes === undefined;
}

/** The first rows, up to the one that fills the page. Reads no further. */
export function page<Row extends Paged>(
  rows: Iterable<Row>,
  { maxBytes = Number.POSITIVE_INFINITY }: PageLimit,
): Row[] {
  const read: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    read.push(row);
    bytes += row.body.length;
    if (bytes >= maxBytes) break;
  }
  return read;
}
