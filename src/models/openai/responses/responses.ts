import { isDeepStrictEqual } from 'node:util';
import type { ModelAnswer, ModelError } from '../../../protocol/content.ts';
import type { ChatModel, ModelRequest } from '../../../protocol/ports.ts';
import { AnswerBody } from '../../wire/answer-body.ts';
import { Connection, type ConnectionOptions } from '../connection.ts';
import { ResponseAnswer } from './response-answer.ts';
import { type Reliance, responsesRequestBody } from './responses-request.ts';

interface ResponsesModelOptions extends ConnectionOptions {
  /**
   * True: the server stores the responses, and a request holds only what came after the last one. False: the server
   * stores nothing, and every request holds the whole conversation, including reasoning as the provider encrypted it.
   * Default: false.
   */
  threading?: boolean;
}

/**
 * A provider of chat models over the Responses wire: OpenAI, and every server compatible with it.
 *
 * Our own accumulator reads the answer. When the server has lost the response that a request begins after, or refuses items that it sent earlier, the client repeats the
 * request without them: the conversation is complete without them.
 *
 * @throws DetentError `INVALID_BASE_URL`, or `INVALID_HEADER` when HTTP cannot carry the key or a header
 * @example
 * ```ts
 * const openai = createResponsesModel({ baseURL: 'https://api.openai.com/v1', apiKey: process.env.OPENAI_API_KEY ?? null });
 * const answer = await openai.generate({ model: 'gpt-5-mini', messages, tools: [] }, options);
 * ```
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export function createResponsesModel(options: ResponsesModelOptions): ChatModel {
  const connection = new Connection(options);
  const { origin, hostname } = connection;
  const isOpenAI = hostname === 'api.openai.com';
  const { threading = false } = options;
  /** Models that have no reasoning to include, and refuse to be asked for it. */
  const withoutInclude = new Set<string>();
  /** Models that refused an output format. */
  const withoutFormat = new Set<string>();

  return {
    nativeOutput: true,
    async generate(request, { signal, idempotencyKey, onDelta }) {
      const { model, messages } = request;
      const include = !threading && !withoutInclude.has(model);
      let reliance: Reliance = {
        store: threading,
        thread: threading,
        include,
        items: true,
        strict: isOpenAI,
        output: mayAskForOutput(request, isOpenAI) && !withoutFormat.has(model),
      };
      let body = responsesRequestBody(request, reliance);
      let refusedFormat = false;
      for (let attempt = 1; ; attempt++) {
        const reader = new ResponseAnswer(origin, onDelta, { model, messages, threading });
        const answer = new AnswerBody(reader, { origin, kind: 'response' });
        // Under the same idempotency key a server might repeat its refusal.
        const key = attempt === 1 ? idempotencyKey : `${idempotencyKey}:${attempt}`;
        const question = { path: '/responses', body, answer };
        const made = await connection.ask(question, request, { signal, idempotencyKey: key });
        if (!made.error && attempt > 1 && refusedFormat) withoutFormat.add(model);
        const less = made.error && isEmpty(made) ? lessReliance(reliance, made.error) : null;
        const lessBody = less && responsesRequestBody(request, less);
        if (!less || !lessBody || isDeepStrictEqual(lessBody, body)) return made;
        if (reliance.include && !less.include) withoutInclude.add(model);
        refusedFormat ||= reliance.output && !less.output;
        reliance = less;
        body = lessBody;
      }
    },
  };
}

/** Beside tools only OpenAI's own server takes an output schema for certain. */
function mayAskForOutput({ output, tools }: ModelRequest, isOpenAI: boolean): boolean {
  return output?.schema.type === 'object' && (isOpenAI || tools.length === 0);
}

function isEmpty({ text, reasoning, refusal, toolCalls }: ModelAnswer): boolean {
  return text === '' && reasoning === '' && refusal === '' && toolCalls.length === 0;
}

/** The wordings of OpenAI and LM Studio. */
const threadLost = /previous[_ ]response|prediction history node|no tool (call|output) found/i;
const includeRefused = /\binclude\b|encrypted content is not supported/i;
/** Foreign or expired reasoning, references to missing items, or an item without its counterpart. */
const itemsRefused = /encrypted|reasoning|item with id|item '|input\[\d+\]|no tool (call|output) found/i;
const schemaRefused = /invalid schema for function|\bstrict\b/i;
const formatRefused = /text\.format|response_format|json_?schema|structured/i;

/** The weaker reliance to try after a server refused a request because of what the request relied on; null for any other refusal. */
export function lessReliance(reliance: Reliance, error: ModelError): Reliance | null {
  const { kind, code, providerCode, message } = error;
  if (kind !== 'bad_request' && kind !== 'not_found' && kind !== 'server') return null;
  // Relying on less does not make a prompt shorter.
  if (code === 'MODEL_CONTEXT_OVERFLOW') return null;
  const said = `${providerCode ?? ''} ${message}`;
  if (reliance.output && formatRefused.test(said)) return { ...reliance, output: false };
  if (reliance.thread && threadLost.test(said)) return { ...reliance, thread: false };
  if (kind === 'server') return null;
  if (reliance.strict && schemaRefused.test(said)) return { ...reliance, strict: false };
  if (reliance.include && includeRefused.test(said)) return { ...reliance, include: false };
  if (reliance.items && itemsRefused.test(said)) return { ...reliance, items: false };
  // Last, because it needs no words: servers refuse a field that they do not know in many.
  if (reliance.output && kind === 'bad_request') return { ...reliance, output: false };
  return null;
}
