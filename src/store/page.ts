import type { PageLimit } from './rows.ts';

/** A row whose length counts. */
export interface Paged {
  body: string;
}

/** Whether the bytes of a page have no say: it has one row, or all. Read at once, rows cost half of what each by itself does. */
export function isUnbound({ limit, maxBytes }: PageLimit & { limit?: number }): boolean {
  return limit === 1 || maxBytes === undefined;
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
