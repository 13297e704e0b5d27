import type { RunRow } from '../store/rows.ts';
import { type Clock, stepMs, workedMs } from './clock.ts';
import type { HotRun } from './commit.ts';

/** The standstill of a run, over when a driver has taken the run again. */
export interface Stall {
  isOver: boolean;
}

/** The runs that an engine keeps in memory because it moves them now. All others are only rows. */
export class HeldRuns {
  readonly #clock: Clock;
  readonly #hot = new Map<string, HotRun & { at: number; worked: number }>();
  readonly #moving = new Set<string>();
  /** Runs whose last fact could not be stored. They stand still until a driver takes them again. */
  readonly #stalled = new Map<string, Stall>();
  #release: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The run after its last commit; undefined if it must be read from its rows. */
  get(runId: string): HotRun | undefined {
    return this.#hot.get(runId);
  }

  /**
   * When the run was last at work, if time has passed since in which nobody worked: the machine slept, or its clock was set. Null
   * if none has. Both times are of the clock as it stood after the last commit of the run.
   */
  workedUntil(runId: string): number | null {
    const hot = this.#hot.get(runId);
    if (!hot) return null;
    const until = hot.at + workedMs(this.#clock) - hot.worked;
    return Math.abs(this.#clock.now() - until) > stepMs ? until : null;
  }

  /** The rows of the runs in memory. */
  rows(): RunRow[] {
    return [...this.#hot.values()].map(({ row }) => row);
  }

  isMoving(runId: string): boolean {
    return this.#moving.has(runId);
  }

  isStalled(runId: string): boolean {
    return this.#stalled.has(runId);
  }

  keep(run: HotRun): void {
    this.#hot.set(run.row.id, { ...run, at: this.#clock.now(), worked: workedMs(this.#clock) });
    this.#moving.add(run.row.id);
    this.#holdProcess();
  }

  /** Drops the run's state but keeps it moving: it is unknown whether its last commit was written. */
  forget(runId: string): void {
    this.#hot.delete(runId);
  }

  letGo(runId: string): void {
    this.#hot.delete(runId);
    this.#moving.delete(runId);
    this.#holdProcess();
  }

  stall(runId: string): Stall {
    const stall = this.#stalled.get(runId) ?? { isOver: false };
    this.#stalled.set(runId, stall);
    this.letGo(runId);
    return stall;
  }

  /** Tries again to store what a stalled run waits for. */
  tryAgain(runId: string): void {
    this.#stalled.delete(runId);
    this.#moving.add(runId);
    this.#holdProcess();
  }

  taken(run: HotRun): void {
    const stall = this.#stalled.get(run.row.id);
    if (stall) stall.isOver = true;
    this.#stalled.delete(run.row.id);
    this.keep(run);
  }

  letAllGo(): void {
    this.#hot.clear();
    this.#moving.clear();
    this.#holdProcess();
  }

  /** Keeps the process alive while a run moves, even if only a backoff timer is left. */
  #holdProcess(): void {
    if (this.#moving.size > 0) this.#release ??= this.#clock.hold();
    else {
      this.#release?.();
      this.#release = null;
    }
  }
}
