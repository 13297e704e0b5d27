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
  const reader = new SseReader(1_000);
  for (const piece of pieces) {
    events.push(...reader.read(piece));
    if (reader.isTooLong) throw new Error('too long');
  }
  return { events, lastEventId: reader.lastEventId, retry: reader.retryMs };
}
