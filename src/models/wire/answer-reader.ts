import type { ModelAnswer, ModelError } from '../../protocol/answer.ts';

/** Puts an answer together from what a provider sends: the events of a stream, or one whole answer. */
export interface AnswerReader {
  /** Set once the provider reported an error inside the answer; nothing more is expected then. */
  readonly error: ModelError | null;
  /** Whether anything of an answer has come. */
  readonly began: boolean;
  /** Whether the provider said that the answer is over: nothing that comes after it matters. */
  readonly isOver: boolean;
  /** The provider's reason to end; with one, an answer is complete whatever becomes of its connection. */
  readonly finishReason: string | null;
  /** At least how many characters are kept so far. */
  readonly size: number;
  /** Takes one event or one whole answer, whatever it is. Throws only what `onDelta` throws. */
  add(message: unknown, event?: string): void;
  /** Takes the data of an event that says it is an error. */
  fail(report: unknown): void;
  /**
   * The answer as far as it came.
   *
   * @param model the name to give when the provider gave none
   * @param failure why nothing more came; an error that the provider reported goes before it
   */
  build(model: string, failure: ModelError | null): ModelAnswer;
}

export interface AnswerBodyOptions {
  /** Whom we called, for messages. */
  origin: string;
  /** What a whole answer is called, for messages: `chat completion`. */
  kind: string;
  /** Largest event, and largest answer, in characters. Default 32 Mi. */
  maxChars?: number;
}

/** One of the two formats that the body of an answer can have. */
export interface BodyFormat {
  /** Takes the next bytes, cut anywhere. @returns true when the answer is complete and the rest does not matter */
  feed(chunk: Uint8Array): boolean;
  /**
   * Judges what came.
   *
   * @param failure what ended the body early; undefined when it ended by itself
   * @returns why the answer is not complete, or null
   */
  end(failure: ModelError | undefined): ModelError | null;
}
