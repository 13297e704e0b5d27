import type { RunDelta, RunEvent } from '../../protocol/run-events.ts';
import { Pieces } from './pieces.ts';

/** What a run tells its watchers. */
export type ClientEvent = RunEvent | RunDelta;

/**
 * Where one reader of a run is. It passes each event once and in order, over any number of connections: a connection that broke
 * within a transition brings the first events of that transition again.
 */
export class EventOrder {
  readonly #pieces = new Pieces();
  #wholeSeq: number;
  #seq: number;
  #index = -1;

  constructor(afterSeq: number) {
    this.#wholeSeq = afterSeq;
    this.#seq = afterSeq;
  }

  /** The last transition of which the reader has all events: it resumes behind this one. */
  get wholeSeq(): number {
    return this.#wholeSeq;
  }

  /** What the reader gets of an event that came. */
  take(event: ClientEvent): ClientEvent[] {
    if (!('seq' in event)) return this.#pieces.take(event);
    const { seq, index, last } = event;
    if (seq <= this.#wholeSeq || (seq === this.#seq && index <= this.#index)) return [];
    this.#seq = seq;
    this.#index = index;
    if (last) this.#wholeSeq = seq;
    return [...this.#pieces.before(event), event];
  }
}
