import { type SseEvent, SseReader } from '../../../../src/models/wire/event-body.ts';
import { fixture } from '../recordings.ts';

interface Vector {
  name: string;
  base64: string;
  cuts: number[];
  expect: { events: SseEvent[]; lastEventId: string; retry: number | null };
}

/** Bytes, and the events that they are. */
export function sseVectors(): Vector[] {
  return fixture<Vector[]>('sse/vectors.json');
}

/** What an event stream reader makes of bytes. */
export function readEvents(pieces: readonly Uint8Array[]): Vector['expect'] {
  const events: SseEvent[] = [];
  const onTooLong = () => {
    throw new Error('too long');
  };
  const reader = new SseReader({ onEvent: (event) => events.push(event), onTooLong, maxEventChars: 1_000 });
  for (const piece of pieces) reader.feed(piece);
  return { events, lastEventId: reader.lastEventId, retry: reader.retryMs };
}
