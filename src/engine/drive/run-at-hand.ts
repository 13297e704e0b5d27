import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import { noDriver, type RunRow, type TakeableRun } from '../../store/rows.ts';
import {
  type CommitOptions,
  type Delivery,
  deliver,
  Fenced,
  type HotRun,
  hold,
  type Receipt,
  type StartedEffect,
  type Transition,
} from '../commit/commit.ts';
import { closed, fenced, isFenced, notFound } from '../commit/errors.ts';
import { isRepeated } from '../commit/noted-requests.ts';
import { ask } from '../commit/statements.ts';
import { ownPlace, places } from '../foreign-code.ts';
import { MachineFault, restore } from '../machine/decide.ts';
import { toldOf } from '../machine/logged-transition.ts';
import type { Fact, MachineHost } from '../machine/machine-host.ts';
import { pathFor } from '../machine/machine-hosts.ts';
import { type Committed, migrate, Unmigrated } from '../machine/migrate.ts';
import { isForeign, type Neighbours } from '../ownership.ts';
import { jobOf } from './attempt.ts';
import { claim, deliverFromRest, Foreign, leaveAtRest } from './claim.ts';
import type { EngineOptions } from './engine-options.ts';
import { whyRefused } from './fit.ts';
import { factPausesMs, noteDriverError, pause } from './pauses.ts';
import { countFault, recover } from './recovery.ts';
import { type ProcessHold, RunInMemory, type Stall } from './run-in-memory.ts';

/** After its machine has thrown this many times, a run fails. */
const maxFaults = 3;

/** All that a run in memory calls of its driver. */
export interface RunOwner {
  /** Whether this driver moves the run forward. */
  drives(row: TakeableRun): boolean;
  /** Whether this driver may take the run when no driver has it. */
  mayClaim(row: TakeableRun): boolean;
  /** Called after each commit of the run, when its effects have begun. */
  moved(transition: Transition, signals: Fact['signals']): void;
  /** Called when nothing of the run is in memory any more. */
  leave(run: RunAtHand): void;
}

export interface RunParts extends EngineOptions {
  neighbours: Neighbours;
  /** The runs that move. */
  moving: ProcessHold;
  /** Aborted when the driver stops: then nothing more is begun or written. */
  stopped: AbortSignal;
}

/** A run that this process works with: it delivers events, performs effects, and takes the run over. All other runs are only rows. */
export class RunAtHand extends RunInMemory {
  readonly #owner: RunOwner;
  readonly #parts: RunParts;
  /** The error of the event by which this process found out that it had lost the run. */
  #loss: Error | null = null;

  constructor(run: Pick<RunRow, 'tenant' | 'id'>, owner: RunOwner, parts: RunParts) {
    super(run, parts);
    this.#owner = owner;
    this.#parts = parts;
  }

  protected leave(): void {
    this.#owner.leave(this);
  }

