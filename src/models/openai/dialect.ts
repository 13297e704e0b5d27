/** Where chat-completions servers differ in what they accept. */
export interface Dialect {
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether to ask for usage in the stream. */
  streamOptions: boolean;
}

/**
 * Tells a server's dialect from its host name.
 *
 * OpenAI and Azure refuse `max_tokens` for their reasoning models; most others know nothing else. Mistral refuses
 * unknown fields, `stream_options` among them (it sends the usage anyway):
 * https://github.com/openai/openai-agents-python/issues/442
 */
export function dialectOf(hostname: string): Dialect {
  return {
    maxTokensField: isAt(hostname, 'openai.com', 'openai.azure.com') ? 'max_completion_tokens' : 'max_tokens',
    streamOptions: !isAt(hostname, 'mistral.ai'),
  };
}

function isAt(hostname: string, ...domains: string[]): boolean {
  return domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}
