/** How servers of the chat-completions wire differ in what they accept. Request code reads this, never provider names. */
export interface Quirks {
  /** The field for the maximum tokens of an answer. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether `stream_options` may ask for usage in the stream. */
  streamUsage: boolean;
  /** Accepted call ids: any, at most 40 characters, or exactly nine letters and digits. */
  callIds: 'any' | 'max40' | 'alphanumeric9';
  /** The `content` of an answer that has calls and no text. */
  noText: 'null' | 'empty';
  /**
   * Whether requests send `reasoning_content` back: `never` (the server refuses the field), `withCalls` (in answers with
   * tool calls), or `always`. With `always`, an answer with calls that came without reasoning gets an empty one.
   */
  reasoning: 'never' | 'withCalls' | 'always';
  /**
   * The required order of messages: `free`; `answered`: an answer must come between tool results and a user message; or
   * `alternating`: also, no two user messages in a row.
   */
  turns: 'free' | 'answered' | 'alternating';
  /** The role of the system prompt; `user` for models that have no role for it. */
  systemRole: 'system' | 'developer' | 'user';
  /** Sent as `parallel_tool_calls` when there are tools; null sends nothing. */
  parallelCalls: boolean | null;
  /**
   * How the server is asked for an answer that fits an output schema. `enforced`: by a JSON schema that it holds answers
   * to. `schema`: by a JSON schema, which it may ignore. `object`: by the JSON mode, which knows no schema. `none`: not at
   * all. Except with `enforced`, the prompt asks, too.
   */
  output: 'enforced' | 'schema' | 'object' | 'none';
  /** Whether it takes that beside tools. Many servers refuse both at once, or never call a tool then. */
  outputWithTools: boolean;
}

/** The defaults, which most servers accept. */
export const usualQuirks: Quirks = {
  maxTokensField: 'max_tokens',
  streamUsage: true,
  callIds: 'any',
  noText: 'null',
  reasoning: 'withCalls',
  turns: 'free',
  systemRole: 'system',
  parallelCalls: null,
  output: 'schema',
  outputWithTools: false,
};
