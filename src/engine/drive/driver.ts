import type { RunRow, TakeableRun } from '../../store/rows.ts';
import type { Transition } from '../commit/commit.ts';
import { closed } from '../commit/errors.ts';
import { ask, type Store } from '../commit/statements.ts';
import type { Fact } from '../machine/machine-host.ts';
import { endDriver, isForeign, Neighbours } from '../ownership.ts';
import type { Attempt } from './attempt.ts';
import { watchOver } from './claim.ts';
import { DrivenSessions } from './driven-sessions.ts';
import type { EngineOptions, Taking } from './engine-options.ts';
import { whyLeft } from './fit.ts';

import { type RunAtHand, type RunOwner, tellWatchers } from './run-at-hand.ts';
import { ProcessHold } from './run-in-memory.ts';
import { RunsAtHand } from './runs-at-hand.ts';
import { Timers } from './timers.ts';

/** How many lanes are taken over at once. */
const atOnce = 32;

/** This process as a driver of the database: which sessions it drives, which runs it has in memory, which runs it may take. */
export class Driver implements RunOwner {
  readonly options: EngineOptions;
  readonly sessions = new DrivenSessions();
  readonly neighbours: Neighbours;
  readonly runs: RunsAtHand;
  readonly timers: Timers;
  /** Runs that are being started. */
  readonly #starting = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: EngineOptions, TimersOf = Timers) {
    this.options = options;
    const { store, ownership, clock } = options;
    this.neighbours = new Neighbours(store, ownership, clock);
    const { neighbours, sessions } = this;
    const { signal: stopped } = this.#stop;
    this.runs = new RunsAtHand(this, { ...options, neighbours, moving: new ProcessHold(clock), stopped });
    this.timers = new TimersOf(options, { runs: this.runs, sessions, stopped });
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The epoch of this driver; null while it drives nothing. */
  get me(): number | null {
    return this.options.ownership.me;
  }

  leave(run: RunAtHand): void {
    this.runs.leave(run);
  }

  /** Whether this driver moves the run forward. */
  drives(row: TakeableRun): boolean {
    return this.#isMine(row) && this.awaits(row);
  }

  /** Whether this driver drives the session of the run, and may move the run. */
  mayClaim(row: TakeableRun): boolean {
    return this.sessions.covers(row.session) && !this.isStopped && !whyLeft(this.options, row);
  }

  /** Whether this driver will start the run when its turn comes. */
  awaits(row: TakeableRun): boolean {
    if (this.isStopped || this.runs.find(row)?.isStalled) return false;
    return this.#isMine(row) ? this.sessions.covers(row.session) : row.driver === null && this.mayClaim(row);
  }

  /** Whether one of the next looks takes the run, because no live driver has it. */
  wants(row: RunRow): boolean {
    const isFree = row.driver === null || (this.#isForeign(row.driver) && !this.isDrivenElsewhere(row));
    return this.me !== null && isFree && this.mayClaim(row) && !this.runs.find(row)?.isStalled;
  }

  /** Whether another process that lives drives the run, as far as can be said at once. */
  isDrivenElsewhere({ driver }: Pick<RunRow, 'driver'>): boolean {
    return driver !== null && this.#isForeign(driver) && this.options.ownership.seemsAlive(driver);
  }

  #isMine({ driver }: Pick<RunRow, 'driver'>): boolean {
    return driver !== null && driver === this.me;
  }

