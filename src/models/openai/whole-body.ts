import type { ModelError } from '../../protocol/answer.ts';
import { parseJson } from '../../protocol/json.ts';
import { modelError, tooLong } from '../model-error.ts';
import type { ChatAnswer } from './chat-answer.ts';
import type { BodyFormat } from './chat-body.ts';

/** An answer as one JSON object, from a server that does not stream; or what a wrong address answers with. */
export class WholeBody implements BodyFormat {
  readonly #answer: ChatAnswer;
  readonly #origin: string;
  readonly #maxChars: number;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(answer: ChatAnswer, origin: string, maxChars: number) {
    this.#answer = answer;
    this.#origin = origin;
    this.#maxChars = maxChars;
  }

  feed(chunk: Uint8Array): boolean {
    this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#text.length > this.#maxChars) tooLong(this.#origin, this.#maxChars);
    return false;
  }

  end(failure: ModelError | undefined): ModelError | null {
    const body = parseJson(this.#text);
    // Gemini wraps errors in a list.
    this.#answer.add(Array.isArray(body) ? body[0] : body);
    if (this.#answer.error || this.#answer.began) return null;
    if (failure) return failure;
    const what = this.#text.startsWith('<') ? 'a web page' : 'something that is no chat completion';
    return modelError('malformed', `${this.#origin} answered with ${what}. Check the base URL.`, {
      retryable: false,
    });
  }
}
