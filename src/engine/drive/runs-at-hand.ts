import type { RunRow } from '../../store/rows.ts';
import type { Attempt } from './attempt.ts';
import { RunAtHand, type RunOwner, type RunParts } from './run-at-hand.ts';

/** The runs that this process has in memory, by tenant and id. */
export class RunsAtHand {
  readonly #runs = new Map<string, RunAtHand>();
  readonly #owner: RunOwner;
  readonly #parts: RunParts;

  constructor(owner: RunOwner, parts: RunParts) {
    this.#owner = owner;
    this.#parts = parts;
  }

  /** The run in memory; it is added if it is not there yet. */
  at(run: Pick<RunRow, 'tenant' | 'id'>): RunAtHand {
    const found = this.find(run);
    if (found) return found;
    const made = new RunAtHand(run, this.#owner, this.#parts);
    this.#runs.set(keyOf(run), made);
    return made;
  }

  /** The run if it is in memory. */
  find(run: Pick<RunRow, 'tenant' | 'id'>): RunAtHand | undefined {
    return this.#runs.get(keyOf(run));
  }

  leave(run: RunAtHand): void {
    this.#runs.delete(keyOf(run));
  }

  /**
   * Loses the runs that another driver has moved. While an effect hangs, a timer row that has gone may be the only sign
   * of that.
   */
  async findLost(): Promise<void> {
    for (const run of this.all()) if (run.hot) await run.inTurn(() => run.loseIfTaken());
  }

  /**
   * Moves the deadlines of runs at work: they are stored as times of the clock, but only time in which a process worked
   * counts.
   */
  async skipLostTimes(): Promise<void> {
    const late = this.all().filter((run) => run.workedUntil() !== null);
    // A run that cannot be told now is told before its next event.
    await Promise.allSettled(late.map((run) => run.inTurn(() => run.skipLostTime())));
  }

  /** Aborts their effects in flight. Returns those that were not aborted before. */
  abortAll(): Attempt['place'][] {
    return this.all().flatMap((run) => run.abortAll());
  }

  /** Resolves when none of them works any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.all().map((run) => run.settled()));
  }

  letGo(): void {
    for (const run of this.all()) run.letGo();
  }

  all(): RunAtHand[] {
    return [...this.#runs.values()];
  }
}

const keyOf = ({ tenant, id }: Pick<RunRow, 'tenant' | 'id'>) => `${tenant} ${id}`;
