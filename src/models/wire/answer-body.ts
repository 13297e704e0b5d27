import type { ModelAnswer, ModelError } from '../../protocol/answer.ts';
import type { AnswerBodyOptions, AnswerReader, BodyFormat } from './answer-reader.ts';
import { EventBody } from './event-body.ts';
import { cutOff } from './model-error.ts';
import { WholeBody } from './whole-body.ts';

/**
 * Reads the body of a successful response: an event stream or, from servers that do not stream, one JSON object. Its
 * first character tells which, as content types lie.
 */
export class AnswerBody {
  readonly #answer: AnswerReader;
  readonly #options: Required<AnswerBodyOptions>;
  #format: BodyFormat | undefined;

  constructor(answer: AnswerReader, { origin, kind, maxChars = 32 * 1024 * 1024 }: AnswerBodyOptions) {
    this.#answer = answer;
    this.#options = { origin, kind, maxChars };
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
    this.#format = new Format(this.#answer, this.#options);
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
      this.#format ? this.#format.end(failure) : (failure ?? cutOff(this.#options.origin)),
    );
  }
}

/** White space and the byte order mark, which mean nothing at the start of either format. */
const blanks = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const wholeStarts = new Set(['{', '[', '<', '"'].map((character) => character.charCodeAt(0)));
