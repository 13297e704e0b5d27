import type { RunTrace } from '../../../protocol/run-trace.ts';
import type { RunRow } from '../../../store/rows.ts';
import { noLog } from '../../imported.ts';
import { isImported } from '../../is-imported.ts';
import { type TracePlace, Tracer, type Tracing } from './trace.ts';

/** Transitions that are kept, of all runs together; those of the run that was asked for last are always kept. */
const maxKept = 20_000;

/**
 * The traces of runs. It keeps the last ones: a page reads a long run in parts, and asks again whenever a live one has moved,
 * and only what is new is folded.
 */
export class Traces {
  readonly #tracing: Tracing;
  /** By the run's key; the one that was asked for last is the last. */
  readonly #kept = new Map<number, { tracer: Tracer; following: Promise<void> }>();

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** @throws DetentError `NO_LOG` for an imported run. */
  async read(row: RunRow, place: TracePlace): Promise<RunTrace> {
    if (isImported(row)) throw noLog(row.id);
    const kept = this.#kept.get(row.pk) ?? {
      tracer: new Tracer(this.#tracing),
      following: Promise.resolve(),
    };
    const { tracer } = kept;
    this.#kept.delete(row.pk);
    this.#kept.set(row.pk, kept);
    // One reader at a time lets it follow the log; a reader with an older row has nothing to add.
    kept.following = kept.following.then(() => tracer.follow(row));
    try {
      await kept.following;
    } catch (error) {
      this.#kept.delete(row.pk);
      throw error;
    }
    this.#drop(row.pk);
    return tracer.page(row, place);
  }

  #drop(newest: number): void {
    let size = [...this.#kept.values()].reduce((sum, { tracer }) => sum + tracer.size, 0);
    for (const [pk, { tracer }] of this.#kept) {
      if (size <= maxKept || pk === newest) return;
      this.#kept.delete(pk);
      size -= tracer.size;
    }
  }
}
