import { isPiece, type RunPiece } from '../../protocol/run-events.ts';
import type { Sink } from '../feeds/feeds.ts';
import { Outgoing } from '../feeds/outgoing.ts';

const joinMs = 100;

/** Joins the pieces of answers that come within a tenth of a second. */
export class CompactSink implements Sink {
  readonly #sink: Sink;
  #held: RunPiece | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  send(outgoing: Outgoing): void {
    const { event } = outgoing;
    if ('seq' in event || !isPiece(event) || event.event === 'assistant.reset') {
      this.#flush();
      this.#sink.send(outgoing);
      return;
    }
    const joined = this.#held && join(this.#held, event);
    if (!joined) this.#flush();
    this.#held = joined ?? event;
    this.#timer ??= setTimeout(() => this.#flush(), joinMs).unref();
  }

  ready(): boolean | Promise<boolean> {
    return this.#sink.ready();
  }

  end(error?: unknown): void {
    this.#flush();
    this.#sink.end(error);
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#held) this.#sink.send(new Outgoing(this.#held));
    this.#held = null;
  }
}

/** The two pieces as one; null if the second does not follow the first. */
function join(first: RunPiece, second: RunPiece): RunPiece | null {
  if (first.event === 'assistant.reset' || second.event === 'assistant.reset') return null;
  const { effectId, attempt, offset, content } = first.payload;
  const next = second.payload;
  const kindOf = (delta: RunPiece) => ('contentType' in delta.payload ? delta.payload.contentType : '');
  const follows =
    first.event === second.event &&
    kindOf(first) === kindOf(second) &&
    effectId === next.effectId &&
    attempt === next.attempt &&
    offset + content.length === next.offset;
  return follows
    ? ({ ...first, payload: { ...first.payload, content: content + next.content } } as RunPiece)
    : null;
}
