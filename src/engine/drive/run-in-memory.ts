import type { RunRow } from '../../store/rows.ts';
import { type Clock, stepMs, workedMs } from '../clock.ts';
import type { HotRun } from '../commit/commit.ts';
import type { Attempt } from './attempt.ts';

/** The standstill of a run whose last fact could not be stored: over when a driver has taken the run again. */
export interface Stall {
  isOver: boolean;
}

/** Keeps the process alive while a run moves, even if only a backoff timer is left. */
export class ProcessHold {
  readonly #clock: Pick<Clock, 'hold'>;
  readonly #moving = new Set<object>();
  #release: (() => void) | null = null;

  constructor(clock: Pick<Clock, 'hold'>) {
    this.#clock = clock;
  }

  has(run: object): boolean {
    return this.#moving.has(run);
  }

  add(run: object): void {
    this.#moving.add(run);
    this.#release ??= this.#clock.hold();
  }

  delete(run: object): void {
    if (!this.#moving.delete(run) || this.#moving.size > 0) return;
    this.#release?.();
    this.#release = null;
  }
}

interface MemoryParts {
  clock: Clock;
  /** The runs that move. */
  moving: ProcessHold;
}

/** What a process has of one run in memory: the queue of its events, its state after the last commit, its effects in flight. */
export abstract class RunInMemory {
  readonly tenant: number;
  readonly id: string;
  readonly #clock: Clock;
  readonly #moving: ProcessHold;
  readonly #attempts = new Map<number, Attempt>();
  /** The last work in the queue. */
  #last: Promise<unknown> | null = null;
  /** Work that spans several turns of the queue. */
  #inUse = 0;
  #hot: (HotRun & { at: number; worked: number }) | null = null;
  #stall: Stall | null = null;

  constructor({ tenant, id }: Pick<RunRow, 'tenant' | 'id'>, { clock, moving }: MemoryParts) {
    this.tenant = tenant;
    this.id = id;
    this.#clock = clock;
    this.#moving = moving;
  }

  /** Called when nothing of the run is in memory any more. */
  protected abstract leave(): void;

  /** The run after its last commit; null if it must be read from its rows. */
  get hot(): HotRun | null {
    return this.#hot;
  }

  get isMoving(): boolean {
    return this.#moving.has(this);
  }

  /** Whether its last fact could not be stored. It stands still until a driver takes it again. */
  get isStalled(): boolean {
    return this.#stall !== null;
  }

  /** Whether an effect of it is in flight. */
  get isBusy(): boolean {
    return this.#attempts.size > 0;
  }

  /** Does work in its turn: the events of one run are strictly serial. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last = mine;
    const leave = () => {
      if (this.#last !== mine) return;
      this.#last = null;
      this.#leaveIfIdle();
    };
    mine.then(leave, leave);
    return mine;
  }

  /** Resolves when all that is queued now is over. */
  async settled(): Promise<void> {
    await this.#last?.catch(() => {});
  }

  // The types of the published package must do without those of `using`, which a program's `lib` may lack.
  /**
   * Keeps it in memory for work that spans several turns: `using _use = run.use()`.
   *
   * @internal
   */
  use(): Disposable {
    this.#inUse++;
    return this;
  }

  /** @internal Ends one use. */
  [Symbol.dispose](): void {
    this.#inUse--;
    this.#leaveIfIdle();
  }

  /**
   * When the run was last at work, if time has passed since in which nobody worked: the machine slept, or its clock was set. Null
   * if none has. Both times are of the clock as it stood after the last commit of the run.
   */
  workedUntil(): number | null {
    if (!this.#hot) return null;
    const until = this.#hot.at + workedMs(this.#clock) - this.#hot.worked;
    return Math.abs(this.#clock.now() - until) > stepMs ? until : null;
  }

  /** Keeps the state of a run that moves. */
  keep(hot: HotRun): void {
    this.#hot = { ...hot, at: this.#clock.now(), worked: workedMs(this.#clock) };
    this.#moving.add(this);
  }

  /** Keeps the state of a run that a driver has taken. */
  keepTaken(hot: HotRun): void {
    if (this.#stall) this.#stall.isOver = true;
    this.#stall = null;
    this.keep(hot);
  }

  /** Drops the run's state but keeps it moving: it is unknown whether its last commit was written. */
  forget(): void {
    this.#hot = null;
  }

  letGo(): void {
    this.#hot = null;
    this.#moving.delete(this);
    this.#leaveIfIdle();
  }

  standStill(): Stall {
    this.#stall ??= { isOver: false };
    const stall = this.#stall;
    this.letGo();
    return stall;
  }

  /** Lets a run move again that stands still. */
  tryAgain(): void {
    this.#stall = null;
    this.#moving.add(this);
  }

  /** Waits for an attempt of an effect. Resolves with its fact; null if it was aborted. */
  async fly(n: number, attempt: Attempt): Promise<Awaited<Attempt['fact']> | null> {
    this.#attempts.set(n, attempt);
    const fact = await attempt.fact;
    if (this.#attempts.get(n) === attempt) this.#attempts.delete(n);
    return attempt.abort.signal.aborted ? null : fact;
  }

  abort(n: number): void {
    this.#attempts.get(n)?.abort.abort();
  }

  /** Aborts the effects in flight. Returns those that were not aborted before. */
  abortAll(): Attempt['place'][] {
    const open = [...this.#attempts.values()].filter(({ abort }) => !abort.signal.aborted);
    for (const { abort } of open) abort.abort();
    return open.map(({ place }) => place);
  }

  #leaveIfIdle(): void {
    const isIdle = this.#inUse === 0 && this.#last === null;
    if (isIdle && !this.#hot && !this.#stall && !this.isMoving) this.leave();
  }
}