  #isForeign(driver: number | null): driver is number {
    return isForeign(driver, this.me);
  }

  /** Sets timers, tells watchers, and lets the next run of the lane start, after a durable transition. */
  moved(transition: Transition, signals: Fact['signals'] = []): void {
    const { row, wakeAt, letters, emitted } = transition;
    const { bus, posted } = this.options;
    // One that others fire is no more than a look too many.
    if (wakeAt !== null) this.timers.expect(wakeAt);
    if (letters.length > 0) posted?.(letters);
    for (const signal of signals) bus.notify({ runId: row.id, ...signal });
    tellWatchers(this.options, transition);
    for (const signal of emitted) bus.notify({ runId: row.id, ...signal });
    if (row.ended) void this.#freeLane(row);
  }

  /** After the end of a run: wakes the run behind it in its session, or the other driver that has that. */
  async #freeLane({ session }: RunRow): Promise<void> {
    const { store, hints } = this.options;
    if (this.isStopped) return;
    try {
      const next = await store.query('laneHead', { session });
      if (next && this.#isForeign(next.driver)) hints?.send(next.driver);
      else if (next && this.sessions.covers(session)) this.begin(next);
    } catch (error) {
      this.reportUnlessStopped(error, '');
    }
  }

  /** Starts a run that may be at the head of its lane, after the commit that has put it there. */
  begin(run: Pick<RunRow, 'tenant' | 'id' | 'session'>): void {
    const started: Promise<void> = this.#begin(run).finally(() => this.#starting.delete(started));
    this.#starting.add(started);
  }

  async #begin({ tenant, id, session }: Pick<RunRow, 'tenant' | 'id' | 'session'>): Promise<void> {
    const { store, hosts } = this.options;
    if (this.isStopped) return;
    try {
      const row = await store.query('loadRun', { tenant, id });
      if (!row || row.ended) return;
      const head = await store.query('laneHead', { session });
      if (head?.id !== id) return;
      this.refuseWhenStopped();
      if (this.#isMine(row)) await this.runs.at(row).send({ event: { type: hosts.of(row).startEvent } });
      else if (!(await this.neighbours.areDriving(row))) await this.runs.at(row).take();
    } catch (error) {
      this.reportUnlessStopped(error, id);
    }
  }

  /**
   * Takes several runs over at once, because each take-over waits for its commits: those of one session in their order.
   * Reports runs that cannot be taken.
   */
  async takeAll(rows: readonly Taking[]): Promise<void> {
    const lanes = [...Map.groupBy(rows, ({ session }) => session).values()];
    const takeLanes = async () => {
      for (let lane = lanes.shift(); lane; lane = lanes.shift())
        for (const row of lane)
          await this.runs
            .at(row)
            .take(row.claimed)
            .catch((error) => this.reportUnlessStopped(error, row.id));
    };
    await Promise.all(Array.from({ length: atOnce }, takeLanes));
  }

  /** Watches over runs that wait for people, and whose drivers ended, in one commit: their timers, and commands to them. */
  async watchOver(rows: readonly Pick<RunRow, 'pk' | 'fence'>[]): Promise<void> {
    const { me } = this;
    if (me === null || rows.length === 0) return;
    await this.options.store.commit(function* () {
      for (const row of rows) yield* watchOver(row, me);
    });
  }

  /** Errors after a stop are expected: the engine breaks work off, and the rows keep its state. */
  reportUnlessStopped(error: unknown, runId: string): void {
    if (!this.isStopped) this.options.report(error, runId);
  }

  /** @throws DetentError `CLOSED`. */
  refuseWhenStopped(): void {
    if (this.isStopped) throw closed();
  }

  /** Aborts effects in flight and writes nothing more. Runs stay in their state. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.timers.stop();
    const { store, clock, report } = this.options;
    const interrupted = this.runs.abortAll();
    await Promise.allSettled(this.#starting);
    await this.runs.settled();
    await giveBack(store, interrupted).catch((error) => report(error, ''));
    this.runs.letGo();
    if (this.me !== null) await endDriver(store, this.me, clock.now()).catch((error) => report(error, ''));
  }
}

/** Gives back the attempts that an orderly stop broke off: only those that end in a crash count. */
async function giveBack(store: Store, attempts: readonly Attempt['place'][]): Promise<void> {
  if (attempts.length === 0) return;
  await store.commit(function* () {
    for (const attempt of attempts) yield* ask('uncountAttempt', attempt);
  });
}
