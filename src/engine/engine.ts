import type { AnyMachineSnapshot } from 'xstate';
import { DetentError } from '../protocol/error.ts';
import type { Program } from '../store/program.ts';
import { noDriver, type RunRow } from '../store/rows.ts';
import { KeyedQueue } from '../text/keyed-queue.ts';
import { deliverFromRest, Foreign, LostRuns } from './claim.ts';
import {
  type CommitOptions,
  type Creation,
  create,
  type Delivery,
  deliver,
  Fenced,
  hold,
  type Receipt,
  type Transition,
} from './commit.ts';
import { allowedCommands, MachineFault, restore } from './decide.ts';
import type { EngineOptions } from './engine-options.ts';
import { notFound } from './errors.ts';
import { Executor } from './executor.ts';
import { Facts } from './facts.ts';
import { HeldRuns } from './hot-runs.ts';
import { Lanes } from './lanes.ts';
import { Lookout } from './lookout.ts';
import type { EngineEvent, Fact, MachineHost } from './machine-host.ts';
import { type Migrated, readAs, Unmigrated } from './migrate.ts';
import { endDriver, isForeign, Neighbours } from './ownership.ts';
import { countFault, giveBack } from './recovery.ts';
import { ask } from './statements.ts';
import { TakeOver } from './take-over.ts';
import { TimerService } from './timer-service.ts';

