import type { AnyMachineSnapshot } from 'xstate';
import { DetentError } from '../protocol/error.ts';
import type { Program } from '../store/program.ts';
import type { RunRow } from '../store/rows.ts';
import { KeyedQueue } from '../text/keyed-queue.ts';
import { claim, Ownership } from './claim.ts';
import {
  type CommitOptions,
  type Creation,
  create,
  type Delivery,
  deliver,
  Fenced,
  type HotRun,
  hold,
  type Receipt,
  type Transition,
} from './commit.ts';
import { allowedCommands, MachineFault, restore } from './decide.ts';
import type { Ticket } from './dispatcher.ts';
import { noteDriverError } from './driver-error.ts';
import type { EngineOptions } from './engine-options.ts';
import { fenced, notFound } from './errors.ts';
import { Executor } from './executor.ts';
import { fenceSpan } from './fence-span.ts';
import { HeldRuns } from './hot-runs.ts';
import type { EngineEvent, Fact, MachineHost } from './machine-host.ts';
import { type Migrated, migrate, readAs, Unmigrated } from './migrate.ts';
import { persist } from './persist.ts';
import { countFault, giveBack, recover } from './recovery.ts';
import { ask } from './statements.ts';
import { TimerService } from './timer-service.ts';

/** After so many throws of its machine a run fails. */
const maxFaults = 3;

/**
 * Drives any machine durably. One transition is one commit, and no effect starts before its commit.
 *
 * It knows nothing of agents. For a run that another driver drives it only writes rows: the effects stay `pending`
 * until that driver takes the run.
 */
