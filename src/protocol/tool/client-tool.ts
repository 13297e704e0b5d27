import type { JsonObject } from '../json.ts';

/**
 * A tool that the caller of a run performs. The model sees it beside the agent's own. When the model calls it, the run
 * waits, with a pending call of kind `client`, until the caller gives the result.
 */
export interface ClientTool {
  /** `[A-Za-z0-9_-]`, at most 64 characters; no tool of the host has it. */
  name: string;
  /** For the model: what it does, when to use it. */
  description?: string;
  /** JSON Schema of type object, for the model. Detent checks only that arguments are a JSON object. Default: no arguments. */
  parameters?: JsonObject;
}

/** A client's result of a call. */
export interface ClientResult {
  /** Any text, also none. */
  text: string;
  /** The call failed: the model reads `text` as its error. */
  isError?: true;
}

/** The rule that policy names for calls of such tools. */
export const clientPerforms = 'the caller of the run performs it';
