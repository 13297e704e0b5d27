import type { ModelAnswer, ModelDelta, ModelError } from '../../protocol/answer.ts';
import { cutOff } from '../model-error.ts';
import { ChatAnswer } from './chat-answer.ts';
import { EventBody } from './event-body.ts';
import { WholeBody } from './whole-body.ts';

export interface ChatBodyOptions {
  /** Whom we called, for messages. */
  origin: string;
  onDelta(delta: ModelDelta): void;
  /** Largest event, and largest answer, in characters. Default 32 Mi. */
  maxChars?: number;
}

/** One of the two formats that the body of an answer can have. */
export interface BodyFormat {
  /** See {@link ChatBody.feed}. */
  feed(chunk: Uint8Array): boolean;
  /**
   * Judges what came.
   *
   * @param failure what ended the body early; undefined when it ended by itself
   * @returns why the answer is not complete, or null
   */
  end(failure: ModelError | undefined): ModelError | null;
}

/**
 * Reads the body of a chat-completions response: an event stream or, from servers that do not stream, one JSON object.
 * Its first character tells which, as content types lie.
 */
export class ChatBody {
  readonly #origin: string;
  readonly #maxChars: number;
  readonly #answer: ChatAnswer;
  #format: BodyFormat | undefined;

  constructor({ origin, onDelta, maxChars = 32 * 1024 * 1024 }: ChatBodyOptions) {
    this.#origin = origin;
    this.#maxChars = maxChars;
    this.#answer = new ChatAnswer(origin, onDelta);
  }

  /**
   * Takes the next bytes, cut anywhere.
   *
   * @returns true when the answer is complete and the rest does not matter
   * @throws CallFailure of kind `malformed`, and what `onDelta` throws
   */
  feed(chunk: Uint8Array): boolean {
    if (this.#format) return this.#format.feed(chunk);
    const start = chunk.findIndex((byte) => !blanks.has(byte));
    if (start < 0) return false;
    const Format = wholeStarts.has(chunk[start] ?? 0) ? WholeBody : EventBody;
    this.#format = new Format(this.#answer, this.#origin, this.#maxChars);
    return this.#format.feed(chunk.subarray(start));
  }

  /**
   * The answer as far as it came.
   *
   * @param model the name to give when the provider gave none
   * @param failure what ended the body early; left out when it ended by itself
   */
  finish(model: string, failure?: ModelError): ModelAnswer {
    if (failure?.kind === 'aborted') return this.#answer.build(model, failure);
    return this.#answer.build(
      model,
      this.#format ? this.#format.end(failure) : (failure ?? cutOff(this.#origin)),
    );
  }
}

/** White space and the byte order mark, which mean nothing at the start of either format. */
const blanks = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const wholeStarts = new Set(['{', '[', '<', '"'].map((character) => character.charCodeAt(0)));
