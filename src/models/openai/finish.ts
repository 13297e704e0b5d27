import type { FinishKind, ModelErrorKind } from '../../protocol/content.ts';

const kinds = new Map<string, FinishKind>([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_calls', 'toolCalls'],
  ['tool_use', 'toolCalls'],
  ['function_call', 'toolCalls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'contentFilter'],
  ['sensitive', 'contentFilter'],
  ['safety', 'contentFilter'],
  ['refusal', 'refusal'],
]);

/** Finish reasons that report a failure of the provider: OpenRouter and Mistral, z.ai, DeepSeek. */
const failures = new Map<string, ModelErrorKind>([
  ['error', 'server'],
  ['network_error', 'server'],
  ['insufficient_system_resource', 'overloaded'],
]);

/**
 * Maps a provider's finish reason to ours. Many servers say `stop` whatever they send (Gemini, older Ollama), and
 * OpenAI says `stop` after a refusal: for `stop` the content of the answer decides.
 */
export function finishKind(
  reason: string | null,
  came: { toolCalls: boolean; refusal: boolean },
): FinishKind {
  const kind = kinds.get(reason?.toLowerCase() ?? '') ?? 'unknown';
  if (kind !== 'stop') return kind;
  if (came.toolCalls) return 'toolCalls';
  return came.refusal ? 'refusal' : 'stop';
}

/** The kind of failure that a finish reason reports, or undefined when it reports none. */
export function failureOfFinish(reason: string | null): ModelErrorKind | undefined {
  return failures.get(reason?.toLowerCase() ?? '');
}
