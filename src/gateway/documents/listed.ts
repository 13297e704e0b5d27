/** Characters of JSON in one page. */
const pageChars = 1_000_000;

/** One of a list, and the transition that ends with it: a page may end behind that. Null for one within a transition. */
interface Entry {
  item: unknown;
  seq: number | null;
}

/**
 * An answer that is one list of unknown length, which is made as it is read: over HTTP all of it, over frames a page. Methods
 * return it in place of an object with the list.
 */
export class Listed {
  readonly #name: string;
  readonly #entries: AsyncIterable<Entry>;

  private constructor(name: string, entries: AsyncIterable<Entry>) {
    this.#name = name;
    this.#entries = entries;
  }

  /** @param seqOf the transition that ends with an item, see `Entry`. */
  static of<Item>(name: string, items: AsyncIterable<Item>, seqOf: (item: Item) => number | null): Listed {
    return new Listed(name, entriesOf(items, seqOf));
  }

  /** The same list, of other items. */
  map(change: (item: unknown) => unknown): Listed {
    const entries = this.#entries;
    const changed = async function* () {
      for await (const { item, seq } of entries) yield { item: change(item), seq };
    };
    return new Listed(this.#name, changed());
  }

  /** The name of the field that has the list. */
  get name(): string {
    return this.#name;
  }

  /** The beginning of the list, with the place where the next page begins, if there is more. */
  async page(): Promise<Record<string, unknown>> {
    const items: unknown[] = [];
    let chars = 0;
    let last: number | null = null;
    for await (const { item, seq } of this.#entries) {
      const json = JSON.stringify(item);
      if (last !== null && chars + json.length > pageChars)
        return { [this.#name]: items, nextAfterSeq: last };
      items.push(item);
      chars += json.length;
      last = seq;
    }
    return { [this.#name]: items };
  }

  /** The whole answer as pieces of JSON. */
  async *text(): AsyncGenerator<string> {
    yield `{${JSON.stringify(this.#name)}:[`;
    let comma = '';
    for await (const { item } of this.#entries) {
      yield comma + JSON.stringify(item);
      comma = ',';
    }
    yield ']}';
  }
}

async function* entriesOf<Item>(
  items: AsyncIterable<Item>,
  seqOf: (item: Item) => number | null,
): AsyncGenerator<Entry> {
  for await (const item of items) yield { item, seq: seqOf(item) };
}
