import type { ModelError } from '../../protocol/answer.ts';
import { parseJson } from '../../protocol/json.ts';
import { cutOff, malformed, tooLong } from '../model-error.ts';
import { type SseEvent, SseReader } from '../sse.ts';
import type { ChatAnswer } from './chat-answer.ts';
import type { BodyFormat } from './chat-body.ts';

/**
 * An answer as an event stream. It is complete with a finish reason or with `[DONE]`, and a connection lost after that
 * does no harm; a stream that ends without either was cut off.
 */
export class EventBody implements BodyFormat {
  readonly #answer: ChatAnswer;
  readonly #origin: string;
  readonly #maxChars: number;
  readonly #events: SseReader;
  #done = false;

  constructor(answer: ChatAnswer, origin: string, maxChars: number) {
    this.#answer = answer;
    this.#origin = origin;
    this.#maxChars = maxChars;
    this.#events = new SseReader({
      onEvent: (event) => this.#onEvent(event),
      onTooLong: () => tooLong(origin, maxChars),
      maxEventChars: maxChars,
    });
  }

  feed(chunk: Uint8Array): boolean {
    this.#events.feed(chunk);
    return this.#done || this.#answer.error !== null;
  }

  end(failure: ModelError | undefined): ModelError | null {
    if (this.#done || this.#answer.finishReason !== null) return null;
    return failure ?? cutOff(this.#origin);
  }

  #onEvent({ event, data }: SseEvent): void {
    if (this.#done || this.#answer.error) return;
    const text = data.trim();
    if (text === '[DONE]') {
      this.#done = true;
      return;
    }
    const chunk = parseJson(text);
    if (event === 'error') this.#answer.fail(chunk ?? text);
    else if (chunk !== undefined) this.#answer.add(chunk);
    // Keep-alives with a name of their own need not be JSON.
    else if (event === 'message' && text !== '')
      malformed(this.#origin, `an event that is not JSON: ${text}`);
    if (this.#answer.size > this.#maxChars) tooLong(this.#origin, this.#maxChars);
  }
}
