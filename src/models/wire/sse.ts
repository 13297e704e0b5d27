import { createParser, type EventSourceParser } from 'eventsource-parser';

export interface SseEvent {
  /** `message` when the stream names none. */
  event: string;
  data: string;
  lastEventId: string;
}

interface SseReaderOptions {
  onEvent(event: SseEvent): void;
  /** Called when an event outgrows `maxEventChars`. Must throw, because the reader cannot continue after it. */
  onTooLong(): never;
  maxEventChars: number;
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
  // The parser strips the BOM itself; a decoder that did so too would strip two.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser: EventSourceParser;

  constructor({ onEvent, onTooLong, maxEventChars }: SseReaderOptions) {
    this.#parser = createParser({
      maxBufferSize: maxEventChars,
      onId: (id) => {
        this.lastEventId = id;
      },
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      onEvent: ({ event = 'message', data }) => onEvent({ event, data, lastEventId: this.lastEventId }),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') onTooLong();
      },
    });
  }

  /** Takes the next bytes, cut anywhere, even inside a character. Throws only what the callbacks throw. */
  feed(chunk: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }
}
