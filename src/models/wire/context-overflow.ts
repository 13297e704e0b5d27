const words = new Set([
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
 * too long"), DashScope ("range of input length should be").
 */
const wording =
  /max(imum)? context length|context (window|size|length) (of|is|exceed)|(exceeds?|greater than|larger than) (the |this )?(model'?s? |available |maximum )*context|context.length.exceeded|(prompt|input) (is )?too long|prompt exceeds max length|maximum prompt length is|reduce the length of the (messages|input|prompt)|token count.*exceeds the (maximum|limit)|model token limit|too many (input |prompt )?tokens|range of input length should be/i;

/** Whether a refused request was refused for being longer than the model's context window. */
export function isContextOverflow(providerWords: readonly string[], message: string): boolean {
  return providerWords.some((word) => words.has(word)) || wording.test(message);
}
