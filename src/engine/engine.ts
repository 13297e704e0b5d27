import type { AnyMachineSnapshot } from 'xstate';
import { DetentError } from '../protocol/error.ts';
import { noDriver, type RunRow, type TakeableRun } from '../store/rows.ts';
import { KeyedQueue } from '../text/limiter.ts';
import { ChildEnds } from './child-ends.ts';
import { LostRuns } from './claim.ts';
import { type Creation, create, type Delivery, Fenced, type Receipt, type Transition } from './commit.ts';
import { allowedCommands, restore } from './decide.ts';
import { Deliveries } from './deliveries.ts';
import { DrivenSessions, type EachRun, type Scope } from './driven-sessions.ts';
import type { EngineOptions } from './engine-options.ts';
import { Executor } from './executor.ts';
import { Facts } from './facts.ts';
import { HeldRuns } from './hot-runs.ts';
import { Lanes } from './lanes.ts';
import type { ChildEnd } from './links.ts';
import { Lookout } from './lookout.ts';
import type { EngineEvent, Fact, MachineHost } from './machine-host.ts';
import { isChartChanged } from './machine-hosts.ts';
import { type Migrated, readAs } from './migrate.ts';
import { endDriver, isForeign, Neighbours } from './ownership.ts';
import { giveBack } from './recovery.ts';
import { TakeOver } from './take-over.ts';
import { TimerService } from './timer-service.ts';

