import type { RunTrace } from '../../../protocol/views.ts';
import type { RunRow } from '../../../store/rows.ts';
import { isImported } from '../../../store/stored-run.ts';
import { KeyedQueue } from '../../../text/limiter.ts';
import { noLog } from '../../rows/imported.ts';
import { type TracePlace, Tracer, type Tracing } from './trace.ts';

/** Bytes that are kept, of all runs together; what was asked for last is always kept. */
const maxKept = 16_000_000;

/**
 * The traces of runs. Keeps the last ones: the web page reads a long run in parts, and reads a live run again after
 * each transition, so that only new transitions are folded.
 */
export class Traces {
  readonly #tracing: Tracing;
  /** By the run's key; the one that was asked for last is the last. */
  readonly #kept = new Map<number, Tracer>();
  readonly #turns = new KeyedQueue();

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** @throws DetentError `NO_LOG` for an imported run. */
  async read(row: RunRow, place: TracePlace): Promise<RunTrace> {
    if (isImported(row)) throw noLog(row.id);
    // One reader at a time lets a tracer follow the log; a reader with an older row has nothing to add.
    return this.#turns.enqueue(String(row.pk), async () => {
      const known = this.#kept.get(row.pk);
      const tracer = known?.reaches(place.afterSeq) ? known : new Tracer(this.#tracing);
      this.#kept.delete(row.pk);
      await tracer.follow(row, place);
      this.#kept.set(row.pk, tracer);
      this.#drop();
      return tracer.page(row, place);
    });
  }

  #drop(): void {
    let bytes = [...this.#kept.values()].reduce((sum, tracer) => sum + tracer.bytes, 0);
    for (const [pk, tracer] of this.#kept) {
      if (bytes <= maxKept || this.#kept.size === 1) return;
      this.#kept.delete(pk);
      bytes -= tracer.bytes;
    }
  }
}
