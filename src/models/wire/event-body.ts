import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { ModelError } from '../../protocol/content.ts';
import { parseJson } from '../../protocol/json.ts';
import type { AnswerBodyOptions, AnswerReader, BodyFormat } from './answer-reader.ts';
import { cutOff, malformed, tooLong } from './model-error.ts';

/**
 * An answer as an event stream. A finish reason, `[DONE]` or the reader's `isOver` completes it, and losing the
 * connection afterwards does no harm. A stream that ends without any of them was cut off.
 */
export class EventBody implements BodyFormat {
  readonly #answer: AnswerReader;
  readonly #origin: string;
  readonly #maxChars: number;
  readonly #events: SseReader;
  #isDone = false;

  constructor(answer: AnswerReader, { origin, maxChars }: Required<AnswerBodyOptions>) {
    this.#answer = answer;
    this.#origin = origin;
    this.#maxChars = maxChars;
    this.#events = new SseReader(maxChars);
  }

  feed(chunk: Uint8Array): boolean {
    for (const { event, data } of this.#events.read(chunk)) {
      if (this.#isComplete) break;
      const text = data.trim();
      const message = text === '[DONE]' ? undefined : parseJson(text);
      if (text === '[DONE]') this.#isDone = true;
      else if (event === 'error') this.#answer.fail(message ?? text);
      else if (message !== undefined) this.#answer.add(message, event);
      // A named keep-alive event need not be JSON; data that begins like JSON is broken.
      else if (text.startsWith('{') || (event === 'message' && text !== '')) malformed(this.#origin, text);
      if (this.#answer.size > this.#maxChars) tooLong(this.#origin, this.#maxChars);
    }
    if (this.#events.isTooLong) tooLong(this.#origin, this.#maxChars);
    return this.#isComplete;
  }

  end(failure: ModelError | undefined): ModelError | null {
    if (this.#isOver || this.#answer.finishReason !== null) return null;
    return failure ?? cutOff(this.#origin);
  }

  get #isOver(): boolean {
    return this.#isDone || this.#answer.isOver;
  }

  get #isComplete(): boolean {
    return this.#isOver || this.#answer.error !== null;
  }
}

export interface SseEvent {
  /** `message` when the stream names none. */
  event: string;
  data: string;
  lastEventId: string;
}

/**
 * Reads server-sent events from bytes by the WHATWG algorithm: UTF-8 with replacement characters, one leading BOM, any
 * of the three line ends. Lines that cannot matter (comments, unknown fields) are skipped without being kept.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export class SseReader {
  lastEventId = '';
  /** The reconnection time the stream asked for, in milliseconds. */
  retryMs: number | null = null;
  /** An event outgrew the limit. Nothing can be read after it. */
  isTooLong = false;
  #events: SseEvent[] = [];
  // The parser strips the BOM itself; a decoder that did so too would strip two.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser: EventSourceParser;

  constructor(maxEventChars: number) {
    this.#parser = createParser({
      maxBufferSize: maxEventChars,
      onId: (id) => {
        this.lastEventId = id;
      },
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      onEvent: ({ event = 'message', data }) => {
        this.#events.push({ event, data, lastEventId: this.lastEventId });
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.isTooLong = true;
      },
    });
  }

  /** The events that the next bytes complete; they may be cut anywhere, even inside a character. */
  read(chunk: Uint8Array): SseEvent[] {
    this.#events = [];
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    return this.#events;
  }
}
