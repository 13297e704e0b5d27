import { setTimeout } from 'node:timers/promises';
import { type ModelAnswer, type ModelToolCall, unanswered } from '../../protocol/content.ts';
import { isObject, type JsonValue } from '../../protocol/json.ts';
import type { ChatModel, GenerateOptions, ModelRequest } from '../../protocol/ports.ts';
import { modelError } from '../wire/model-error.ts';
import { replyTo } from './reply.ts';
import type { Reply } from './reply.types.ts';

export interface DemoModelOptions {
  /** Milliseconds between two pieces of the answer, so that a person sees it stream. Default 0. */
  pieceDelayMs?: number;
  /** The same for the tour, three times as slow. Default: `pieceDelayMs`. */
  tourDelayMs?: number;
}

/** Bounds the time that an answer streams: a person sees what streaming is, and does not wait for it. */
const maxPieces = 12;
/** The tour is to be read while it streams: some thirty words a second at the usual 10 ms. */
const tourSlowness = 3;
/** How long the provider that the tour plays is busy, in pieces: two seconds at the usual 10 ms. */
const busyPieces = 200;

/**
 * The model that answers when no other is configured: it understands a few forms of sentences (`forms.ts`), English and Chinese, and
 * calls real tools.
 *
 * It says in its first words that it is a demo and no language model. Its answer is a pure function of the request's
 * messages and tools; it keeps no state, calls no network, and needs no key. It calls only tools that the request
 * offers, once for a message, and never repeats a failed call. With an output schema its words are in the first text of the
 * JSON. It has no tokenizer: it counts characters, divided by four. It ignores `maxOutputTokens`, because its answers are short.
 *
 * `demo/tour`, or a message that asks for the tour, gets the guided tour: see `tour/script.ts`. It alone plays failures.
 *
 * Never throws. After an abort it returns an answer with error kind `aborted` and the text that it had streamed.
 */
export function createDemoModel({
  pieceDelayMs = 0,
  tourDelayMs = pieceDelayMs,
}: DemoModelOptions = {}): ChatModel {
  return {
    price: { inputUsd: 0, outputUsd: 0 },
    nativeOutput: true,
    async generate(request, call) {
      const effect = Number(/:(\d+)$/.exec(call.idempotencyKey)?.[1] ?? Number.NaN);
      const reply = replyTo(request, { effect, busyMs: tourDelayMs * busyPieces });
      if (reply.error) return unanswered(request.model, reply.error);
      const [most, delayMs] = reply.isTour
        ? [Number.POSITIVE_INFINITY, tourDelayMs * tourSlowness]
        : [maxPieces, pieceDelayMs];
      const stream = (type: 'text' | 'reasoning', words: string) =>
        streamText(type, piecesOf(words, most), delayMs, call);
      const reasoning = reply.reasoning ? await stream('reasoning', reply.reasoning) : '';
      const text = await stream('text', answerText(reply, request));
      if (call.signal.aborted)
        return {
          ...unanswered(request.model, modelError('aborted', 'the call was aborted')),
          reasoning,
          text,
        };
      return answer(request, { reasoning, text, toolCalls: streamCalls(reply, request, call) });
    },
  };
}

/** With an output schema the last answer is JSON; see {@link fillSchema} for what the demo can do about that. */
function answerText({ text, calls }: Reply, { output }: ModelRequest): string {
  return output && calls.length === 0 ? JSON.stringify(fillSchema(output.schema, text)) : text;
}

function streamCalls(reply: Reply, request: ModelRequest, { onDelta }: GenerateOptions): ModelToolCall[] {
  return reply.calls.map((call, index) => {
    const id = `demo_${request.messages.length}_${index}`;
    const [name, argumentsDelta] = [call.tool, JSON.stringify(call.args)];
    onDelta({ type: 'toolCall', index, id, name, argumentsDelta });
    return { id, name, arguments: argumentsDelta };
  });
}

function answer(
  request: ModelRequest,
  { reasoning, text, toolCalls }: Pick<ModelAnswer, 'reasoning' | 'text' | 'toolCalls'>,
): ModelAnswer {
  const hasCalls = toolCalls.length > 0;
  return {
    model: request.model,
    text,
    reasoning,
    refusal: '',
    toolCalls,
    finishReason: hasCalls ? 'tool_calls' : 'stop',
    finish: hasCalls ? 'toolCalls' : 'stop',
    error: null,
    usage: {
      inputTokens: estimatedTokens(JSON.stringify([request.messages, request.tools])),
      outputTokens: estimatedTokens(
        reasoning + text + toolCalls.map((call) => call.name + call.arguments).join(''),
      ),
      cachedInputTokens: 0,
      reasoningTokens: estimatedTokens(reasoning),
    },
  };
}

function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/**
 * A small value for a schema, with the demo's words in the first free text: it understands no schema, and says so there. Required
 * properties, constants, defaults and first choices are looked at, references and limits are not, so the value may not fit.
 */
function fillSchema(schema: unknown, words: string): JsonValue {
  let rest = words;
  const valueFor = (part: unknown): JsonValue => {
    if (!isObject(part)) return null;
    const { const: constant, enum: choices, default: usual, anyOf, type, properties, required } = part;
    const given = constant ?? (Array.isArray(choices) ? choices[0] : usual);
    if (given !== undefined) return given as JsonValue;
    if (Array.isArray(anyOf)) return valueFor(anyOf[0]);
    if (type === 'string') {
      const text = rest;
      rest = '';
      return text;
    }
    if (type === 'integer' || type === 'number') return typeof part.minimum === 'number' ? part.minimum : 0;
    if (type === 'boolean') return false;
    if (type === 'array') return [];
    const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
    const parts = isObject(properties) ? properties : {};
    return type === 'null' ? null : Object.fromEntries(names.map((name) => [name, valueFor(parts[name])]));
  };
  return valueFor(schema);
}

/**
 * Hands a text to `onDelta` in pieces, `pieceDelayMs` apart, and returns what was handed out: all of it, or what came
 * before the abort.
 */
async function streamText(
  type: 'text' | 'reasoning',
  pieces: readonly string[],
  pieceDelayMs: number,
  { signal, onDelta }: Pick<GenerateOptions, 'signal' | 'onDelta'>,
): Promise<string> {
  let streamed = '';
  for (const piece of pieces) {
    if (streamed !== '' && pieceDelayMs > 0)
      await setTimeout(pieceDelayMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return streamed;
    streamed += piece;
    onDelta({ type, text: piece });
  }
  return streamed;
}

/**
 * A text in at most so many pieces: its words, each with the space after it, or pairs of characters where the writing has no spaces.
 * Several words are a piece if there are more.
 */
function piecesOf(text: string, maxPieces: number): string[] {
  const words = text.match(/\p{Script=Han}{1,2}[^\p{Script=Han}\s]*\s*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];
  const size = Math.max(1, Math.ceil(words.length / maxPieces));
  return Array.from({ length: Math.ceil(words.length / size) }, (_, n) =>
    words.slice(n * size, (n + 1) * size).join(''),
  );
}
