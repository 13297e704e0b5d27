import type { ChatModel, GenerateOptions, ModelRequest } from '../../ports/chat-model.ts';
import { type ModelAnswer, type ModelToolCall, unanswered } from '../../protocol/answer.ts';
import { fillSchema } from './fill-schema.ts';
import { demoPrice } from './price.ts';
import { replyTo } from './reply.ts';
import type { Reply } from './reply.types.ts';
import type { DemoCall } from './rules/rule.ts';
import { fewPieces, streamText, wordPieces } from './stream.ts';

export { summaryRequestPrefix } from './summary.ts';

export interface DemoModelOptions {
  /** Milliseconds between two pieces of the answer, so that a person sees it stream. The tour is slower. Default 0. */
  pieceDelayMs?: number;
}

/** The tour is to be read while it streams: some thirty words a second at the usual 10 ms. */
const tourSlowness = 3;
/** How long the provider that the tour plays is busy, in pieces: two seconds at the usual 10 ms. */
const busyPieces = 200;

/**
 * The model that answers when no other is configured: fixed rules, English and Chinese, which call real tools.
 *
 * It says in its first words that it is a demo and no language model. Its answer is a pure function of the request's
 * messages and tools; it keeps no state, calls no network, and needs no key. It calls only tools that the request
 * offers, at most two rounds for a message, and never repeats a failed call. With an output schema its words are in the
 * first text of the JSON. Token counts are estimates (characters
 * divided by four), because it has no tokenizer. It ignores `maxOutputTokens`, because its answers are short.
 *
 * `demo/tour`, or a message that asks for the tour, gets the guided tour: see `tour/script.ts`. It alone plays failures.
 *
 * Never throws. After an abort it returns an answer with error kind `aborted` and the text that it had streamed.
 *
 * @example
 * ```ts
 * const model = createDemoModel();
 * const answer = await model.generate(
 *   { model: 'demo', messages: [{ role: 'user', text: 'what is 12*(3+4)?' }], tools: [calculator] },
 *   { signal, idempotencyKey: 'run:1', onDelta: () => {} },
 * );
 * answer.toolCalls[0]?.arguments; // '{"expression":"12*(3+4)"}'
 * ```
 */
export function createDemoModel({ pieceDelayMs = 0 }: DemoModelOptions = {}): ChatModel {
  return {
    price: demoPrice,
    nativeOutput: true,
    async generate(request, call) {
      const effect = Number(/:(\d+)$/.exec(call.idempotencyKey)?.[1] ?? Number.NaN);
      const reply = replyTo(request, { effect, busyMs: pieceDelayMs * busyPieces });
      if (reply.error) return unanswered(request.model, reply.error);
      const [split, delayMs] = reply.isTour
        ? [wordPieces, pieceDelayMs * tourSlowness]
        : [fewPieces, pieceDelayMs];
      const stream = (type: 'text' | 'reasoning', words: string) =>
        streamText({ type, pieces: split(words) }, delayMs, call);
      const reasoning = reply.reasoning ? await stream('reasoning', reply.reasoning) : '';
      const text = await stream('text', wordsOf(reply, request));
      if (call.signal.aborted) return abortedAnswer(request, reasoning, text);
      return answer(request, { reasoning, text, toolCalls: streamCalls(reply, request, call) });
    },
  };
}

/** With an output schema the last answer is JSON; see {@link fillSchema} for what the demo can do about that. */
function wordsOf({ text, calls }: Reply, { output }: ModelRequest): string {
  return output && calls.length === 0 ? JSON.stringify(fillSchema(output.schema, text)) : text;
}

function streamCalls(reply: Reply, request: ModelRequest, { onDelta }: GenerateOptions): ModelToolCall[] {
  return reply.calls.map((call, index) => {
    const toolCall = toToolCall(call, `demo_${request.messages.length}_${index}`);
    const { id, name } = toolCall;
    onDelta({ type: 'toolCall', index, id, name, argumentsDelta: toolCall.arguments });
    return toolCall;
  });
}

function toToolCall({ tool, args }: DemoCall, id: string): ModelToolCall {
  return { id, name: tool, arguments: JSON.stringify(args) };
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
    usage: {
      inputTokens: estimatedTokens(JSON.stringify([request.messages, request.tools])),
      outputTokens: estimatedTokens(
        reasoning + text + toolCalls.map((call) => call.name + call.arguments).join(''),
      ),
      cachedInputTokens: 0,
      reasoningTokens: estimatedTokens(reasoning),
    },
    error: null,
  };
}

function abortedAnswer(request: ModelRequest, reasoning: string, text: string): ModelAnswer {
  return {
    ...answer(request, { reasoning, text, toolCalls: [] }),
    finishReason: null,
    finish: 'unknown',
    error: { kind: 'aborted', code: 'MODEL_ABORTED', message: 'the call was aborted', retryable: false },
  };
}

function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
