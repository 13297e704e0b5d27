import type { ModelRequest, PromptMessage } from '../../protocol/ports.ts';

/**
 * The request with its output schema as an instruction at the end of the system prompt: for models whose provider cannot
 * hold an answer to a schema, or may ignore that it was asked to. A request without an output schema stays as it is.
 */
export function withOutputInstruction(request: ModelRequest): ModelRequest {
  if (!request.output) return request;
  const text = `Your last answer, the one without tool calls, must be JSON that fits this JSON Schema, and nothing else: no other words, no code fence.\n${JSON.stringify(request.output.schema)}`;
  const [first, ...rest] = request.messages;
  const messages: PromptMessage[] =
    first?.role === 'system'
      ? [{ role: 'system', text: `${first.text}\n\n${text}` }, ...rest]
      : [{ role: 'system', text }, ...request.messages];
  return { ...request, messages };
}
