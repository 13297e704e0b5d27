import type { ModelError } from '../../protocol/answer.ts';
import { parseJson } from '../../protocol/json.ts';
import type { AnswerBodyOptions, AnswerReader, BodyFormat } from './answer-reader.ts';
import { modelError, tooLong } from './model-error.ts';

/** An answer as one JSON object, from a server that does not stream; or what a wrong address answers with. */
export class WholeBody implements BodyFormat {
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
    const what = this.#text.startsWith('<') ? 'a web page' : `something that is no ${kind}`;
    return modelError('malformed', `${origin} answered with ${what}. Check the base URL.`, {
      retryable: false,
    });
  }
}
