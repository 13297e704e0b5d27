import type { ModelAnswer, ModelDelta, ModelError, TokenUsage } from '../../protocol/content.ts';
import { isObject } from '../../protocol/json.ts';
import { modelErrorText } from '../../protocol/views.ts';
import { AnswerSoFar } from '../wire/answer-so-far.ts';
import { modelError } from '../wire/model-error.ts';
import { failureOfFinish, finishKind } from './finish.ts';
import { readUsage } from './read-usage.ts';
import { ReasoningReader } from './reasoning.ts';
import { ToolCallList } from './tool-calls.ts';

/**
 * Assembles a chat-completions answer from its chunks; a whole completion counts as one chunk.
 *
 * Reads the first choice only. `<think>` tags inside the text stay there: they may be part of an answer about reasoning.
 * Only a server that sends reasoning in a field of its own marks it as such. `[DONE]` ends the stream, so no chunk does. The finish
 * reason is the last one received: some servers repeat it with the usage.
 */
export class ChatAnswer extends AnswerSoFar {
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
