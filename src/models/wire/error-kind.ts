import type { ModelErrorKind } from '../../protocol/content.ts';
import type { Complaint } from './error-body.ts';

/** The classification of a provider's error report. */
interface Diagnosis {
  kind: ModelErrorKind;
  /** The prompt is longer than the model's context window. */
  contextOverflow: boolean;
  /** No credit or quota left: the same call will not succeed later. */
  outOfCredit: boolean;
}

/** Classifies by the HTTP status, or without one by the provider's codes; `server` when neither says anything. */
export function diagnose(complaint: Complaint): Diagnosis {
  const { status, message } = complaint;
  const words = complaint.words.map((word) => word.toLowerCase());
  const kind = (status === undefined ? kindOfWords(words) : kindOfStatus(status, words, message)) ?? 'server';
  // llama.cpp reports an overlong prompt as a fault of its own, which must not be retried.
  const refused = kind === 'bad_request' || kind === 'server';
  const contextOverflow = refused && (status === 413 || isContextOverflow(words, message));
  const outOfCredit =
    kind === 'rate_limit' &&
    (status === 402 || noCredit.test(message) || words.some((word) => creditWords.test(word)));
  return { kind: contextOverflow ? 'bad_request' : kind, contextOverflow, outOfCredit };
}

function kindOfStatus(status: number, words: string[], message: string): ModelErrorKind {
  const known = kindByStatus.get(status);
  if (known) return known;
  if (status >= 500) return 'server';
  if (noCredit.test(message)) return 'rate_limit';
  // Gemini and xAI answer 400 to a wrong key, Mistral and DeepSeek to an unknown model.
  const said = kindOfWords(words);
  if (said === 'auth' || wrongKey.test(message)) return 'auth';
  return said === 'not_found' || /^model not exist/i.test(message) ? 'not_found' : 'bad_request';
}

/** The first code that is more specific than "bad request" decides. */
function kindOfWords(words: string[]): ModelErrorKind | undefined {
  const kinds = words.map((word) => kindByWord.get(word)).filter((kind) => kind !== undefined);
  return kinds.find((kind) => kind !== 'bad_request') ?? kinds[0];
}

const wrongKey = /(invalid|incorrect|wrong) api.?key|api.?key (is )?(not valid|invalid)/i;

/** Anthropic says it with the status and type of a bad request. */
const noCredit = /credit balance is too low/i;

const creditWords = /insufficient_(quota|balance|funds|credits?)|billing|exceeded_current_quota|arrearage/;

const kindByStatus = new Map<number, ModelErrorKind>([
  [401, 'auth'],
  [402, 'rate_limit'],
  [403, 'permission'],
  [404, 'not_found'],
  [408, 'timeout'],
  [409, 'server'],
  [410, 'not_found'],
  [425, 'server'],
  [429, 'rate_limit'],
  [498, 'overloaded'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
]);

/** Types and codes of OpenAI, Anthropic, Gemini, Mistral, vLLM and Moonshot. */
const wordsByKind: Partial<Record<ModelErrorKind, string[]>> = {
  auth: ['authentication_error', 'invalid_api_key', 'invalid_authentication_error', 'unauthenticated'],
  permission: ['permission_denied', 'permission_error'],
  not_found: ['invalid_model', 'model_not_found', 'not_found', 'not_found_error', 'notfounderror'],
  bad_request: [
    'badrequesterror',
    'content_filter',
    'context_length_exceeded',
    'invalid_argument',
    'invalid_prompt',
    'invalid_request_error',
    'request_too_large',
    'tool_use_failed',
  ],
  rate_limit: [
    'billing_error',
    'exceeded_current_quota_error',
    'insufficient_quota',
    'rate_limit_error',
    'rate_limit_exceeded',
    'rate_limit_reached_error',
    'resource_exhausted',
  ],
  overloaded: [
    'engine_overloaded_error',
    'overloaded',
    'overloaded_error',
    'service_unavailable',
    'unavailable',
  ],
  timeout: ['deadline_exceeded', 'timeout_error'],
  server: ['api_error', 'internal', 'internal_error', 'internal_server_error', 'server_error'],
};

const kindByWord = new Map<string, ModelErrorKind>(
  (Object.keys(wordsByKind) as ModelErrorKind[]).flatMap((kind) =>
    (wordsByKind[kind] ?? []).map((word) => [word, kind] as const),
  ),
);

const overflowWords = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'model_max_prompt_tokens_exceeded',
  'request_too_large',
]);

/**
 * Each alternative is the wording of at least one provider: OpenAI, OpenRouter and DeepSeek ("maximum context length"),
 * Ollama ("max context length"), llama.cpp ("available context size"), LM Studio ("greater than the context length"),
 * MiniMax ("context window exceeds limit"), Anthropic and z.ai ("prompt is too long", "Prompt exceeds max length"), xAI
 * ("maximum prompt length is"), Groq ("reduce the length of the messages"), Gemini ("token count … exceeds the
 * maximum"), Copilot ("token count of … exceeds the limit of"), Kimi ("exceeded model token limit"), Bedrock ("input is
 * too long"), DashScope ("range of input length should be"), Hugging Face ("tokens + `max_new_tokens` must be").
 */
const overflowWording =
  /max(imum)? context length|context (window|size|length) (of|is|exceed)|(exceeds?|greater than|larger than) (the |this )?(model'?s? |available |maximum )*context|context.length.exceeded|(prompt|input) (is )?too long|prompt exceeds max length|maximum prompt length is|reduce the length of the (messages|input|prompt)|token count.*exceeds the (maximum|limit)|model token limit|too many (input |prompt )?tokens|range of input length should be|tokens \+ .?max_new_tokens.? must be/i;

/** Whether a refused request was refused for being longer than the model's context window. */
function isContextOverflow(providerWords: readonly string[], message: string): boolean {
  return providerWords.some((word) => overflowWords.has(word)) || overflowWording.test(message);
}
