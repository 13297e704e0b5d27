/** Where servers of the chat-completions wire differ in what they accept. All of it is data: no request knows names. */
export interface Quirks {
  /** The field that limits an answer. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether `stream_options` may ask for usage in the stream. */
  streamUsage: boolean;
  /** Which ids of calls are taken: any, those of at most 40 characters, or of exactly nine letters and digits. */
  callIds: 'any' | 'max40' | 'alphanumeric9';
  /** What stands for the text of an answer that has calls only. */
  noText: 'null' | 'empty';
  /**
   * Whether `reasoning_content` goes back: never (the field is refused), with the calls it was given with, or always; in
   * the last case an answer with calls has it even when none was given, and then it is empty.
   */
  reasoning: 'never' | 'withCalls' | 'always';
  /**
   * How strict the order of messages is: `free`; `answered`, where an answer must stand between results and the user; or
   * `alternating`, where moreover no two messages of the user may follow one another.
   */
  turns: 'free' | 'answered' | 'alternating';
  /** The role of instructions; `user` for models without any role for them. */
  systemRole: 'system' | 'developer' | 'user';
  /** Sent as `parallel_tool_calls` when there are tools; null sends nothing. */
  parallelCalls: boolean | null;
}

/** What most servers take: the default. */
export const usualQuirks: Quirks = {
  maxTokensField: 'max_tokens',
  streamUsage: true,
  callIds: 'any',
  noText: 'null',
  reasoning: 'withCalls',
  turns: 'free',
  systemRole: 'system',
  parallelCalls: null,
};
