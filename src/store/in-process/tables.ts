import type { UndoLog } from './undo-log.ts';

/** Rows by a unique key. A stored row is never changed in place: an update stores a new object. */
export class Lookup<K, Row> {
  readonly #undo: UndoLog;
  readonly #rows = new Map<K, Row>();

  constructor(undo: UndoLog) {
    this.#undo = undo;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: K): Row | undefined {
    return this.#rows.get(key);
  }

  all(): Row[] {
    return [...this.#rows.values()];
  }

  set(key: K, row: Row): void {
    const rows = this.#rows;
    const old = rows.get(key);
    rows.set(key, row);
    this.#undo.note(() => void (old === undefined ? rows.delete(key) : rows.set(key, old)));
  }

  delete(key: K): void {
    const rows = this.#rows;
    const old = rows.get(key);
    rows.delete(key);
    if (old !== undefined) this.#undo.note(() => void rows.set(key, old));
  }
}

/** Rows in groups (the events of a run, the lane of a session). Each group is sorted by a key that is unique in it. */
export class Groups<Key, Row extends Key> {
  readonly #undo: UndoLog;
  readonly #compare: (a: Key, b: Key) => number;
  readonly #groups = new Map<number, Row[]>();

  constructor(undo: UndoLog, compare: (a: Key, b: Key) => number) {
    this.#undo = undo;
    this.#compare = compare;
  }

  /** A whole group, in order. Read it at once: the array changes with the table. */
  of(group: number): readonly Row[] {
    return this.#groups.get(group) ?? [];
  }

  find(group: number, key: Key): Row | undefined {
    const rows = this.of(group);
    const row = rows[this.#place(rows, key)];
    return row !== undefined && this.#compare(row, key) === 0 ? row : undefined;
  }

  /** The rows from a key on; a row with the key itself need not exist. */
  from(group: number, key: Key, limit = Number.POSITIVE_INFINITY): Row[] {
    const rows = this.of(group);
    const start = this.#place(rows, key);
    return rows.slice(start, start + limit);
  }

  /** Adds a row. Returns false, and changes nothing, if its key exists. */
  add(group: number, row: Row): boolean {
    if (this.find(group, row) !== undefined) return false;
    this.#splice(group, row, 0, row);
    return true;
  }

  /** Replaces the row with the same key. */
  replace(group: number, row: Row): void {
    this.#splice(group, row, 1, row);
  }

  /** Removes the row with a key, which must exist. */
  remove(group: number, key: Key): void {
    this.#splice(group, key, 1);
  }

  /** Removes a whole group, and returns its rows. */
  clear(group: number): readonly Row[] {
    const rows = this.#groups.get(group) ?? [];
    const old = rows.splice(0);
    this.#undo.note(() => void rows.push(...old));
    return old;
  }

  #splice(group: number, key: Key, removed: number, ...added: Row[]): void {
    const rows = this.#groups.get(group) ?? [];
    this.#groups.set(group, rows);
    const place = this.#place(rows, key);
    const old = rows.splice(place, removed, ...added);
    // Changes are undone in reverse order, so the index is valid again by then.
    this.#undo.note(() => void rows.splice(place, added.length, ...old));
  }

  /** The index of a key, or where to insert it. Most rows arrive in order, so it tries the end first. */
  #place(rows: readonly Row[], key: Key): number {
    const last = rows.at(-1);
    if (last === undefined || this.#compare(last, key) < 0) return rows.length;
    let low = 0;
    let high = rows.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(rows[middle] as Row, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