/**
 * Drives any machine durably. One transition is one commit, and no effect starts before its commit.
 *
 * It knows nothing of agents. For a run that another driver drives it only writes rows: the effects stay `pending`
 * until that driver takes the run.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #held: HeldRuns;
  /** Events of one run are strictly serial. */
  readonly #runs = new KeyedQueue();
  readonly #executor: Executor;
  readonly #timers: TimerService;
  readonly #lost: LostRuns;
  readonly #neighbours: Neighbours;
  readonly #takeOver: TakeOver;
  readonly #lookout: Lookout;
  readonly #lanes: Lanes;
  readonly #facts: Facts;
  readonly #driven: DrivenSessions;
  readonly #deliveries: Deliveries;
  readonly #childEnds: ChildEnds;
  #stopped = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#held = new HeldRuns(options.clock);
    this.#executor = new Executor(options, {
      deliver: (...fact) => this.#facts.deliver(...fact),
      note: async (tenant, runId, fact) => (await this.send(tenant, runId, fact)).kind === 'moved',
    });
    const { store, bus, report, clock, ownership } = options;
    const owned = { store, bus, report, held: this.#held, executor: this.#executor, queue: this.#runs };
    this.#lost = new LostRuns(owned);
    this.#neighbours = new Neighbours(store, ownership, () => clock.now());
    this.#takeOver = new TakeOver({
      ...options,
      held: this.#held,
      executor: this.#executor,
      lost: this.#lost,
      neighbours: this.#neighbours,
      queue: this.#runs,
      whyRefused: (row) => this.whyRefused(row),
      isStopped: () => this.#stopped,
      send: (...delivery) => this.send(...delivery),
      commit: (...delivery) => this.#deliveries.deliver(...delivery),
      tell: (migrated) => this.#tell(migrated),
    });
    this.#driven = new DrivenSessions({
      ...options,
      neighbours: this.#neighbours,
      takeOver: this.#takeOver,
      isStopped: () => this.#stopped,
      whyRefused: (row) => this.whyRefused(row),
      report: (error, runId) => this.#reportUnlessStopped(error, runId),
    });
    this.#deliveries = new Deliveries({
      ...options,
      held: this.#held,
      lost: this.#lost,
      neighbours: this.#neighbours,
      drives: (row) => this.drives(row),
      mayClaim: (row) => this.#mayClaim(row),
      migrate: (row) => this.#takeOver.migrate(row),
      moved: (transition, signals) => this.#after(transition, signals),
    });
    this.#facts = new Facts({
      ...options,
      held: this.#held,
      whyRefused: (row) => this.whyRefused(row),
      isStopped: () => this.#stopped,
      queue: this.#runs,
      commit: (...delivery) => this.#deliveries.deliver(...delivery),
    });
    this.#childEnds = new ChildEnds({
      ...options,
      isStopped: () => this.#stopped,
      whyRefused: (row) => this.whyRefused(row),
      migrate: (row) => this.#runs.enqueue(row.id, () => this.#takeOver.migrate(row)),
      send: (...delivery) => this.send(...delivery),
    });
    const watched = () => {
      const allAtRest: 0 | 1 = this.#driven.areAll ? 1 : 0;
      return ownership.me === null ? null : { me: ownership.me, allAtRest };
    };
    this.#timers = new TimerService(store, clock, watched, {
      fire: (...due) => this.#facts.fire(...due),
      inOrder: (timers) => this.#facts.inOrder(timers),
      looks: () => this.#deliveries.skipLostTimes(this.#runs),
      nothingDue: () => this.#lost.findLost(),
      report: (error) => report(error, ''),
    });
    this.#lanes = new Lanes({
      ...options,
      neighbours: this.#neighbours,
      takeOver: this.#takeOver,
      covers: (session) => this.#driven.covers(session),
      isStopped: () => this.#stopped,
      start: (row) => this.send(row.tenant, row.id, { event: { type: options.hosts.of(row).startEvent } }),
      report: (error, runId) => this.#reportUnlessStopped(error, runId),
    });
    this.#lookout = new Lookout({
      ...options,
      lost: this.#lost,
      lanes: this.#lanes,
      neighbours: this.#neighbours,
      timers: this.#timers,
      takeOver: this.#takeOver,
      covers: (session) => this.#driven.covers(session),
      sessions: () => this.#driven.keys(),
      wants: (row) => this.wants(row),
      whyRefused: (row) => this.whyRefused(row),
      report: (error, runId) => this.#reportUnlessStopped(error, runId),
    });
  }

  /**
   * Creates a run at the end of its session's lane; it starts in the same commit if the lane is free. From then on this
   * engine drives the session, including the unfinished runs of drivers that ended.
   */
  async create(creation: Omit<Creation, 'at' | 'driver'>): Promise<Transition> {
    this.#refuseWhenStopped();
    const made = await this.#create(creation);
    if (!creation.isLeft) this.#driven.add(made.row);
    this.#after(made);
    if (creation.isLeft) return made;
    // A queued run may be behind an unfinished run of an earlier driver.
    if (made.row.seq === 0) await this.adopt(made.row.session);
    return made;
  }

  async #create(creation: Omit<Creation, 'at' | 'driver'>): Promise<Transition> {
    const { store, clock, ownership, redact } = this.#options;
    const driver = await ownership.join();
    const host = this.hostOf(creation.options.machine);
    const at = clock.now();
    try {
      const driven = !creation.isLeft;
      return await store.commit(() => create({ ...creation, at, driver }, { host, driven, redact }));
    } catch (error) {
      if (!(error instanceof Fenced)) throw error;
      // Another process took this one for dead.
      await ownership.renew(driver);
      await this.#lost.findLost();
      this.#refuseWhenStopped();
      return this.#create(creation);
    }
  }

  /** Takes a session over if a driver that ended left unfinished work in it, now or later. */
  async adopt(session: number): Promise<void> {
    if (this.me !== null) this.#driven.add({ session });
    try {
      const head = await this.#options.store.query('laneHead', { session });
      if (!head || this.#isMine(head) || (await this.#neighbours.areDriving(head))) return;
      if (head.driver !== noDriver || head.lastDriver !== this.me) await this.drive({ session });
    } catch (error) {
      // The caller's own request is stored already, so it must not fail.
      this.#reportUnlessStopped(error, '');
    }
  }

  /**
   * Delivers a command.
   *
   * @throws DetentError `NOT_FOUND`, `MIGRATION_NEEDED`, `MACHINE_FAULT`, or the store's.
   */
  async send(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    this.#refuseWhenStopped();
    return this.#runs.enqueue(runId, () => this.#deliveries.deliver(tenant, runId, delivery));
  }

  /** Tells a run of the end of one that it waits for. See {@link ChildEnds.deliver}. */
  async childEnded(
    tenant: number,
    runId: string,
    end: ChildEnd,
    settles: Pick<Delivery, 'settles'>,
  ): Promise<Receipt['kind']> {
    this.#refuseWhenStopped();
    return this.#childEnds.deliver(tenant, runId, end, settles);
  }

  /** The commands that the run accepts now; none if this program cannot restore the run. */
  allowed(row: RunRow): EngineEvent[] {
    try {
      const path = this.#options.hosts.migrationPathOf(row);
      const held = this.#held.get(row.id);
      // Another process may have moved the run since this one held it.
      const snapshot = held?.row.seq === row.seq ? held.snapshot : readAs(path, row);
      return allowedCommands(path.host, snapshot);
    } catch (error) {
      if (!DetentError.is(error)) throw error;
      const ending = this.#options.hosts.ending(row);
      return ending && !row.ended ? allowedCommands(ending, restore(ending, row)) : [];
    }
  }

  snapshot(row: RunRow): AnyMachineSnapshot {
    return restore(this.#options.hosts.of(row), row);
  }

  /** Whether this engine moves the run forward. */
  drives(row: TakeableRun): boolean {
    return this.#isMine(row) && this.awaits(row);
  }

  /** Whether this engine drives the session of the run, and may move the run. */
  covers(row: TakeableRun): boolean {
    return this.#mayClaim(row);
  }

  /** Whether this engine will start the run when its turn comes. */
  awaits(row: TakeableRun): boolean {
    if (this.#stopped || this.#held.isStalled(row.id)) return false;
    return this.#isMine(row) ? this.#driven.covers(row.session) : row.driver === null && this.#mayClaim(row);
  }

  /** Whether this engine has work for the run after that very transition, so that another one will follow. */
  isAtWork(runId: string, seq: number): boolean {
    const held = this.#held.get(runId);
    return held?.row.seq === seq && !this.#options.hosts.of(held.row).isParked(held.snapshot);
  }

  /** Whether another process that lives drives the run, as far as can be said at once. */
  isDrivenElsewhere({ driver }: Pick<RunRow, 'driver'>): boolean {
    const { ownership } = this.#options;
    return driver !== null && this.#isForeign(driver) && ownership.seemsAlive(driver);
  }

  /** The epoch of this driver; null while it drives nothing. */
  get me(): number | null {
    return this.#options.ownership.me;
  }

  /** Whether one of the next looks takes the run, because no driver has it that lives. */
  wants(row: RunRow): boolean {
    const isFree = row.driver === null || (this.#isForeign(row.driver) && !this.isDrivenElsewhere(row));
    return this.me !== null && isFree && this.#mayClaim(row) && !this.#held.isStalled(row.id);
  }

  /** Makes this process a driver, unless it is one. Resolves with its epoch. */
  join(): Promise<number> {
    this.#refuseWhenStopped();
    return this.#options.ownership.join();
  }

  /** Which other process drives the run now; null when none does. A driver that is dead is buried. */
  async driverElsewhere(row: Pick<RunRow, 'driver'>): Promise<number | null> {
    return (await this.#neighbours.areDriving(row)) ? row.driver : null;
  }

  #isMine({ driver }: Pick<RunRow, 'driver'>): boolean {
    return driver !== null && driver === this.me;
  }

  #isForeign(driver: number | null): driver is number {
    return isForeign(driver, this.me);
  }

  /**
   * Takes over the unfinished runs of one session, or of all, but for those that other processes drive: recovers effects
   * that were in flight, fires overdue timers, and starts the run at the head of each lane. Reports runs that cannot be
   * restored, and leaves them as they are. From now on it takes such runs also when their drivers die.
   *
   * @param each is called with every run that no other process drives, before it is taken
   */
  async drive(scope: Scope, each: EachRun = async () => {}): Promise<void> {
    this.#refuseWhenStopped();
    await this.#options.ownership.join();
    await this.#driven.takeOver(scope, each);
    await this.#timers.check();
  }

  /** The unfinished runs that this engine moves forward. */
  async driven(): Promise<TakeableRun[]> {
    const rows: TakeableRun[] = [];
    for await (const row of this.#driven.unfinished('all')) if (this.drives(row)) rows.push(row);
    return rows;
  }

  /** See {@link Lookout.look}. */
  async look(isProbe = true): Promise<void> {
    if (!this.#stopped && this.me !== null) await this.#lookout.look(this.me, isProbe);
  }

  /** Looks again at runs that this program could not move before: it can do more now. */
  reconsider(): void {
    this.#lookout.reconsider();
    this.#timers.reconsider();
  }

  /** Why this engine must not move the run forward; null when it may. */
  whyRefused(row: TakeableRun): Error | null {
    return row.ended ? null : (this.#options.whyRefused?.(row) ?? this.#whyChanged(row));
  }

  #whyChanged(row: TakeableRun): Error | null {
    try {
      this.#options.hosts.migrationPathOf(row);
      return null;
    } catch (error) {
      return isChartChanged(error) ? error : null;
    }
  }

  /** Aborts effects in flight and writes nothing more. Runs stay in their state. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timers.stop();
    const interrupted = this.#executor.stop();
    await this.#lanes.drain();
    await this.#runs.drain();
    await giveBack(this.#options.store, interrupted).catch((error) => this.#options.report(error, ''));
    this.#held.letAllGo();
    const { store, clock, report } = this.#options;
    if (this.me !== null) await endDriver(store, this.me, clock.now()).catch((error) => report(error, ''));
  }

  /** The version of its machine that the run goes on under here. @throws DetentError `MIGRATION_NEEDED`, `CHART_CHANGED`. */
  hostOfRun(row: RunRow): MachineHost {
    return this.#options.hosts.migrationPathOf(row).host;
  }

  /** The newest version of a machine. */
  hostOf(machine: string): MachineHost {
    return this.#options.hosts.newest(machine);
  }

  #refuseWhenStopped(): void {
    if (this.#stopped) throw new DetentError('CLOSED', 'this Detent was closed; create a new one');
  }

  #mayClaim(row: TakeableRun): boolean {
    return this.#driven.covers(row.session) && !this.#stopped && !this.whyRefused(row);
  }

  /** Performs effects, sets timers and tells watchers, after a durable transition. */
  #after(transition: Transition, signals: Fact['signals'] = []): void {
    const { row, snapshot, held } = transition;
    // A run may have been ended whose own chart is not here.
    const host = this.#options.hosts.like(row);
    const driven = this.drives(row);
    for (const n of transition.aborted) this.#executor.abort(row.id, n);
    // A parked run is not kept in memory. The next command reads it from its rows.
    if (driven && !row.ended && (!host.isParked(snapshot) || this.#executor.isBusy(row.id)))
      this.#held.keep({ row, snapshot, held });
    else this.#held.letGo(row.id);
    for (const effect of transition.started) this.#executor.perform(host, transition, effect, false);
    const isWatched = driven || (row.driver === noDriver && row.lastDriver === this.me);
    if (transition.wakeAt !== null && isWatched) this.#timers.expect(transition.wakeAt);
    if (transition.letters.length > 0) this.#options.posted?.(transition.letters);
    for (const signal of signals) this.#options.bus.notify({ runId: row.id, ...signal });
    this.#tell(transition);
    for (const signal of transition.emitted) this.#options.bus.notify({ runId: row.id, ...signal });
    if (row.ended) void this.#lanes.free(row);
  }

  #tell(transition: Migrated): void {
    const { row, at, path, event } = transition;
    this.#options.watch?.(transition);
    const { id: runId, seq, ended } = row;
    const signal = { runId, type: 'transition', seq, at, path, event: { ...event }, ended: ended === 1 };
    this.#options.bus.notify(signal);
  }

  /** Errors after a stop are expected: the engine breaks work off, and the rows keep its state. */
  #reportUnlessStopped(error: unknown, runId: string): void {
    if (!this.#stopped) this.#options.report(error, runId);
  }
}
