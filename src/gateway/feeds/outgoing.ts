import type { RunDelta, RunEvent } from '../../index.ts';
import { runDeltaPayloads, runEventPayloads } from '../../protocol/run-events.ts';
import { hidden, valueFor } from '../access/client-answers.ts';
import type { Reader as Kind } from '../access/client-words.ts';

const payloads = { ...runEventPayloads, ...runDeltaPayloads };

/** One event on its way to several readers: each form of it is made once. */
export class Outgoing {
  readonly event: RunEvent | RunDelta;
  #frame: Buffer | null = null;
  #sse: string | null = null;
  readonly #read = new Map<string, Outgoing | null>();

  constructor(event: RunEvent | RunDelta) {
    this.event = event;
  }

  /** The same as a client of a kind reads it; null for an event that is hidden from it. @param self the client, as the log names it */
  as(kind: Kind, self: string): Outgoing | null {
    const { event } = this;
    const { sentBy } = event.payload as { sentBy?: string };
    const form = sentBy === self ? `${kind}, its own` : kind;
    const known = this.#read.get(form);
    if (known !== undefined) return known;
    const payload = valueFor(kind, payloads[event.event], event.payload, self);
    const read =
      payload === event.payload
        ? this
        : payload === hidden
          ? null
          : new Outgoing({ ...event, payload } as RunEvent);
    this.#read.set(form, read);
    return read;
  }

  /** The whole WebSocket frame. */
  get frame(): Buffer {
    this.#frame ??= textFrame(JSON.stringify({ type: 'event', ...this.event }));
    return this.#frame;
  }

  /** The text of the server-sent event. Only the last event of a transition has an id: a reader resumes after whole ones. */
  get sse(): string {
    const { event } = this;
    const id = 'seq' in event && event.last ? `id: ${event.seq}\n` : '';
    this.#sse ??= `${id}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
    return this.#sse;
  }
}

/** Longest payloads whose length stands in the first bytes of a frame, and in two more. */
const shortest = 125;
const middle = 0xffff;

/**
 * A whole text frame of a WebSocket server, as it goes over the connection: unmasked, not compressed, so that the same bytes
 * can go to every client. See RFC 6455, section 5.2.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headerLength = length <= shortest ? 2 : length <= middle ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + length);
  // Final, text.
  frame[0] = 0x81;
  if (length <= shortest) frame[1] = length;
  else if (length <= middle) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headerLength);
  return frame;
}
