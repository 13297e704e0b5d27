import { isObject, type JsonObject, wordOf } from '../../protocol/json.ts';

/**
 * Reads reasoning from `reasoning_content` (DeepSeek, Moonshot, Qwen, xAI, z.ai), `reasoning` (Groq, Ollama, OpenRouter,
 * Vercel), `reasoning_text` (Copilot) or `reasoning_details` (OpenRouter, Vercel).
 *
 * The details repeat the plain field, so their text counts only until a plain field has come. For the next request,
 * consecutive pieces of one block become one item, because signatures belong to blocks.
 */
export class ReasoningReader {
  /** Characters kept in the details. */
  detailsSize = 0;
  readonly #details: JsonObject[] = [];
  #sawPlain = false;
  #sawReasoningContent = false;

  /**
   * Takes a delta or whole message.
   *
   * @returns the reasoning in it, each thought once, however many fields carry it
   */
  add(delta: Record<string, unknown>): string {
    const { reasoning_content, reasoning, reasoning_text, reasoning_details } = delta;
    if (typeof reasoning_content === 'string') this.#sawReasoningContent = true;
    const plain = wordOf(reasoning_content) || wordOf(reasoning) || wordOf(reasoning_text);
    if (plain) this.#sawPlain = true;
    let detailed = '';
    if (Array.isArray(reasoning_details))
      for (const piece of reasoning_details) detailed += this.#addDetail(piece);
    return plain || (this.#sawPlain ? '' : detailed);
  }

  /** The details that later requests must send back to the provider; undefined for none. */
  providerData(): JsonObject | undefined {
    const hasDetails = this.#details.length > 0;
    if (!this.#sawReasoningContent && !hasDetails) return undefined;
    return {
      ...(this.#sawReasoningContent && { reasoning_field: 'reasoning_content' }),
      ...(hasDetails && { reasoning_details: this.#details }),
    };
  }

  /** Returns the text of the piece. */
  #addDetail(piece: unknown): string {
    if (!isObject(piece)) return '';
    const text = wordOf(piece.text) + wordOf(piece.summary);
    const last = this.#details.at(-1);
    if (last && continues(last, piece)) {
      extend(last, piece);
      this.detailsSize += text.length;
    } else {
      this.#details.push({ ...(piece as JsonObject) });
      this.detailsSize += JSON.stringify(piece).length;
    }
    return text;
  }
}

/** Encrypted items are whole; only text and summaries come in pieces. */
function continues(last: JsonObject, piece: Record<string, unknown>): boolean {
  if (last.type !== piece.type || last.index !== piece.index) return false;
  if (piece.type !== 'reasoning.text' && piece.type !== 'reasoning.summary') return false;
  return !wordOf(piece.id) || !wordOf(last.id) || piece.id === last.id;
}

function extend(last: JsonObject, piece: Record<string, unknown>): void {
  for (const name of ['text', 'summary']) {
    const more = wordOf(piece[name]);
    if (more) last[name] = wordOf(last[name]) + more;
  }
  for (const name of ['signature', 'format', 'id']) {
    const value = wordOf(piece[name]);
    if (value) last[name] = value;
  }
}
