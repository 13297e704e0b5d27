import type { ModelAnswer, ModelError } from '../../protocol/content.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { modelErrorText } from '../../protocol/views.ts';
import type { AnswerBodyOptions, AnswerReader, BodyFormat } from './answer-reader.ts';
import { EventBody } from './event-body.ts';
import { cutOff, modelError, tooLong } from './model-error.ts';

/**
 * Reads the body of a successful response: an event stream or, from servers that do not stream, one JSON object. The
 * first character decides which, because servers send wrong content types.
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
   * Takes one event of a stream that a client of the program has read, or one whole answer.
   *
   * @returns true when the answer is complete and the rest does not matter
   */
  take(message: unknown): boolean {
    this.#format ??= new GivenBody(this.#answer, this.#options);
    this.#answer.add(
      message,
      isObject(message) && typeof message.type === 'string' ? message.type : undefined,
    );
    return this.#answer.isOver || this.#answer.error !== null;
  }

  /**
   * Builds the answer from what has come so far.
   *
   * @param model the name to give when the provider gave none
   * @param failure what cut the body off; left out when it ended normally
   */
  finish(model: string, failure?: ModelError): ModelAnswer {
    const answer = this.#answer.build(model, this.#whyIncomplete(failure));
    return answer.error && this.#answer.began ? { ...answer, began: true } : answer;
  }

  #whyIncomplete(failure: ModelError | undefined): ModelError | null {
    if (failure?.kind === 'aborted') return failure;
    return this.#format ? this.#format.end(failure) : (failure ?? cutOff(this.#options.origin));
  }
}

/** White space and the byte order mark, which both formats ignore at the start. */
const blanks = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const wholeStarts = new Set(['{', '[', '<', '"'].map((character) => character.charCodeAt(0)));

/** An answer as objects that somebody else has read. */
class GivenBody implements BodyFormat {
  readonly #answer: AnswerReader;
  readonly #origin: string;

  constructor(answer: AnswerReader, { origin }: Required<AnswerBodyOptions>) {
    this.#answer = answer;
    this.#origin = origin;
  }

  feed(): boolean {
    return true;
  }

  end(failure: ModelError | undefined): ModelError | null {
    if (this.#answer.isOver || this.#answer.finishReason !== null) return null;
    return failure ?? cutOff(this.#origin);
  }
}

/** An answer as one JSON object, from a server that does not stream; or the page of a wrong address. */
class WholeBody implements BodyFormat {
  readonly #answer: AnswerReader;
  readonly #options: Required<AnswerBodyOptions>;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(answer: AnswerReader, options: Required<AnswerBodyOptions>) {
    this.#answer = answer;
    this.#options = options;
  }

  feed(chunk: Uint8Array): boolean {
    const { origin, maxChars } = this.#options;
    this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#text.length > maxChars) tooLong(origin, maxChars);
    return false;
  }

  end(failure: ModelError | undefined): ModelError | null {
    const { origin, kind } = this.#options;
    const body = parseJson(this.#text);
    // Gemini wraps errors in a list.
    this.#answer.add(Array.isArray(body) ? body[0] : body);
    if (this.#answer.error || this.#answer.began) return null;
    if (failure) return failure;
    const message = this.#text.startsWith('<')
      ? modelErrorText('model_web_page', { origin })
      : modelErrorText('model_other_answer', { origin, kind });
    return modelError('malformed', message, { retryable: false });
  }
}
