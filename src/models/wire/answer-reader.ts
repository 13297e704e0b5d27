import type { ModelAnswer, ModelDelta, ModelError } from '../../protocol/content.ts';
import { reportedError } from './http-error.ts';

/** Assembles an answer from what a provider sends: the events of a stream, or one whole answer. Each wire has its own. */
export abstract class AnswerReader {
  /** Set once the provider reported an error inside the answer; nothing more is expected then. */
  error: ModelError | null = null;
  /** Whether anything of an answer has come. */
  began = false;
  /** Whether the provider has ended the answer; later events are ignored. */
  isOver = false;
  /** The provider's finish reason. With one, the answer is complete even if the connection breaks afterwards. */
  finishReason: string | null = null;
  /** Lower bound of the characters kept so far. */
  abstract readonly size: number;
  protected readonly pieces = { text: '', reasoning: '', refusal: '' };
  /** As the provider names it. */
  protected model = '';
  protected readonly origin: string;
  protected readonly onDelta: (delta: ModelDelta) => void;

  /** @param origin the server's origin, for error messages */
  constructor(origin: string, onDelta: (delta: ModelDelta) => void) {
    this.origin = origin;
    this.onDelta = onDelta;
  }

  /** Takes one event or one whole answer, whatever it is. Throws only what `onDelta` throws. */
  abstract add(message: unknown, event?: string): void;

  /** Takes the data of an event that says it is an error. */
  fail(report: unknown): void {
    this.error ??= reportedError(report, this.origin);
  }

  /**
   * Builds the answer from what has come so far.
   *
   * @param model the name to give when the provider gave none
   * @param failure why the body ended early; an error that the provider reported takes precedence
   */
  abstract build(model: string, failure: ModelError | null): ModelAnswer;
}

export interface AnswerBodyOptions {
  /** The server's origin, for error messages. */
  origin: string;
  /** The name of a whole answer, for error messages: `chat completion`. */
  kind: string;
  /** Largest event, and largest answer, in characters. Default 32 Mi. */
  maxChars?: number;
}

/** One of the two formats that the body of an answer can have. */
export interface BodyFormat {
  /** Takes the next bytes, cut anywhere. @returns true when the answer is complete and the rest does not matter */
  feed(chunk: Uint8Array): boolean;
  /**
   * Ends the body.
   *
   * @param failure what cut the body off; undefined when it ended normally
   * @returns why the answer is not complete, or null
   */
  end(failure: ModelError | undefined): ModelError | null;
}
