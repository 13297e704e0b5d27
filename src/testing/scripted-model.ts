import { setTimeout as sleep } from 'node:timers/promises';
import type { FinishKind, ModelAnswer, ModelError, TokenUsage } from '../protocol/content.ts';
import { DetentError } from '../protocol/error.ts';
import type { ChatModel, GenerateOptions, ModelRequest } from '../protocol/ports.ts';

/** One answer of a scripted model. Fields left out are empty, or have the usual value. */
export interface ScriptedAnswer {
  text?: string;
  /** Instead of `text`: a value that is said as JSON, for runs with an output schema. */
  output?: unknown;
  reasoning?: string;
  refusal?: string;
  /** Arguments as an object, or as text when they should be odd. */
  toolCalls?: { name: string; arguments?: unknown; id?: string }[];
  finish?: FinishKind;
  finishReason?: string | null;
  usage?: Partial<TokenUsage>;
  /** Fails the call, after whatever else is given has been said. */
  error?: Partial<ModelError> & { message?: string };
}

/** One line of a script: an answer, or a function that makes one from what it is asked. */
export type ScriptLine =
  | ScriptedAnswer
  | ((request: ModelRequest, options: GenerateOptions) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface ScriptedModel extends ChatModel {
  /** What it was asked, in order. */
  readonly requests: readonly ModelRequest[];
  /** Throws unless every line was said and nothing was asked beyond them. */
  assertComplete(): void;
}

/**
 * A model that answers from a script, line by line: for tests of agents and tools.
 *
 * A call beyond the script fails, so that the run under test ends and `assertComplete` says why.
 *
 * @example
 * ```ts
 * const model = scriptedModel([
 *   { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
 *   { text: 'It is raining in Oslo.' },
 * ]); const detent = createDetent({ store: 'in-process', model: 'test/script', models: { test: model }, tools: {
 * define: [weather] } }); const { text } = await detent.run('Weather in Oslo?').result; model.assertComplete();
 * ```
 */
export function scriptedModel(script: readonly ScriptLine[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async generate(request, options) {
      const line = script[requests.length];
      requests.push(structuredClone({ ...request }));
      if (line === undefined)
        return answer(request, {
          error: { message: `the script has ${script.length} lines and was asked for one more` },
        });
      return say(request, typeof line === 'function' ? await line(request, options) : line, options);
    },
    assertComplete() {
      if (requests.length === script.length) return;
      throw new DetentError(
        'SCRIPT_INCOMPLETE',
        `the script has ${script.length} lines, and ${requests.length} were asked for`,
      );
    },
  };
}

/**
 * A model that answers by a rule, for demonstrations, and where a real one would cost: it keeps nothing, and has no end.
 *
 * @param rule the answer to a request; it reads what a model reads
 * @param pieceMs milliseconds between two pieces of its text, so that a person sees it stream. Default: it comes at once
 * @example
 * ```ts
 * const echo = ruleModel(({ messages }) => ({ text: `You said: ${messages.at(-1)?.text}` }));
 * ```
 */
export function ruleModel(
  rule: (request: ModelRequest, options: GenerateOptions) => ScriptedAnswer | Promise<ScriptedAnswer>,
  { pieceMs = 0 }: { pieceMs?: number } = {},
): ChatModel {
  return {
    price: { inputUsd: 0, outputUsd: 0 },
    async generate(request, options) {
      const said = await rule(request, options);
      if (pieceMs === 0) return say(request, said, options);
      const { signal, onDelta } = options;
      for (const text of said.text?.match(/.{1,12}/gsu) ?? []) {
        if (signal.aborted) break;
        onDelta({ type: 'text', text });
        await sleep(pieceMs, undefined, { signal }).catch(() => {});
      }
      return say(request, said, { ...options, onDelta: (delta) => delta.type !== 'text' && onDelta(delta) });
    },
  };
}

/** Says an answer, in one piece. */
export function say(request: ModelRequest, said: ScriptedAnswer, options: GenerateOptions): ModelAnswer {
  const whole = answer(request, said);
  if (options.signal.aborted)
    return { ...whole, error: failure({ kind: 'aborted', code: 'MODEL_ABORTED', message: 'aborted' }) };
  for (const type of ['reasoning', 'text', 'refusal'] as const)
    if (whole[type]) options.onDelta({ type, text: whole[type] });
  return whole;
}

function answer(request: ModelRequest, said: ScriptedAnswer): ModelAnswer {
  const toolCalls = (said.toolCalls ?? []).map((call, i) => ({
    id: call.id ?? `call_${i}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
  }));
  const finish = said.finish ?? (toolCalls.length > 0 ? 'toolCalls' : 'stop');
  return {
    model: request.model,
    text: said.text ?? (said.output === undefined ? '' : JSON.stringify(said.output)),
    reasoning: said.reasoning ?? '',
    refusal: said.refusal ?? '',
    toolCalls,
    finish,
    finishReason:
      said.finishReason === undefined ? (finish === 'toolCalls' ? 'tool_calls' : finish) : said.finishReason,
    usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0, ...said.usage },
    error: said.error ? failure(said.error) : null,
  };
}

function failure(error: NonNullable<ScriptedAnswer['error']>): ModelError {
  return {
    kind: 'bad_request',
    code: 'MODEL_BAD_REQUEST',
    message: 'scripted failure',
    retryable: false,
    ...error,
  };
}
