import type { ModelAnswer, ModelDelta, ModelError, TokenUsage } from '../../protocol/content.ts';
import { isObject, type JsonObject, wordOf } from '../../protocol/json.ts';
import { modelErrorText } from '../../protocol/views.ts';
import { AnswerReader } from '../wire/answer-reader.ts';
import { modelError } from '../wire/model-error.ts';
import { failureOfFinish, finishKind } from './finish.ts';
import { readUsage } from './read-usage.ts';
import { ToolCallList } from './tool-calls.ts';

/**
 * Assembles a chat-completions answer from its chunks; a whole completion counts as one chunk.
 *
 * Reads the first choice only. `<think>` tags inside the text stay there: they may be part of an answer about reasoning.
 * Only a server that sends reasoning in a field of its own marks it as such. `[DONE]` ends the stream, so no chunk does. The finish
 * reason is the last one received: some servers repeat it with the usage.
 */
export class ChatAnswer extends AnswerReader {
  readonly #reasoning = new ReasoningReader();
  readonly #toolCalls = new ToolCallList();
  #usage: TokenUsage | null = null;
  #size = 0;

  get size(): number {
    return this.#size + this.#reasoning.detailsSize + this.#toolCalls.extrasSize;
  }

  add(chunk: unknown): void {
    if (!isObject(chunk)) return;
    if (this.model === '' && typeof chunk.model === 'string') this.model = chunk.model;
    this.#usage = readUsage(chunk) ?? this.#usage;
    const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
    const choice = choices.find((choice) => isObject(choice) && (choice.index ?? 0) === 0);
    if (choice) for (const delta of this.#piecesOf(choice)) this.onDelta(delta);
    if (chunk.error || chunk.object === 'error' || chunk.type === 'error') this.fail(chunk);
  }

  build(model: string, failure: ModelError | null): ModelAnswer {
    const { calls } = this.#toolCalls;
    const providerData = { ...this.#reasoning.providerData(), ...this.#toolCalls.providerData() };
    const came = { toolCalls: calls.length > 0, refusal: this.pieces.refusal !== '' };
    return {
      model: this.model || model,
      ...this.pieces,
      toolCalls: calls,
      finishReason: this.finishReason,
      finish: finishKind(this.finishReason, came),
      usage: this.#usage,
      ...(Object.keys(providerData).length > 0 && { providerData }),
      error: this.error ?? failure ?? this.#failedFinish(),
    };
  }

  /** Adds what came of the choice to the answer, piece by piece. */
  *#piecesOf(choice: Record<string, unknown>): Generator<ModelDelta> {
    this.began = true;
    // Perplexity repeats the whole message beside each delta.
    const delta = isObject(choice.delta) ? choice.delta : choice.message;
    if (isObject(delta)) {
      yield* this.#text('reasoning', this.#reasoning.add(delta));
      // `content` as parts, as Mistral sends them (`text`, `thinking`) and OpenAI stores them (`refusal`).
      const parts = Array.isArray(delta.content) ? delta.content : [];
      for (const part of typeof delta.content === 'string' ? [delta.content] : parts)
        for (const [kind, text] of textsOf(part)) yield* this.#text(kind, text);
      if (typeof delta.refusal === 'string') yield* this.#text('refusal', delta.refusal);
      const entries = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
      for (const [place, entry] of entries.entries())
        yield* this.#call(entry, entries.length > 1 ? place : undefined);
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '')
      this.finishReason = choice.finish_reason;
    if (choice.error) this.fail(choice);
  }

  *#text(type: ContentKind, text: string): Generator<ModelDelta> {
    if (text === '') return;
    this.pieces[type] += text;
    this.#size += text.length;
    yield { type, text };
  }

  *#call(entry: unknown, place: number | undefined): Generator<ModelDelta> {
    const piece = this.#toolCalls.add(entry, place);
    if (!piece) return;
    const { index, argumentsDelta } = piece;
    const { id, name } = piece.call;
    this.#size += id.length + name.length + argumentsDelta.length;
    yield { type: 'toolCall', index, id, name, argumentsDelta };
  }

  #failedFinish(): ModelError | null {
    const kind = failureOfFinish(this.finishReason);
    return kind
      ? modelError(
          kind,
          modelErrorText('model_broke_off', { origin: this.origin, said: this.finishReason ?? '' }),
        )
      : null;
  }
}

type ContentKind = 'text' | 'reasoning' | 'refusal';

/** The texts of a part. Parts of other kinds (references, audio) hold none. */
function* textsOf(part: unknown): Generator<[ContentKind, string]> {
  if (typeof part === 'string') yield ['text', part];
  if (!isObject(part)) return;
  if (typeof part.text === 'string') yield ['text', part.text];
  if (typeof part.refusal === 'string') yield ['refusal', part.refusal];
  const thoughts = Array.isArray(part.thinking) ? part.thinking : [part.thinking];
  for (const thought of thoughts) {
    const piece = isObject(thought) ? thought.text : thought;
    if (typeof piece === 'string') yield ['reasoning', piece];
  }
}

/**
 * Reads reasoning from `reasoning_content` (DeepSeek, Moonshot, Qwen, xAI, z.ai), `reasoning` (Groq, Ollama, OpenRouter,
 * Vercel), `reasoning_text` (Copilot) or `reasoning_details` (OpenRouter, Vercel).
 *
 * The details repeat the plain field, so their text counts only until a plain field has come. For the next request,
 * consecutive pieces of one block become one item, because signatures belong to blocks.
 */
class ReasoningReader {
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