/** After so many throws of its machine a run fails. */
const maxFaults = 3;
/** Unfinished runs that are read at a time. */
const activePage = 200;

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
  #driven: 'all' | Set<number> = new Set();
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
      send: (...delivery) => this.send(...delivery),
      commit: (...delivery) => this.#commit(...delivery),
      tell: (migrated) => this.#tell(migrated),
    });
    this.#facts = new Facts({
      ...options,
      held: this.#held,
      whyRefused: (row) => this.whyRefused(row),
      isStopped: () => this.#stopped,
      send: (tenant, runId, delivery) =>
        this.#runs.enqueue(runId, () => this.#commit(tenant, runId, delivery)),
    });
    const watched = () => {
      const allAtRest: 0 | 1 = this.#driven === 'all' ? 1 : 0;
      return ownership.me === null ? null : { me: ownership.me, allAtRest };
    };
    this.#timers = new TimerService(store, clock, watched, {
      fire: (...due) => this.#facts.fire(...due),
      nothingDue: () => this.#lost.findLost(),
      report: (error) => report(error, ''),
    });
    this.#lookout = new Lookout({
      ...options,
      lost: this.#lost,
      neighbours: this.#neighbours,
      timers: this.#timers,
      takeOver: this.#takeOver,
      covers: (session) => this.#covers(session),
      sessions: () => (this.#driven === 'all' ? [] : [...this.#driven]),
      wants: (row) => this.wants(row),
      whyRefused: (row) => this.whyRefused(row),
      report: (error, runId) => this.#reportUnlessStopped(error, runId),
    });
    this.#lanes = new Lanes({
      ...options,
      neighbours: this.#neighbours,
      takeOver: this.#takeOver,
      covers: (session) => this.#covers(session),
      isStopped: () => this.#stopped,
      start: (row) => this.send(row.tenant, row.id, { event: { type: options.hosts.of(row).startEvent } }),
      report: (error, runId) => this.#reportUnlessStopped(error, runId),
    });
    options.dispatcher.start((ticket) => this.#lanes.begin(ticket));
  }

  /**
   * Creates a run at the end of its session's lane; it starts in the same commit if the lane is free. From then on this
   * engine drives the session, including the unfinished runs of drivers that ended.
   */
  async create(creation: Omit<Creation, 'at' | 'driver'>): Promise<Transition> {
    this.#refuseWhenStopped();
    const made = await this.#create(creation);
    if (this.#driven !== 'all') this.#driven.add(made.row.session);
    this.#after(made);
    // A queued run may be behind an unfinished run of an earlier driver.
    if (made.row.seq === 0) await this.adopt(made.row.session);
    return made;
  }

  async #create(creation: Omit<Creation, 'at' | 'driver'>): Promise<Transition> {
    const { store, clock, ownership } = this.#options;
    const driver = await ownership.join();
    const host = this.hostOf(creation.options.machine as string);
    const at = clock.now();
    try {
      return await store.commit(() => create({ ...creation, at, driver }, this.#commitOptions(host, true)));
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
    if (this.#driven !== 'all' && this.me !== null) this.#driven.add(session);
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
    return this.#runs.enqueue(runId, () => this.#commit(tenant, runId, delivery));
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
      if (DetentError.is(error)) return [];
      throw error;
    }
  }

  snapshot(row: RunRow): AnyMachineSnapshot {
    return restore(this.#options.hosts.of(row), row);
  }

  /** Whether this engine moves the run forward. */
  drives(row: RunRow): boolean {
    return this.#isMine(row) && this.awaits(row);
  }

  /** Whether this engine will start the run when its turn comes. */
  awaits(row: RunRow): boolean {
    if (this.#stopped || this.#held.isStalled(row.id)) return false;
    return this.#isMine(row) ? this.#covers(row.session) : row.driver === null && this.#mayClaim(row);
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

  /** Which other process drives the run now; null when none does. A driver that is dead is buried. */
  async driverElsewhere(row: RunRow): Promise<number | null> {
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
  async drive(
    scope: 'all' | { session: number },
    each: (row: RunRow) => Promise<void> = async () => {},
  ): Promise<void> {
    this.#refuseWhenStopped();
    await this.#options.ownership.join();
    const living = new Set((await this.#neighbours.alive()).map(({ epoch }) => epoch));
    if (scope === 'all') this.#driven = 'all';
    else if (this.#driven !== 'all') this.#driven.add(scope.session);
    const atRest: RunRow[] = [];
    for await (const row of this.#active(scope)) {
      if (this.#stopped) break;
      if (this.#isForeign(row.driver)) continue;
      await each(row);
      if (this.whyRefused(row)) continue;
      if (scope !== 'all' || !this.#isLeftAtRest(row))
        await this.#takeOver.take(row).catch((error) => this.#reportUnlessStopped(error, row.id));
      else if (row.lastDriver !== this.me && !living.has(row.lastDriver ?? 0)) atRest.push(row);
      if (atRest.length >= activePage) await this.#takeOver.watchOver(atRest.splice(0));
    }
    await this.#takeOver.watchOver(atRest);
    await this.#timers.check();
  }

  /** The unfinished runs of a session, or of all, some at a time: many may wait for people. */
  async *#active(scope: 'all' | { session: number }): AsyncGenerator<RunRow> {
    const { store } = this.#options;
    if (scope !== 'all') return yield* await store.query('listActiveRunsOf', scope);
    let after = { session: 0, ordinal: 0 };
    for (;;) {
      const page = await store.query('listActiveRunsAfter', { ...after, limit: activePage });
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < activePage) return;
      after = { session: last.session, ordinal: last.ordinal };
    }
  }

  /** Whether a run waits for people alone, and this program can restore it: it needs no more than to be watched. */
  #isLeftAtRest(row: RunRow): boolean {
    if (row.driver !== noDriver) return false;
    try {
      const { host, steps } = this.#options.hosts.migrationPathOf(row);
      host.checkTakeover?.(row);
      return steps.length === 0;
    } catch {
      // The take-over says what is wrong.
      return false;
    }
  }

  /** The unfinished runs that this engine moves forward. */
  async driven(): Promise<RunRow[]> {
    const rows: RunRow[] = [];
    for await (const row of this.#active('all')) if (this.drives(row)) rows.push(row);
    return rows;
  }

  /** See {@link Lookout.look}. */
  async look(isProbe = true): Promise<void> {
    if (!this.#stopped && this.me !== null) await this.#lookout.look(this.me, isProbe);
  }

  /** Why this engine must not move the run forward; null when it may. */
  whyRefused(row: RunRow): Error | null {
    return row.ended ? null : (this.#options.whyRefused?.(row) ?? null);
  }

  /** Aborts effects in flight and writes nothing more. Runs stay in their state. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timers.stop();
    const interrupted = this.#executor.stop();
    await this.#options.dispatcher.stop();
    await this.#runs.drain();
    await giveBack(this.#options.store, interrupted).catch((error) => this.#options.report(error, ''));
    this.#held.letAllGo();
    const { store, clock, report } = this.#options;
    if (this.me !== null) await endDriver(store, this.me, clock.now()).catch((error) => report(error, ''));
  }

  /** The newest version of a machine. */
  hostOf(machine: string): MachineHost {
    return this.#options.hosts.newest(machine);
  }

  #commitOptions(host: MachineHost, driven: boolean): CommitOptions {
    return { host, driven, redact: this.#options.redact };
  }

  #covers(session: number): boolean {
    return this.#driven === 'all' || this.#driven.has(session);
  }

  #refuseWhenStopped(): void {
    if (this.#stopped) throw new DetentError('CLOSED', 'this Detent was closed; create a new one');
  }

  async #commit(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    const at = this.#options.clock.now();
    try {
      const receipt = await this.#options.store.commit(() =>
        this.#program(tenant, runId, { ...delivery, at }),
      );
      if (receipt.kind === 'moved') this.#after(receipt, delivery.signals);
      return receipt;
    } catch (error) {
      // It is unknown whether the commit was written: read the run again before its next event.
      this.#held.forget(runId);
      if (error instanceof Unmigrated) {
        await this.#takeOver.migrate(error.row);
        return this.#commit(tenant, runId, delivery);
      }
      if (error instanceof Fenced) throw this.#lost.lose(runId);
      if (error instanceof Foreign) return this.#whenFree(error.row, delivery);
      if (error instanceof MachineFault) return this.#noteFault(tenant, runId, error, delivery);
      throw error;
    }
  }

  /** Delivers a command to a run of another driver if that driver is dead; the run's own facts come too late. */
  async #whenFree(row: RunRow, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    const isCommand = this.#options.hosts.of(row).commands.has(delivery.event.type);
    if (!isCommand || (await this.#neighbours.areDriving(row))) throw this.#lost.lose(row.id);
    return this.#commit(row.tenant, row.id, delivery);
  }

  *#program(tenant: number, runId: string, delivery: Delivery): Program<Receipt> {
    const cached = this.#held.get(runId);
    const row = cached?.row ?? (yield* ask('loadRun', { tenant, id: runId }));
    if (!row || row.tenant !== tenant) throw notFound(runId);
    if (row.ended) return { kind: 'ended', row };
    if (this.#isForeign(row.driver)) throw new Foreign(row);
    const { host, steps } = this.#options.hosts.migrationPathOf(row);
    if (steps.length > 0) throw new Unmigrated(row);
    const hot = cached ?? { row, snapshot: restore(host, row), held: hold(host, row) };
    if (row.driver === noDriver && this.me !== null && this.#mayClaim(row))
      return yield* deliverFromRest(hot, this.me, delivery, this.#commitOptions(host, true));
    return yield* deliver(hot, delivery, this.#commitOptions(host, this.drives(row)));
  }

  #mayClaim(row: RunRow): boolean {
    return this.#covers(row.session) && !this.#stopped && !this.whyRefused(row);
  }

  /**
   * Counts a throw of the machine, and retries the event. A machine may throw on every retry: after three the run
   * fails.
   */
  async #noteFault(
    tenant: number,
    runId: string,
    fault: MachineFault,
    delivery: Omit<Delivery, 'at'>,
  ): Promise<Receipt> {
    const faults = await this.#options.store.commit(() => countFault(tenant, runId));
    const host = this.#options.hosts.of(faults.row);
    const isCommand = host.commands.has(delivery.event.type);
    if (faults.count >= maxFaults) {
      const failing = host.faulted(fault.code, fault.message);
      if (delivery.event.type === failing.type) throw fault;
      const receipt = await this.#commit(tenant, runId, { event: failing });
      if (isCommand) throw fault;
      return receipt;
    }
    if (isCommand) throw fault;
    return this.#commit(tenant, runId, delivery);
  }

  /** Performs effects, sets timers and tells watchers, after a durable transition. */
  #after(transition: Transition, signals: Fact['signals'] = []): void {
    const { row, snapshot, held } = transition;
    const host = this.#options.hosts.of(row);
    const driven = this.drives(row);
    for (const n of transition.aborted) this.#executor.abort(row.id, n);
    // A parked run is not kept in memory. The next command reads it from its rows.
    if (driven && !row.ended && (!host.isParked(snapshot) || this.#executor.isBusy(row.id)))
      this.#held.keep({ row, snapshot, held });
    else this.#held.letGo(row.id);
    for (const effect of transition.started) this.#executor.perform(host, transition, effect, false);
    const isWatched = driven || (row.driver === noDriver && row.lastDriver === this.me);
    if (transition.wakeAt !== null && isWatched) this.#timers.expect(transition.wakeAt);
    for (const signal of signals) this.#options.bus.notify({ runId: row.id, ...signal });
    this.#tell(transition);
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
