import type { ModelAnswer } from '../../protocol/content.ts';

/** Words in errors of servers that fail because of an output format instead of refusing it. */
const aboutFormat = /response_format|json_?schema|json schema|structured|grammar|\bformat\b/i;

/**
 * Whether a server may have refused a request because of its output format: the words of refusals differ too much to read
 * them. The same request without the format tells.
 */
export function mayHaveRefusedFormat({ error, text, reasoning, toolCalls }: ModelAnswer): boolean {
  if (!error || error.code === 'MODEL_CONTEXT_OVERFLOW') return false;
  if (text !== '' || reasoning !== '' || toolCalls.length > 0) return false;
  if (error.kind === 'bad_request') return true;
  return error.kind === 'server' && aboutFormat.test(error.message);
}