export class Engine {
  readonly #options: EngineOptions;
  /** The fence of runs that this driver creates. */
  readonly #fence: number;
  readonly #held: HeldRuns;
  /** Events of one run are strictly serial. */
  readonly #runs = new KeyedQueue();
  readonly #executor: Executor;
  readonly #timers: TimerService;
  readonly #ownership: Ownership;
  #driven: 'all' | Set<number> = new Set();
  #stopped = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#fence = options.epoch * fenceSpan;
    this.#held = new HeldRuns(options.clock);
    this.#executor = new Executor(options, {
      deliver: (tenant, runId, fact) => this.#deliverFact(tenant, runId, fact),
      note: async (tenant, runId, fact) => (await this.send(tenant, runId, fact)).kind === 'moved',
    });
    const { store, bus, report } = options;
    const owned = { store, bus, report, held: this.#held, executor: this.#executor, queue: this.#runs };
    this.#ownership = new Ownership(owned);
    const fences = { from: this.#fence, below: this.#fence + fenceSpan };
    this.#timers = new TimerService(options.store, options.clock, fences, {
      fire: (due, delivery) => this.#deliverFact(due.tenant, due.runId, delivery),
      nothingDue: () => this.#ownership.findLost(),
      report: (error) => options.report(error, ''),
    });
    options.dispatcher.start((ticket) => this.#begin(ticket));
  }

  /**
   * Creates a run at the end of its session's lane; it starts in the same commit if the lane is free. From then on this
   * engine drives the session, including the unfinished runs of an earlier driver.
   */
  async create(creation: Omit<Creation, 'at' | 'fence'>): Promise<Transition> {
    this.#refuseWhenStopped();
    const host = this.hostOf(creation.options.machine as string);
    const at = this.#options.clock.now();
    const made = await this.#options.store.commit(() =>
      create({ ...creation, at, fence: this.#fence }, this.#commitOptions(host, true)),
    );
    if (this.#driven !== 'all') this.#driven.add(made.row.session);
    this.#after(made);
    // A queued run may be behind an unfinished run of an earlier driver.
    if (made.row.seq === 0) await this.adopt(made.row.session);
    return made;
  }

  /** Takes a session over if an earlier driver left unfinished work in it. */
  async adopt(session: number): Promise<void> {
    try {
      const head = await this.#options.store.query('laneHead', { session });
      if (head && head.fence < this.#fence) await this.drive({ session });
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
      return allowedCommands(path.host, this.#held.get(row.id)?.snapshot ?? readAs(path, row));
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
    return this.awaits(row) && row.fence >= this.#fence;
  }

  /** Whether this engine will start the run when its turn comes. */
  awaits(row: RunRow): boolean {
    if (this.#stopped || this.#held.isStalled(row.id)) return false;
    return this.#covers(row.session) && !this.#isForeign(row);
  }

  /** Whether a driver that started later has taken the run. */
  #isForeign({ fence }: RunRow): boolean {
    return fence >= this.#fence + fenceSpan;
  }

  /**
   * Takes over the unfinished runs of one session, or of all: recovers effects that were in flight, fires overdue
   * timers, and starts the run at the head of each lane. Reports runs that cannot be restored, and leaves them as they
   * are.
   */
  async drive(scope: 'all' | { session: number }): Promise<RunRow[]> {
    this.#refuseWhenStopped();
    const { store } = this.#options;
    if (scope === 'all') this.#driven = 'all';
    else if (this.#driven !== 'all') this.#driven.add(scope.session);
    const rows =
      scope === 'all'
        ? await store.query('listActiveRuns', {})
        : await store.query('listActiveRunsOf', { session: scope.session });
    for (const row of rows) {
      if (this.#stopped) break;
      if (this.whyRefused(row)) continue;
      await this.#take(row).catch((error) => this.#reportUnlessStopped(error, row.id));
    }
    await this.#timers.check();
    return rows;
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
        await this.#migrate(error.row);
        return this.#commit(tenant, runId, delivery);
      }
      if (error instanceof Fenced) throw this.#ownership.lose(runId);
      if (error instanceof MachineFault) return this.#noteFault(tenant, runId, error, delivery);
      throw error;
    }
  }

  *#program(tenant: number, runId: string, delivery: Delivery): Program<Receipt> {
    const cached = this.#held.get(runId);
    const row = cached?.row ?? (yield* ask('loadRun', { tenant, id: runId }));
    if (!row || row.tenant !== tenant) throw notFound(runId);
    if (this.#isForeign(row)) throw new Fenced();
    if (row.ended) return { kind: 'ended', row };
    const { host, steps } = this.#options.hosts.migrationPathOf(row);
    if (steps.length > 0) throw new Unmigrated(row);
    const hot = cached ?? { row, snapshot: restore(host, row), held: hold(host, row) };
    return yield* deliver(hot, delivery, this.#commitOptions(host, this.drives(row)));
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
    if (transition.wakeAt !== null && driven) this.#timers.expect(transition.wakeAt);
    for (const signal of signals) this.#options.bus.notify({ runId: row.id, ...signal });
    this.#tell(transition);
    if (row.ended) void this.#freeLane(row);
  }

  #tell(transition: Migrated): void {
    const { row, at, path, event } = transition;
    this.#options.watch?.(transition);
    const { id: runId, seq, ended } = row;
    const signal = { runId, type: 'transition', seq, at, path, event: { ...event }, ended: ended === 1 };
    this.#options.bus.notify(signal);
  }

  async #freeLane({ session, tenant }: RunRow): Promise<void> {
    if (!this.#covers(session) || this.#stopped) return;
    try {
      const next = await this.#options.store.query('laneHead', { session });
      if (next) this.#options.dispatcher.wake({ tenant, runId: next.id, session });
    } catch (error) {
      this.#reportUnlessStopped(error, '');
    }
  }

  /** Starts the run at the head of a lane. */
  async #begin({ tenant, runId, session }: Ticket): Promise<void> {
    if (this.#stopped) return;
    try {
      const row = await this.#options.store.query('loadRun', { tenant, id: runId });
      if (!row || row.ended) return;
      const head = await this.#options.store.query('laneHead', { session });
      if (head?.id !== runId) return;
      if (row.fence < this.#fence) return void (await this.#take(row));
      await this.send(tenant, runId, { event: { type: this.#options.hosts.of(row).startEvent } });
    } catch (error) {
      this.#reportUnlessStopped(error, runId);
    }
  }

  /** Errors after a stop are expected: the engine breaks work off, and the rows keep its state. */
  #reportUnlessStopped(error: unknown, runId: string): void {
    if (!this.#stopped) this.#options.report(error, runId);
  }

  async #take(row: RunRow): Promise<void> {
    try {
      const taken = await this.#runs.enqueue(row.id, () => this.#claim(row.tenant, row.id));
      if (taken) await this.#pickUp(taken);
    } catch (thrown) {
      const error = thrown instanceof Fenced ? this.#ownership.lose(row.id) : thrown;
      this.#held.stall(row.id);
      this.#options.bus.notify({ runId: row.id, type: 'stalled', error });
      throw error;
    }
  }

  async #pickUp(taken: HotRun): Promise<void> {
    const { store, clock } = this.#options;
    const { tenant, id, session } = taken.row;
    const host = this.#options.hosts.of(taken.row);
    await recover({ ...taken, host, store, clock, executor: this.#executor }, (delivery) =>
      this.send(tenant, id, delivery),
    );
    const current = this.#held.get(id);
    if (current && host.isParked(current.snapshot) && !this.#executor.isBusy(id)) this.#held.letGo(id);
    const head = await store.query('laneHead', { session });
    if (head?.id === id && taken.snapshot.can({ type: host.startEvent, at: 0 }))
      await this.send(tenant, id, { event: { type: host.startEvent } });
  }

  /**
   * Takes a run over and sends its machine the take-over event, before any other event. Null if the run moves already
   * or has ended.
   */
  async #claim(tenant: number, runId: string): Promise<HotRun | null> {
    const { store } = this.#options;
    if (this.#held.isMoving(runId) || this.#executor.isBusy(runId)) return null;
    const found = await store.query('loadRun', { tenant, id: runId });
    if (!found || found.ended) return null;
    if (this.#isForeign(found)) throw fenced(runId);
    const refused = this.whyRefused(found);
    if (refused) throw refused;
    const { host, steps } = this.#options.hosts.migrationPathOf(found);
    host.checkTakeover?.(found);
    const row = steps.length > 0 ? await this.#migrate(found) : found;
    const snapshot = restore(host, row);
    const fence = Math.max(row.fence, this.#fence) + 1;
    if (!(await claim(store, row, fence))) return null;
    this.#held.taken({ row: { ...row, fence }, snapshot, held: hold(host, row) });
    await this.#commit(tenant, runId, { event: host.resumed(row.updatedAt) });
    return this.#held.get(runId) ?? null;
  }

  /** Migrates a run to a newer version, in a commit of its own. */
  async #migrate(row: RunRow): Promise<RunRow> {
    const { store, clock, hosts, redact } = this.#options;
    const at = clock.now();
    try {
      const done = await store.commit(() => migrate(row, hosts.migrationPathOf(row), at, redact));
      this.#tell(done);
      return done.row;
    } catch (error) {
      if (error instanceof Fenced) throw fenced(row.id);
      throw error;
    }
  }

  async #deliverFact(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<void> {
    const store = () => this.#runs.enqueue(runId, () => this.#commit(tenant, runId, delivery));
    try {
      await persist(this.#options.clock, store, () => this.#stopped);
    } catch (error) {
      this.#stall(runId, delivery, error);
    }
  }

  /** Gives a fact up. Its effect stays open, and the next driver of the run recovers it. A timer's row stays, too. */
  #stall(runId: string, { timer }: Omit<Delivery, 'at'>, error: unknown): void {
    if (!timer) {
      this.#held.stall(runId);
      void noteDriverError(this.#options, runId, error);
    }
    this.#options.report(error, runId);
    // The watchers of a lost run know it already.
    if (DetentError.is(error) && error.code === 'FENCED') return;
    this.#options.bus.notify({ runId, type: 'stalled', error });
  }
}
