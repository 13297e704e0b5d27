import type {
  FinishKind,
  ModelAnswer,
  ModelError,
  ModelToolCall,
  TokenUsage,
} from '../../protocol/content.ts';
import { isObject, type JsonObject, wordOf } from '../../protocol/json.ts';
import { AnswerReader } from '../wire/answer-reader.ts';
import { ContentBlock, type Piece } from './content-block.ts';
import { pausedContent, rememberedContent } from './replay.ts';
import { UsageCounter } from './usage-counter.ts';

/**
 * Assembles an answer of the messages wire from its events; a whole message counts as one event.
 *
 * Text, thinking and `tool_use` blocks make up the answer. All other blocks (tools that the server runs itself, their
 * results, summaries, future types) are kept unchanged, to be sent back.
 *
 * @see https://docs.claude.com/en/docs/build-with-claude/streaming
 */
export class MessageAnswer extends AnswerReader {
  size = 0;
  readonly #toolCalls: ModelToolCall[] = [];
  readonly #usage = new UsageCounter();
  /** The blocks of all messages of the turn, in order. */
  readonly #blocks: { block: ContentBlock; call?: number }[] = [];
  /** Blocks of the current message: the wire's index → the index in `#blocks`. */
  #positions = new Map<number, number>();
  /** Messages of this turn that have ended. */
  readonly #messageIds = new Set<string>();
  #messageId = '';
  #isRepeat = false;

  /** Whether the server paused the turn: it continues when the turn is sent back. */
  get isPaused(): boolean {
    return this.finishReason === 'pause_turn' && !this.#isRepeat && !this.error && this.#blocks.length > 0;
  }

  add(message: unknown, event = ''): void {
    if (!isObject(message)) return;
    if (message.error || message.type === 'error') {
      this.fail(message);
      return;
    }
    if (this.#isRepeat) return;
    switch (typeOf(message, event)) {
      case 'message':
        this.#addWhole(message);
        break;
      case 'message_start':
        if (isObject(message.message)) this.#begin(message.message);
        break;
      case 'content_block_start':
        this.#startBlock(message.index, message.content_block);
        break;
      case 'content_block_delta':
        this.#addDelta(message.index, message.delta);
        break;
      case 'content_block_stop':
        this.#close(this.#positions.get(indexOf(message.index)) ?? -1);
        break;
      case 'message_delta':
        this.#usage.add(message.usage);
        if (isObject(message.delta)) this.#end(message.delta);
        break;
      case 'message_stop':
        this.#closeAll();
        this.isOver = true;
        break;
    }
  }

  /**
   * Prepares for the message with which the server continues after a pause.
   *
   * @returns the turn so far, to be sent back
   */
  resume(): JsonObject[] {
    this.#messageIds.add(this.#messageId);
    this.#usage.nextMessage();
    this.#positions = new Map();
    this.finishReason = null;
    this.began = false;
    this.isOver = false;
    return pausedContent(this.#blocks.map(({ block }) => block.toJSON()));
  }

  build(model: string, failure: ModelError | null): ModelAnswer {
    const providerData = rememberedContent(this.#blocks.map(({ block }) => block));
    return {
      model: this.model || model,
      ...this.pieces,
      toolCalls: this.#toolCalls,
      finishReason: this.finishReason,
      finish: finishKind(this.finishReason, this.#toolCalls.length > 0),
      usage: this.#reported(this.error !== null || failure !== null),
      ...(providerData && { providerData }),
      error: this.error ?? failure,
    };
  }

  /** The output in a first event is a placeholder. The event with the finish reason has the count. */
  #reported(isBroken: boolean): TokenUsage | null {
    const usage = this.#usage.total();
    return usage && isBroken && this.finishReason === null ? { ...usage, outputTokens: 0 } : usage;
  }

  #addWhole(message: Record<string, unknown>): void {
    this.#start(message);
    if (this.#isRepeat) return;
    const content = Array.isArray(message.content) ? message.content : [];
    for (const [index, part] of content.entries()) {
      this.#startBlock(index, part);
      this.#close(this.#positions.get(index) ?? -1);
    }
    this.#end(message);
    this.isOver = true;
  }

  /**
   * A repeated start (recorded behind proxies) changes only the token counts. A turn that continues after code of the server may
   * begin with blocks, and even be whole: no event repeats them.
   */
  #begin(message: Record<string, unknown>): void {
    this.#start(message);
    if (this.#isRepeat || !Array.isArray(message.content) || message.content.length === 0) return;
    for (const [index, block] of message.content.entries())
      if (!this.#positions.has(index)) this.#startBlock(index, block);
    this.#end(message);
  }

  #start(message: Record<string, unknown>): void {
    this.began = true;
    const id = wordOf(message.id);
    if (id !== '' && this.#messageIds.has(id)) {
      // A cache or a replaying proxy: it repeats the message instead of continuing the turn.
      this.#isRepeat = true;
      this.finishReason = 'pause_turn';
      this.isOver = true;
      return;
    }
    this.#messageId = id;
    this.model ||= wordOf(message.model);
    this.#usage.add(message.usage);
  }

  #startBlock(index: unknown, start: unknown): void {
    if (!isObject(start) || typeof start.type !== 'string') return;
    this.began = true;
    const at = indexOf(index);
    const known = this.#blocks[this.#positions.get(at) ?? -1];
    if (known?.block.isSameStart(start)) return;
    const block = new ContentBlock(start);
    const position = this.#blocks.push({ block }) - 1;
    this.#positions.set(at, position);
    this.size += block.size;
    if (block.type === 'tool_use') this.#startCall(position);
    // Another model continues from here.
    if (block.type === 'fallback' && isObject(start.to)) this.model = wordOf(start.to.model) || this.model;
    this.#take(position, block.first());
  }

  #startCall(position: number): void {
    const entry = this.#blocks[position];
    if (!entry) return;
    const { id, name } = entry.block;
    entry.call = this.#toolCalls.push({ id, name, arguments: '' }) - 1;
    this.onDelta({ type: 'toolCall', index: entry.call, id, name, argumentsDelta: '' });
  }

  #addDelta(index: unknown, delta: unknown): void {
    if (!isObject(delta)) return;
    const at = indexOf(index);
    const type = startOf[String(delta.type)];
    // Some servers leave the start of a block out.
    if (!this.#positions.has(at) && type) this.#startBlock(at, { type, [type]: '' });
    const position = this.#positions.get(at) ?? -1;
    const block = this.#blocks[position]?.block;
    if (!block) return;
    const before = block.size;
    const piece = block.add(delta);
    this.size += block.size - before;
    this.#take(position, piece);
  }

  #close(position: number): void {
    this.#take(position, this.#blocks[position]?.block.close());
  }

