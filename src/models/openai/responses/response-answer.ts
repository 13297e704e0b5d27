import type {
  FinishKind,
  ModelAnswer,
  ModelDelta,
  ModelError,
  TokenUsage,
} from '../../../protocol/content.ts';
import { isObject, wordOf } from '../../../protocol/json.ts';
import { modelErrorText } from '../../../protocol/views.ts';
import { AnswerReader } from '../../wire/answer-reader.ts';
import { cutOff, modelError } from '../../wire/model-error.ts';
import { finishKind } from '../finish.ts';
import { count, field, readUsage } from '../read-usage.ts';
import type { OutputItem } from './output-item.ts';
import { OutputItems } from './output-items.ts';
import { type Asked, remember } from './replay.ts';
import { type PieceKind, readPart, readPieceEvent } from './slots.ts';

/**
 * Assembles an answer of the Responses wire from its events; a whole response counts as one event.
 *
 * Messages, reasoning and function calls make up the answer. All other items (tools that the server runs itself, their
 * results, future types) are kept unchanged, to be sent back. The finish reason is the status of the response.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponseAnswer extends AnswerReader {
  size = 0;
  readonly #asked: Asked;
  readonly #items = new OutputItems(this);
  /** In order of appearance. */
  readonly #calls: OutputItem[] = [];
  #id = '';
  #isStored = true;
  #incompleteReason: string | null = null;
  #usage: TokenUsage | null = null;

  /**
   * @param origin the server's origin, for error messages
   * @param asked the request that is answered
   */
  constructor(origin: string, onDelta: (delta: ModelDelta) => void, asked: Asked) {
    super(origin, onDelta);
    this.#asked = asked;
  }

  add(message: unknown, event = ''): void {
    if (!isObject(message)) return;
    const type = wordOf(message.type) || event;
    const response = isObject(message.response)
      ? message.response
      : message.object === 'response'
        ? message
        : null;
    if (response) this.#takeResponse(type, response);
    else if (message.error || type === 'error' || message.object === 'error') this.fail(message);
    else if (isObject(message.item)) this.#takeItem(message, message.item, type.endsWith('.done'));
    else this.#takePiece(message, type);
  }

  build(model: string, failure: ModelError | null): ModelAnswer {
    this.#settle();
    const error = this.error ?? failure;
    const toolCalls = this.#calls.map((item) => ({
      id: item.callId || item.id,
      name: item.name,
      arguments: item.said('arguments'),
    }));
    const came = { toolCalls: toolCalls.length > 0, refusal: this.pieces.refusal !== '' };
    const isKept = this.finishReason === 'completed' && !error && this.#isStored && this.#id !== '';
    const providerData = remember(this.#asked, {
      id: isKept ? this.#id : null,
      items: [...this.#items],
      text: this.pieces.text || this.pieces.refusal,
      toolCalls,
    });
    return {
      model: this.model || model,
      ...this.pieces,
      toolCalls,
      finishReason: this.finishReason,
      finish: finishOf(this.finishReason, this.#incompleteReason, came),
      usage: this.#usage,
      ...(providerData && { providerData }),
      error,
    };
  }

  #takeResponse(type: string, response: Record<string, unknown>): void {
    this.began = true;
    this.#id = wordOf(response.id) || this.#id;
    this.model = wordOf(response.model) || this.model;
    this.#usage = readResponseUsage(response) ?? this.#usage;
    if (response.store === false) this.#isStored = false;
    const [, word] = /^response\.(\w+)$/.exec(type) ?? [];
    // A whole response has no event type; in a stream its status must show that it is one.
    const isWhole = type === '' || (type === 'message' && ends.has(wordOf(response.status)));
    if (isWhole || (word !== undefined && ends.has(word))) this.#end(word, response);
  }

  #end(word: string | undefined, response: Record<string, unknown>): void {
    const { output, error, incomplete_details: details } = response;
    if (Array.isArray(output))
      for (const { item, description } of this.#items.ofOutput(output))
        this.#describe(item, description, true);
    this.#settle();
    const status = wordOf(response.status);
    // Some servers leave the status at `in_progress`: then the name of the event decides.
    const reason = ends.has(status) || !word ? status : word === 'done' ? 'completed' : word;
    this.finishReason = reason || null;
    if (isObject(details)) this.#incompleteReason = wordOf(details.reason);
    if (error) this.fail({ error });
    else if (reason === 'failed' || reason === 'cancelled')
      this.error ??= modelError(
        'server',
        modelErrorText('model_broke_off', { origin: this.origin, said: reason }),
      );
    else if (reason === 'in_progress' || reason === 'queued') this.error ??= cutOff(this.origin);
    this.isOver = true;
  }

  #takeItem(message: Record<string, unknown>, description: Record<string, unknown>, ends: boolean): void {
    this.began = true;
    const item = this.#items.ofItem(message, description, ends);
    this.#describe(item, description, ends);
    if (ends) item.settle();
  }

  #describe(item: OutputItem, description: Record<string, unknown>, ends: boolean): void {
    const before = `${item.callId}\n${item.name}`;
    item.describe(description);
    // Text and arguments count when they are emitted.
    const isKeptWhole = item.type !== 'message' && item.type !== 'function_call';
    if (ends && isKeptWhole && !item.isDone) this.size += JSON.stringify(description).length;
    item.isDone ||= ends;
    if (
      item.type === 'function_call' &&
      (!this.#calls.includes(item) || before !== `${item.callId}\n${item.name}`)
    )
      this.#sayCall(item, '');
  }

  #takePiece(message: Record<string, unknown>, type: string): void {
    const piece = readPieceEvent(type, message);
    if (piece) {
      this.began = true;
      const item = this.#items.ofPiece(message, piece.itemType, piece.isWhole);
      if (piece.isWhole) item.offer(piece.slot, message.content_index ?? message.summary_index, piece.text);
      else item.add(piece.kind, piece.text);
      return;
    }
    const part = type.endsWith('_part.done') ? readPart(message.part) : undefined;
    if (!part) return;
    const itemType = part.slot.startsWith('reasoning') ? 'reasoning' : 'message';
    this.#items
      .ofPiece(message, itemType, true)
      .offer(part.slot, message.content_index ?? message.summary_index, part.text);
  }

  #settle(): void {
    for (const item of this.#items) item.settle();
  }

  /** Takes a piece of an item. */
  say(item: OutputItem, kind: PieceKind, piece: string): void {
    this.size += piece.length;
    if (kind === 'arguments') {
      this.#sayCall(item, piece);
      return;
    }
    this.pieces[kind] += piece;
    this.onDelta({ type: kind, text: piece });
  }

  #sayCall(item: OutputItem, argumentsDelta: string): void {
    if (!this.#calls.includes(item)) this.#calls.push(item);
    const { callId, id, name } = item;
    this.onDelta({
      type: 'toolCall',
      index: this.#calls.indexOf(item),
      id: callId || id,
      name,
      argumentsDelta,
    });
  }
}

/** Final statuses; some servers call the last event `done`. */
const ends = new Set(['completed', 'incomplete', 'failed', 'cancelled', 'done']);

/**
 * Maps the status of a response to ours.
 *
 * @param why the `reason` of its `incomplete_details`
 */
function finishOf(
  status: string | null,
  why: string | null,
  came: { toolCalls: boolean; refusal: boolean },
): FinishKind {
  if (status === 'completed') return finishKind('stop', came);
  return status === 'incomplete' ? finishKind(why, came) : 'unknown';
}

/** The usage of a response, or null when it has none. Counts that are no numbers read as 0. */
function readResponseUsage(response: Record<string, unknown>): TokenUsage | null {
  const { usage } = response;
  if (!isObject(usage)) return null;
  // Some servers that translate chat completions do not rename these fields.
  if (typeof usage.input_tokens !== 'number' && typeof usage.output_tokens !== 'number')
    return readUsage(response);
  return {
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    cachedInputTokens: count(field(usage.input_tokens_details, 'cached_tokens')),
    reasoningTokens: count(field(usage.output_tokens_details, 'reasoning_tokens')),
  };
}
