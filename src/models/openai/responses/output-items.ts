import { isObject, wordOf } from '../../../protocol/json.ts';
import { OutputItem, type PieceReader } from './output-item.ts';

/**
 * The items of a response, in order of appearance.
 *
 * `output_index` says which item an event is about. Servers deviate: an index that is always 0, an id that changes from
 * event to event, or neither. Events without an index go by `item_id`, else to the last item of their type. The pieces
 * of an item may come before its announcement, or without one.
 */
export class OutputItems implements Iterable<OutputItem> {
  readonly #items: OutputItem[] = [];
  readonly #byIndex = new Map<number, OutputItem>();
  readonly #reader: PieceReader;

  constructor(reader: PieceReader) {
    this.#reader = reader;
  }

  [Symbol.iterator](): Iterator<OutputItem> {
    return this.#items.values();
  }

  /** The item that a piece of an item of `type` belongs to; a whole piece repeats earlier pieces. */
  ofPiece(message: Record<string, unknown>, type: string, isWhole: boolean): OutputItem {
    const id = wordOf(message.item_id);
    const indexed = this.#indexed(message);
    if (indexed?.type === type) return indexed;
    const named = this.#items.find(
      (item) => item.type === type && id !== '' && (item.id === id || item.callId === id),
    );
    if (named) return named;
    // An unknown index starts a new item; a piece without an index, or with a wrong one, belongs to the last item.
    const isNew = typeof message.output_index === 'number' && !indexed;
    const last = this.#items.findLast((item) => item.type === type && (isWhole || !item.isDone));
    return (isNew ? undefined : last) ?? this.#start(message, type, id, false);
  }

  /** The item that this event announces or ends. */
  ofItem(message: Record<string, unknown>, item: Record<string, unknown>, ends: boolean): OutputItem {
    const id = wordOf(item.id);
    const isSame = (known: OutputItem) => id !== '' && known.id === id;
    const candidates = [this.#indexed(message), this.#items.find(isSame)].filter(
      (known) => known !== undefined,
    );
    return (
      candidates.find((known) => known.accepts(item) && (ends || !known.isDone || isSame(known))) ??
      // An id may have changed since the item was announced.
      candidates.find((known) => ends && !known.isDone && known.type === item.type) ??
      this.#start(message, wordOf(item.type), id, true)
    );
  }

  /**
   * Matches the items of a finished response with the streamed ones, so that no text is emitted twice. Matches by id,
   * then by position, then by type in order.
   */
  ofOutput(output: readonly unknown[]): { item: OutputItem; description: Record<string, unknown> }[] {
    const descriptions = output.filter(isObject);
    const taken = new Set<OutputItem>();
    const matches = new Map<Record<string, unknown>, OutputItem>();
    const match = (description: Record<string, unknown>, fits: (item: OutputItem) => boolean) => {
      const item = this.#items.find(
        (item) => !taken.has(item) && item.type === description.type && fits(item),
      );
      if (!item || matches.has(description)) return;
      taken.add(item);
      matches.set(description, item);
    };
    for (const one of descriptions) match(one, ({ id }) => id !== '' && id === one.id);
    for (const one of descriptions) match(one, ({ callId }) => callId !== '' && callId === one.call_id);
    for (const [place, one] of descriptions.entries())
      match(one, (item) => item === this.#byIndex.get(place));
    for (const one of descriptions) match(one, () => true);
    return descriptions.map((description) => ({
      description,
      item:
        matches.get(description) ?? this.#start({}, wordOf(description.type), wordOf(description.id), true),
    }));
  }

  #indexed({ output_index: index }: Record<string, unknown>): OutputItem | undefined {
    return typeof index === 'number' ? this.#byIndex.get(index) : undefined;
  }

  /** @param isAnnounced the index of an announced item is reliable; that of a piece may be wrong */
  #start(
    { output_index: index }: Record<string, unknown>,
    type: string,
    id: string,
    isAnnounced: boolean,
  ): OutputItem {
    const item = new OutputItem(type, id, this.#reader);
    this.#items.push(item);
    if (typeof index === 'number' && (isAnnounced || !this.#byIndex.has(index)))
      this.#byIndex.set(index, item);
    return item;
  }
}