  /**
   * Delivers an event after all earlier ones.
   *
   * @param pausesMs after each of these it tries again what the store refused, if a later try may succeed. Default: none
   * @throws as {@link RunAtHand.deliver}; DetentError `CLOSED` when the driver stops before a later try.
   */
  async send(delivery: Omit<Delivery, 'at'>, pausesMs: readonly number[] = []): Promise<Receipt> {
    using _use = this.use();
    for (let tries = 0; ; tries++) {
      try {
        return await this.inTurn(async () => {
          await this.skipLostTime();
          return this.deliver(delivery);
        });
      } catch (error) {
        const pauseMs = pausesMs[tries];
        if (pauseMs === undefined || !mayComeThrough(error)) throw error;
        await pause(this.#parts.clock, pauseMs);
      }
      if (this.#parts.stopped.aborted) throw closed();
    }
  }

  /** Tells a run at work of time that passed in which nobody worked: it is no working time, and its deadline moves. */
  async skipLostTime(): Promise<void> {
    const lastAt = this.workedUntil();
    const { hot } = this;
    if (lastAt === null || !hot) return;
    const host = this.#parts.hosts.like(hot.row);
    if (host.countsTime?.(hot.snapshot))
      await this.deliver({ event: { ...host.resumed(lastAt), isSameDriver: true } });
  }

  /**
   * Moves the run by one event, in one commit. The caller has the turn, and has told the run of lost time.
   *
   * @throws DetentError `NOT_FOUND`, `MIGRATION_NEEDED`, `MACHINE_FAULT`, `FENCED`, or the store's.
   */
  async deliver(delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    const { store, clock } = this.#parts;
    const at = clock.now();
    try {
      const receipt = await store.commit(() => this.#program({ ...delivery, at }));
      if (receipt.kind === 'moved') this.afterCommit(receipt, delivery.signals);
      return receipt;
    } catch (error) {
      // It is unknown whether the commit was written: read the run again before its next event.
      this.forget();
      if (error instanceof Unmigrated) {
        await this.migrate(error.row);
        return this.deliver(delivery);
      }
      if (error instanceof Fenced) throw this.lose();
      if (error instanceof Foreign) return this.#deliverWhenFree(error.row, delivery);
      if (error instanceof MachineFault) return this.#noteFault(error, delivery);
      throw error;
    }
  }

  *#program(delivery: Delivery): Program<Receipt> {
    const { hosts, ownership, redact } = this.#parts;
    const { me } = ownership;
    const row = this.hot?.row ?? (yield* ask('loadRun', { tenant: this.tenant, id: this.id }));
    if (!row) throw notFound(this.id);
    if (row.ended) return { kind: (yield* isRepeated(row, delivery)) ? 'duplicate' : 'ended', row };
    if (isForeign(row.driver, me)) throw new Foreign(row);
    const { host, steps, isEnding } = pathFor(hosts, row, delivery.event);
    if (steps.length > 0) throw new Unmigrated(row);
    if (isEnding) delivery.event = { ...delivery.event, withoutChart: true };
    const hot = this.hot ?? { row, snapshot: restore(host, row), held: hold(host, row) };
    const options = (driven: boolean): CommitOptions => ({ host, driven, redact });
    if (row.driver === noDriver && me !== null && this.#owner.mayClaim(row))
      return yield* deliverFromRest(hot, me, delivery, options(true));
    return yield* deliver(hot, delivery, options(this.#owner.drives(row)));
  }

  /** Delivers a command to a run of another driver if that driver is dead. Facts of the run's effects come too late then. */
  async #deliverWhenFree(row: RunRow, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    const { hosts, neighbours } = this.#parts;
    const isCommand = hosts.like(row).commands.has(delivery.event.type);
    if (!isCommand || (await neighbours.areDriving(row))) throw this.lose();
    return this.deliver(delivery);
  }

  /**
   * Counts a throw of the machine, and retries the event. A machine may throw on every retry: after three the run
   * fails.
   */
  async #noteFault(fault: MachineFault, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    const { store, hosts } = this.#parts;
    const faults = await store.commit(() => countFault(this.tenant, this.id));
    const host = hosts.like(faults.row);
    const isCommand = host.commands.has(delivery.event.type);
    if (faults.count >= maxFaults) {
      const failing = host.faulted(fault.code, fault.message);
      if (delivery.event.type === failing.type) throw fault;
      const receipt = await this.deliver({ event: failing });
      if (isCommand) throw fault;
      return receipt;
    }
    if (isCommand) throw fault;
    return this.deliver(delivery);
  }

  /** Performs effects, after a durable transition. */
  afterCommit(transition: Transition, signals: Fact['signals'] = []): void {
    const { row, snapshot, held, messages, aborted, started } = transition;
    held.cache?.written?.push(...messages);
    // The run may have been ended by a program without its chart.
    const host = this.#parts.hosts.like(row);
    for (const n of aborted) this.abort(n);
    // A parked run is not kept in memory. The next command reads it from its rows.
    const isKept = !row.ended && (!host.isParked(snapshot) || this.isBusy);
    if (isKept && this.#owner.drives(row)) this.keep({ row, snapshot, held });
    else this.letGo();
    for (const effect of started) void this.perform(host, transition, effect, false);
    this.#owner.moved(transition, signals);
  }

  /** Begins one attempt of an effect, and delivers its fact. `interrupted`: an earlier attempt may have had its effect. */
  async perform(host: MachineHost, hot: HotRun, effect: StartedEffect, interrupted: boolean): Promise<void> {
    const handler = host.effects[effect.name];
    if (!handler || this.#parts.stopped.aborted) return;
    const { bus, report } = this.#parts;
    const { n, attempt } = effect;
    const { pk: run, id: runId, fence } = hot.row;
    const abort = new AbortController();
    const { signal } = abort;
    const job = jobOf(hot, effect, {
      interrupted,
      signal,
      note: async (fact) => !signal.aborted && (await this.send(fact)).kind === 'moved',
      signalWatchers: (signal) => bus.notify({ runId, effectId: n, attempt, ...signal }),
    });
    const performed = places.run(ownPlace({ runId, report }), async () => {
      // Watchers must hear of the transition before the effect's signals.
      await null;
      return handler.perform(job);
    });
    const fact = performed.catch((error) => handler.failed(n, error));
    using _use = this.use();
    const flown = await this.fly(n, { place: { run, n, fence }, abort, fact });
    // The row of an aborted effect is cancelled already, so its fact would be a duplicate.
    if (!flown || this.#parts.stopped.aborted) return;
    await this.send(flown, factPausesMs).catch((error) => this.#keepFact(flown, error));
  }

  /** Keeps a fact that could not be stored until the database takes it. If it never does, the next driver recovers the effect. */
  async #keepFact(fact: Fact, error: unknown): Promise<void> {
    if (this.#parts.stopped.aborted) return;
    // Work that the run has aborted may end after the run was passed on: this process did not lose the run by it.
    if (isFenced(error) && error !== this.#loss) return;
    this.report(error);
    if (isFenced(error)) return;
    let stall = this.standStill();
    void noteDriverError(this.#parts, this.id, error);
    while (mayComeThrough(error)) {
      await pause(this.#parts.clock);
      if (this.#parts.stopped.aborted || stall.isOver) return;
      this.tryAgain();
      try {
        const { kind } = await this.send(fact);
        if (kind !== 'moved' && !this.hot) this.letGo();
        return;
      } catch (refused) {
        if (isFenced(refused)) return;
        stall = this.standStill();
        if (mayComeThrough(refused)) continue;
        this.report(refused);
        return;
      }
    }
  }

  /** Reports an error that reaches no caller, to the run's watchers, too. */
  report(error: unknown): void {
    this.#parts.report(error, this.id);
    // The watchers of a lost run have seen this transition already.
    if (!isFenced(error)) this.#tellStalled(error);
  }

  #tellStalled(error: unknown): void {
    this.#parts.bus.notify({ runId: this.id, type: 'stalled', error });
  }

  /**
   * Takes the run over, unless it waits for people alone: its effects in flight are recovered, and it starts if its turn has
   * come. Does nothing if another process was faster.
   *
   * @param fence since this driver has claimed it; undefined if it has not yet
   * @throws what keeps this program from moving the run, and the store's errors; the run stands still here then. After an
   * error of the store that may pass it is tried again.
   */
  async take(fence?: number): Promise<void> {
    using _use = this.use();
    let taken: HotRun | null = null;
    try {
      taken = await this.inTurn(() => this.#claim(fence));
      if (taken) await this.#pickUp(taken);
    } catch (thrown) {
      const isLost = thrown instanceof Fenced || isFenced(thrown);
      // Another process was faster.
      if (!taken && isLost) return;
      if (thrown instanceof Fenced && (await this.#hasMovedOn())) return;
      if (isLost) throw this.lose();
      const stall = this.standStill();
      this.#tellStalled(thrown);
      if (mayComeThrough(thrown)) void this.#takeLater(stall);
      throw thrown;
    }
  }

  async #takeLater(stall: Stall): Promise<void> {
    const { clock, report } = this.#parts;
    await pause(clock);
    if (this.#parts.stopped.aborted || stall.isOver) return;
    await this.take().catch((error) => {
      if (!mayComeThrough(error)) report(error, this.id);
    });
  }

  /**
   * Takes a run over and sends its machine the take-over event, before any other event. Null if the run moves already
   * or has ended.
   */
  async #claim(fence: number | undefined): Promise<HotRun | null> {
    const { store, hosts, ownership, neighbours } = this.#parts;
    if (this.isMoving || this.isBusy) return null;
    const found = await store.query('loadRun', { tenant: this.tenant, id: this.id });
    if (!found || found.ended) return null;
    const { me } = ownership;
    if (me === null || isForeign(found.driver, me)) throw fenced(this.id);
    const refused = whyRefused(this.#parts, found);
    if (refused) throw refused;
    const { host, steps } = hosts.migrationPathOf(found);
    host.checkTakeover?.(found);
    const row = steps.length > 0 ? await this.migrate(found) : found;
    const snapshot = restore(host, row);
    if (await leaveAtRest({ store, neighbours }, { row, snapshot, host }, me)) return null;
    const isClaimed = row.driver === me && row.fence === fence;
    const claimed = isClaimed ? row : await claim(store, row, me);
    if (!claimed) return null;
    this.keepTaken({ row: claimed, snapshot, held: hold(host, row) });
    await this.deliver({ event: host.resumed(row.updatedAt) });
    return this.hot;
  }

  /** Recovers what an earlier driver left in flight, and starts the run if its turn has come. */
  async #pickUp(taken: HotRun): Promise<void> {
    const { store, clock, hosts } = this.#parts;
    const host = hosts.of(taken.row);
    await recover(this, taken, { host, store, clock });
    if (this.hot && host.isParked(this.hot.snapshot) && !this.isBusy) this.letGo();
    const head = await store.query('laneHead', { session: taken.row.session });
    if (head?.id === this.id && taken.snapshot.can({ type: host.startEvent, at: 0 }))
      await this.send({ event: { type: host.startEvent } });
  }

  /**
   * Whether the run came to rest in this driver while its effects were recovered, and may have moved again here since.
   * Then it has another fence, nothing is left to recover, and its current effects must continue.
   */
  #hasMovedOn(): Promise<boolean> {
    const { store, ownership } = this.#parts;
    return this.inTurn(async () => {
      if (!this.isMoving) return true;
      return (await store.query('loadRun', { tenant: this.tenant, id: this.id }))?.driver === ownership.me;
    });
  }

  /** Migrates the run to the newest version of its machine, in a commit of its own. The caller has the turn. */
  async migrate(row: RunRow): Promise<RunRow> {
    const { store, clock, hosts, redact } = this.#parts;
    const at = clock.now();
    try {
      const done = await store.commit(() => migrate(row, hosts.migrationPathOf(row), at, redact));
      tellWatchers(this.#parts, done);
      return done.row;
    } catch (error) {
      if (error instanceof Fenced) throw fenced(this.id);
      throw error;
    }
  }

  /** Loses the run if another driver has moved it. */
  async loseIfTaken(): Promise<void> {
    const mine = this.hot?.row;
    const now = mine && (await this.#parts.store.query('loadRun', { tenant: this.tenant, id: this.id }));
    if (!mine || (now?.seq === mine.seq && now.fence === mine.fence && now.driver === mine.driver)) return;
    this.#parts.report(this.lose(), this.id);
  }

  /**
   * Aborts the effects of a run that another driver moves, and tells the run's watchers. This driver may take it again when
   * no other has it.
   *
   * @returns the `FENCED` error for the caller to throw or report.
   */
  lose(): Error {
    const error = fenced(this.id);
    if (this.isMoving) {
      this.#loss = error;
      this.letGo();
      this.#tellStalled(error);
    }
    this.abortAll();
    return error;
  }
}

/** Tells all who watch a run of a commit. */
export function tellWatchers({ watch, bus }: EngineOptions, moved: Committed): void {
  watch?.(moved);
  const { row, at, path, event } = moved;
  const { id: runId, seq, ended } = row;
  bus.notify({ runId, type: 'transition', seq, at, path, ...toldOf(event), ended: ended === 1 });
}

/**
 * Whether a later try may succeed: the disk is full, another process holds the database. A fact, a timer and a claim whose outcome is unknown
 * are tried again, too: what was committed is found to be a duplicate.
 */
function mayComeThrough(error: unknown): boolean {
  return DetentError.is(error) && (error.retryable || error.code === 'OUTCOME_UNKNOWN');
}
