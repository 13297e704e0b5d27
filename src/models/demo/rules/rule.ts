import type { JsonObject } from '../../../protocol/json.ts';
import type { Clause } from '../clause.ts';
import type { Bilingual, Language } from '../language.ts';

/** A tool call that a clause asks for. */
export interface DemoCall {
  tool: string;
  args: JsonObject;
  /** The argument to be filled with the result of the call before this one: "read a.txt, then write it to b.txt". */
  takesResultAs?: string;
}

/**
 * One kind of request that the demo understands: one tool, one file, one entry in the list of `rules/index.ts`.
 *
 * `match` sees one clause and must match all of it, from its first character to its last: that is what keeps
 * "I read a book yesterday" from reading a file. Clauses are short ({@link maxMessageLength}), and still no pattern
 * nests a quantifier in another, so matching cannot run away on hostile text.
 */
export interface Rule {
  readonly tool: string;
  /** True when the tool changes something; such calls are made only if the whole message was understood. */
  readonly changes: boolean;
  /** A prompt that works, shown in the help. */
  readonly example: Bilingual;
  match(clause: Clause): DemoCall | null;
  /** The text before the result in the answer, with its own colon or equals sign. */
  title(args: JsonObject, language: Language): string;
  /** A result as a person reads it, where the tool answers with data. Default: as it is. */
  readable?(result: string): string;
  /** The part of a result that a later call may take; null when the result is not what was asked for. Default: all of it. */
  handOn?(args: JsonObject, result: string): string | null;
}