  #closeAll(): void {
    for (const position of this.#blocks.keys()) this.#close(position);
  }

  #end(delta: Record<string, unknown>): void {
    const reason = wordOf(delta.stop_reason);
    if (reason === '') return;
    this.finishReason = reason;
    this.#closeAll();
    const details = delta.stop_details;
    const isRefused = reason === 'refusal' && this.pieces.refusal === '';
    if (isRefused && isObject(details)) this.#say('refusal', wordOf(details.explanation));
  }

  #take(position: number, piece: Piece | undefined): void {
    if (!piece) return;
    if (piece.kind === 'text') this.#say('text', piece.text);
    if (piece.kind === 'thinking') this.#say('reasoning', piece.text);
    const index = this.#blocks[position]?.call;
    const call = this.#toolCalls[index ?? -1];
    if (piece.kind !== 'arguments' || index === undefined || !call || piece.text === '') return;
    call.arguments += piece.text;
    const { id, name } = call;
    this.onDelta({ type: 'toolCall', index, id, name, argumentsDelta: piece.text });
  }

  #say(type: 'text' | 'reasoning' | 'refusal', text: string): void {
    if (text === '') return;
    this.pieces[type] += text;
    this.onDelta({ type, text });
  }
}

/** Blocks whose type follows from their deltas alone; each has its text in a field of the same name. */
const startOf: Readonly<Record<string, string>> = { text_delta: 'text', thinking_delta: 'thinking' };

/** Some servers name the type only in the `event:` line, and some leave it out of a whole answer. */
function typeOf(message: Record<string, unknown>, event: string): string {
  const name = wordOf(message.type) || event;
  if (name !== '' && name !== 'message') return name;
  return Array.isArray(message.content) ? 'message' : '';
}

/** A server that leaves the index out sends one block only. */
function indexOf(index: unknown): number {
  return typeof index === 'number' ? index : 0;
}

const kinds = new Map<string, FinishKind>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'toolCalls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
  // Bedrock's guardrails.
  ['content_filtered', 'contentFilter'],
  ['guardrail_intervened', 'contentFilter'],
  // From proxies that translate another wire.
  ['stop', 'stop'],
  ['tool_calls', 'toolCalls'],
  ['length', 'length'],
  ['content_filter', 'contentFilter'],
  ['sensitive', 'contentFilter'],
]);

/**
 * Maps a stop reason to ours; `unknown` for a `pause_turn` that could not be continued, and for unknown reasons.
 * Some servers say `end_turn` after tool calls: then the presence of tool calls decides.
 */
function finishKind(reason: string | null, hasToolCalls: boolean): FinishKind {
  const kind = kinds.get(reason?.toLowerCase() ?? '') ?? 'unknown';
  return kind === 'stop' && hasToolCalls ? 'toolCalls' : kind;
}
