import type { FinishKind } from '../../protocol/answer.ts';

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
export function finishKind(reason: string | null, hasToolCalls: boolean): FinishKind {
  const kind = kinds.get(reason?.toLowerCase() ?? '') ?? 'unknown';
  return kind === 'stop' && hasToolCalls ? 'toolCalls' : kind;
}
