import { isObject, type JsonObject, type JsonValue, parseJson, wordOf } from '../../protocol/json.ts';

/** What a delta added to a block: text to show, or arguments of a call. */
export interface Piece {
  kind: 'text' | 'thinking' | 'arguments';
  text: string;
}

/** Deltas that append text, with the field that each appends to. */
const words: Readonly<Record<string, 'text' | 'thinking'>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
};

/** Deltas whose fields replace those of the block. */
const wholes = new Set<unknown>(['signature_delta', 'compaction_delta']);

/**
 * One content block of an answer, assembled from its start and its deltas. Unknown types follow the convention of the
 * wire: a string field is appended to, any other field is replaced.
 */
export class ContentBlock {
  readonly type: string;
  /** The server has ended the block; no delta follows. */
  isClosed = false;
  /** Lower bound of the characters that are kept. */
  size: number;
  readonly #fields: JsonObject;
  /** The `input_json_delta` pieces so far, joined. */
  #input = '';

  constructor(start: Record<string, unknown>) {
    this.type = String(start.type);
    this.#fields = { ...(start as JsonObject) };
    this.size = JSON.stringify(this.#fields).length;
  }

  /** Whether `start` repeats this block's own start, before any delta has come. */
  isSameStart(start: Record<string, unknown>): boolean {
    const isEmpty = this.#input === '' && !wordOf(this.#fields.text) && !wordOf(this.#fields.thinking);
    return isEmpty && !this.isClosed && start.type === this.type && wordOf(start.id) === this.id;
  }

  /** The id of a call; empty for blocks of other kinds. */
  get id(): string {
    return wordOf(this.#fields.id);
  }

  get name(): string {
    return wordOf(this.#fields.name);
  }

  /** The text that came with the start itself. */
  first(): Piece | undefined {
    if (this.type === 'text') return { kind: 'text', text: wordOf(this.#fields.text) };
    if (this.type === 'thinking') return { kind: 'thinking', text: wordOf(this.#fields.thinking) };
    return undefined;
  }

  /** Takes a delta, whatever it is. */
  add(delta: unknown): Piece | undefined {
    if (!isObject(delta)) return undefined;
    const { type, ...rest } = delta;
    if (type === 'input_json_delta') {
      const text = wordOf(rest.partial_json);
      this.#input += text;
      this.size += text.length;
      return { kind: 'arguments', text };
    }
    if (type === 'citations_delta') {
      this.#append('citations', rest.citation);
      return undefined;
    }
    const field = words[String(type)];
    for (const [name, value] of Object.entries(rest))
      if (wholes.has(type)) this.#set(name, value);
      else if (!field || name === field) this.#grow(name, value);
    return field && { kind: field, text: wordOf(rest[field]) };
  }

  /**
   * Ends the block.
   *
   * @returns the arguments, if no delta brought them: some servers send them with the start, or not at all
   */
  close(): Piece | undefined {
    if (this.isClosed) return undefined;
    this.isClosed = true;
    if (this.#input.trim() !== '' || !this.#takesInput) return undefined;
    const { input } = this.#fields;
    this.#input = isObject(input) ? JSON.stringify(input) : '{}';
    return { kind: 'arguments', text: this.#input };
  }

  /** The block in the form in which a later request sends it back. */
  toJSON(): JsonObject {
    if (!this.#takesInput) return this.#fields;
    const input = parseJson(this.#input);
    return { ...this.#fields, input: isObject(input) ? (input as JsonObject) : (this.#fields.input ?? {}) };
  }

  get #takesInput(): boolean {
    return this.type === 'tool_use' || 'input' in this.#fields;
  }

  #grow(name: string, value: unknown): void {
    const before = this.#fields[name];
    if (typeof value === 'string' && typeof before === 'string') {
      this.#fields[name] = before + value;
      this.size += value.length;
    } else this.#set(name, value);
  }

  #set(name: string, value: unknown): void {
    if (value === null || value === undefined) return;
    this.#fields[name] = value as JsonValue;
    this.size += JSON.stringify(value).length;
  }

  #append(name: string, value: unknown): void {
    if (!isObject(value)) return;
    const before = this.#fields[name];
    this.#fields[name] = [...(Array.isArray(before) ? before : []), value as JsonObject];
    this.size += JSON.stringify(value).length;
  }
}
