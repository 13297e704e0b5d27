import { isObject, type JsonObject, parseJson, wordOf } from '../../../protocol/json.ts';
import { kindOf, type PieceKind, readPart, textOf } from './slots.ts';

const summarySlot = 'reasoning_summary_text';

function partKey(slot: string, index: unknown): string {
  return `${slot} ${typeof index === 'number' ? index : 0}`;
}

/** Receives the pieces of items, in order. */
export interface PieceReader {
  say(item: OutputItem, kind: PieceKind, piece: string): void;
}

/**
 * One item of a response's output, assembled from the events about it.
 *
 * The wire repeats everything up to four times: in pieces, and whole at the end of the part, of the item and of the
 * response. Pieces count; a whole text counts only if no pieces of that kind came for the item.
 */
export class OutputItem {
  type: string;
  id: string;
  callId = '';
  name = '';
  /** The server's last description of the item; empty while only pieces of it have come. */
  raw: JsonObject = {};
  /** The server has completed the item, so a later request can send it back. */
  isDone = false;
  readonly #reader: PieceReader;
  readonly #said = new Map<PieceKind, string>();
  /** Whole texts by slot and index, in the order of the parts. */
  readonly #wholes = new Map<string, string>();

  constructor(type: string, id: string, reader: PieceReader) {
    this.type = type;
    this.id = id;
    this.#reader = reader;
  }

  said(kind: PieceKind): string {
    return this.#said.get(kind) ?? '';
  }

  add(kind: PieceKind, piece: string): void {
    if (piece === '') return;
    this.#said.set(kind, this.said(kind) + piece);
    this.#reader.say(this, kind, piece);
  }

  /** Takes the whole text of a part; the last one counts. */
  offer(slot: string, index: unknown, text: string): void {
    if (text !== '') this.#wholes.set(partKey(slot, index), text);
  }

  /** Whether this description can be of this item. */
  accepts({ type, id }: Record<string, unknown>): boolean {
    if (this.type !== '' && this.type !== type) return false;
    const isKnown = Object.keys(this.raw).length > 0;
    // An item of which only pieces have come has no description to compare with.
    return !isKnown || this.id === '' || typeof id !== 'string' || id === '' || id === this.id;
  }

  /** Takes a description of the whole item. */
  describe(item: Record<string, unknown>): void {
    const { encrypted_content: encrypted } = this.raw;
    // Some servers leave the long fields out of the last description.
    this.raw = {
      ...(item as JsonObject),
      ...(encrypted && !item.encrypted_content && { encrypted_content: encrypted }),
    };
    this.type ||= wordOf(item.type);
    this.id = wordOf(item.id) || this.id;
    this.callId = wordOf(item.call_id) || this.callId;
    this.name = wordOf(item.name) || this.name;
    if (this.type === 'function_call') this.offer('function_call_arguments', 0, textOf(item.arguments));
    if (this.type === 'message' || this.type === 'reasoning') {
      const slot = this.type === 'message' ? 'output_text' : 'reasoning_text';
      if (typeof item.content === 'string') this.offer(slot, 0, item.content);
      for (const parts of [item.summary, item.content])
        if (Array.isArray(parts)) for (const [index, part] of parts.entries()) this.#offerPart(index, part);
    }
  }

  /** Emits the texts that the server sent only as a whole. */
  settle(): void {
    for (const [slot, text] of this.#unsaid()) {
      const kind = kindOf(slot);
      if (kind) this.add(kind, text);
    }
    this.#mendArguments();
  }

  #offerPart(index: number, part: unknown): void {
    const known = readPart(part);
    if (known) this.offer(known.slot, index, known.text);
  }

  /** Whole texts that no piece has emitted. Reasoning counts once, even if the server sends both text and summary. */
  #unsaid(): [slot: string, text: string][] {
    const wholes = [...this.#wholes].map(([key, text]): [string, string] => [key.split(' ')[0] ?? '', text]);
    const unsaid = wholes.filter(([slot]) => this.said(kindOf(slot) ?? 'text') === '');
    const isThought = unsaid.some(([slot]) => slot === 'reasoning_text');
    return isThought ? unsaid.filter(([slot]) => slot !== summarySlot) : unsaid;
  }

  /** Replaces arguments that a lost piece has broken by the whole ones. */
  #mendArguments(): void {
    const said = this.said('arguments');
    const whole = this.#wholes.get('function_call_arguments 0') ?? '';
    if (said === '' || said === whole || isObject(parseJson(said)) || !isObject(parseJson(whole))) return;
    if (whole.startsWith(said)) this.add('arguments', whole.slice(said.length));
    else this.#said.set('arguments', whole);
  }
}
