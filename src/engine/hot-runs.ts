import type { Clock } from './clock.ts';
import type { HotRun } from './commit.ts';

/** The runs that an engine moves now; all others are rows alone. */
export class HeldRuns {
  readonly #clock: Clock;
  readonly #hot = new Map<string, HotRun>();
  readonly #moving = new Set<string>();
  /** Runs whose last fact could not be stored: nobody moves them until they are taken again. */
  readonly #stalled = new Set<string>();
  #release: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As it was after its last commit; nothing for a run that must be read again. */
  get(runId: string): HotRun | undefined {
    return this.#hot.get(runId);
  }

  isMoving(runId: string): boolean {
    return this.#moving.has(runId);
  }

  isStalled(runId: string): boolean {
    return this.#stalled.has(runId);
  }

  keep(run: HotRun): void {
    this.#hot.set(run.row.id, run);
    this.#moving.add(run.row.id);
    this.#holdProcess();
  }

  /** It still moves, but whether its last commit was written only the rows know. */
  forget(runId: string): void {
    this.#hot.delete(runId);
  }

  letGo(runId: string): void {
    this.#hot.delete(runId);
    this.#moving.delete(runId);
    this.#holdProcess();
  }

  stall(runId: string): void {
    this.#stalled.add(runId);
    this.letGo(runId);
  }

  taken(run: HotRun): void {
    this.#stalled.delete(run.row.id);
    this.keep(run);
  }

  letAllGo(): void {
    this.#hot.clear();
    this.#moving.clear();
    this.#holdProcess();
  }

  /** A process with runs that are not parked has something to live for, even if only a back-off timer is left. */
  #holdProcess(): void {
    if (this.#moving.size > 0) this.#release ??= this.#clock.hold();
    else {
      this.#release?.();
      this.#release = null;
    }
  }
}
