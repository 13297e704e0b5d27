import type { AnyMachineSnapshot } from 'xstate';
import { DetentError } from '../protocol/error.ts';
import type { Program } from '../store/program.ts';
import { noDriver, type RunRow, type TakeableRun } from '../store/rows.ts';
import { type Delivery, deliver, Fenced, hold, type Receipt, type Transition } from './commit/commit.ts';
import { type Creation, create } from './commit/create.ts';
import type { ChildEnd } from './commit/links.ts';
import { deliverChildEnd } from './drive/child-ends.ts';
import type { Scope } from './drive/driven-sessions.ts';
import { Driver } from './drive/driver.ts';
import type { EngineOptions } from './drive/engine-options.ts';
import { whyRefused } from './drive/fit.ts';
import { Lookout } from './drive/lookout.ts';
import { type EachRun, takeOver, unfinished } from './drive/take-over.ts';
import { allowedCommands, restore } from './machine/decide.ts';
import type { CommitScope, EngineEvent, MachineHost } from './machine/machine-host.ts';
import { readAs } from './machine/migrate.ts';

/** What a commit does to other runs of its session; see {@link Engine.sendAmong}. */
export interface AmongRuns {
  /** Moves a run that nobody performs anything of: one in the queue, or at rest. */
  deliver(row: RunRow, event: EngineEvent): Program<Receipt['kind']>;
  create(creation: Omit<Creation, 'at' | 'driver'>): Program<void>;
}

/**
 * Drives any machine durably. One transition is one commit, and no effect starts before its commit.
 *
 * It knows nothing of agents. For a run that another driver drives it only writes rows: the effects stay `pending`
 * until that driver takes the run.
 *
 * Its parts, each above the next: the {@link Lookout} finds work of other processes; the {@link Driver} knows which sessions
 * this process drives, and which runs it has at hand, and fires their timers; a {@link RunAtHand} moves one run.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #driver: Driver;
  readonly #lookout: Lookout;

  constructor(options: EngineOptions, driver = new Driver(options)) {
    this.#options = options;
    this.#driver = driver;
    this.#lookout = new Lookout(this.#driver);
  }

  /**
   * Creates a run at the end of its session's lane; it starts in the same commit if the lane is free. From then on this
   * engine drives the session, including the unfinished runs of drivers that ended.
   *
   * @throws DetentError as {@link whyRefused}: {@link Creation.waitsFor} wants the run ahead to go on, and no process drives it.
   */
  async create(asked: Omit<Creation, 'at' | 'driver'>): Promise<Transition> {
    const { store, clock, ownership, redact } = this.#options;
    const host = this.hostOf(asked.options.machine);
    const driven = asked.isLeft !== true;
    let made: Transition | null = null;
    /** The run ahead, which another process drives. */
    let elsewhere: string | null = null;
    const waitsFor = (head: RunRow): boolean => {
      const wantsOn = asked.waitsFor?.(head) ?? false;
      const refused = wantsOn && head.id !== elsewhere ? this.whyRefused(head) : null;
      if (refused) throw new BehindLeft(head, refused);
      return wantsOn;
    };
    const creation = { ...asked, waitsFor };
    while (!made) {
      this.#driver.refuseWhenStopped();
      const driver = await ownership.join();
      const at = clock.now();
      try {
        // The runs of a session keep the order in which they were asked for.
        made = await store.commit(
          () => create({ ...creation, at, driver }, { host, driven, redact }),
          `session ${creation.tenant} ${creation.sessionKey}`,
        );
      } catch (error) {
        if (error instanceof BehindLeft) {
          if ((await this.driverElsewhere(error.head)) === null) throw error.refused;
          elsewhere = error.head.id;
          continue;
        }
        if (!(error instanceof Fenced)) throw error;
        // Another process declared this one dead.
        await ownership.renew(driver);
        await this.#driver.runs.findLost();
      }
    }
    if (driven) this.#driver.sessions.add(made.row);
    this.#driver.runs.at(made.row).afterCommit(made);
    // The queue may hold an unfinished run of an earlier driver before this one.
    if (!asked.isLeft && made.row.seq === 0) await this.adopt(made.row.session);
    return made;
  }

  /** Takes a session over if a driver that ended left unfinished work in it, now or later. */
  async adopt(session: number): Promise<void> {
    const driver = this.#driver;
    if (driver.me !== null) driver.sessions.add({ session });
    try {
      const head = await this.#options.store.query('laneHead', { session });
      const isMine = head && head.driver !== null && head.driver === driver.me;
      if (!head || isMine || (await driver.neighbours.areDriving(head))) return;
      if (head.driver !== noDriver || head.lastDriver !== driver.me) await this.drive({ session });
    } catch (error) {
      // The caller's own request is stored already, so it must not fail.
      driver.reportUnlessStopped(error, '');
    }
  }

  /**
   * Delivers a command.
   *
   * @throws DetentError `NOT_FOUND`, `MIGRATION_NEEDED`, `MACHINE_FAULT`, or the store's.
   */
  async send(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    this.#driver.refuseWhenStopped();
    return this.#driver.runs.at({ tenant, id: runId }).send(delivery);
  }

  /**
   * Delivers a command, and moves or makes other runs of its session in the same commit.
   *
   * @param others runs in that commit, after the transition
   * @throws DetentError as {@link send}, and of a run that this program must not move
   */
  async sendAmong(
    tenant: number,
    runId: string,
    delivery: Omit<Delivery, 'at'>,
    others: (scope: CommitScope, among: AmongRuns) => Program<void>,
  ): Promise<Receipt> {
    const { hosts, ownership, redact } = this.#options;
    this.#driver.refuseWhenStopped();
    const driver = await ownership.join();
    let moved: Transition[] = [];
    const receipt = await this.send(tenant, runId, {
      ...delivery,
      *writes(scope) {
        // The program may be run again after its transaction has failed.
        moved = [];
        const { at } = scope;
        yield* delivery.writes?.(scope) ?? [];
        yield* others(scope, {
          *deliver(row, event) {
            const host = hosts.of(row);
            const hot = { row, snapshot: restore(host, row), held: hold(host, row) };
            const receipt = yield* deliver(hot, { event, at }, { host, driven: false, redact });
            if (receipt.kind === 'moved') moved.push(receipt);
            return receipt.kind;
          },
          *create(creation) {
            const host = hosts.newest(creation.options.machine);
            const driven = creation.isLeft !== true;
            moved.push(yield* create({ ...creation, at, driver }, { host, driven, redact }));
          },
        });
      },
    });
    if (receipt.kind !== 'moved') return receipt;
    for (const transition of moved) {
      this.#driver.sessions.add(transition.row);
      this.#driver.runs.at(transition.row).afterCommit(transition);
    }
    return receipt;
  }

  /** Tells a run of the end of one that it waits for. See {@link deliverChildEnd}. */
  async childEnded(
    tenant: number,
    runId: string,
    end: ChildEnd,
    settles: Pick<Delivery, 'settles'>,
  ): Promise<Receipt['kind']> {
    this.#driver.refuseWhenStopped();
    return deliverChildEnd(this.#driver, { tenant, id: runId }, end, settles);
  }

  /** The commands that the run accepts now; none if this program cannot restore the run. */
  allowed(row: RunRow): EngineEvent[] {
    try {
      const path = this.#options.hosts.migrationPathOf(row);
      const hot = this.#driver.runs.find(row)?.hot;
      // Another process may have moved the run since this process last read it.
      const snapshot = hot?.row.seq === row.seq ? hot.snapshot : readAs(path, row);
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

  /** See {@link Driver.drives}. */
  drives(row: TakeableRun): boolean {
    return this.#driver.drives(row);
  }

  /** See {@link Driver.mayClaim}. */
  covers(row: TakeableRun): boolean {
    return this.#driver.mayClaim(row);
  }

  /** See {@link Driver.awaits}. */
  awaits(row: TakeableRun): boolean {
    return this.#driver.awaits(row);
  }

  /** Whether this engine works on the run after exactly this transition, so that another transition will follow. */
  isAtWork(run: Pick<RunRow, 'tenant' | 'id' | 'seq'>): boolean {
    return this.atWork(run)?.seq === run.seq;
  }

  /** A run that this engine works on, as its last commit left it. */
  atWork(run: Pick<RunRow, 'tenant' | 'id'>): RunRow | undefined {
    const hot = this.#driver.runs.find(run)?.hot;
    return hot && !this.#options.hosts.of(hot.row).isParked(hot.snapshot) ? hot.row : undefined;
  }

  /** Whether a live driver drives the run: this one, or that of another process. */
  readonly isDriven = (row: RunRow): boolean => this.drives(row) || this.isDrivenElsewhere(row);

  /** See {@link Driver.isDrivenElsewhere}. */
  isDrivenElsewhere(run: Pick<RunRow, 'driver'>): boolean {
    return this.#driver.isDrivenElsewhere(run);
  }

  /** The epoch of this driver; null while it drives nothing. */
  get me(): number | null {
    return this.#driver.me;
  }

  /** See {@link Driver.wants}. */
  wants(row: RunRow): boolean {
    return this.#driver.wants(row);
  }

  /** Makes this process a driver, unless it is one. Resolves with its epoch. */
  join(): Promise<number> {
    this.#driver.refuseWhenStopped();
    return this.#options.ownership.join();
  }

  /** Which other process drives the run now; null when none does. A driver that is dead is buried. */
  async driverElsewhere(row: Pick<RunRow, 'driver'>): Promise<number | null> {
    return (await this.#driver.neighbours.areDriving(row)) ? row.driver : null;
  }

  /**
   * Takes over the unfinished runs of one session, or of all, but for those that other processes drive: recovers effects
   * that were in flight, fires overdue timers, and starts the run at the head of each lane. Reports runs that cannot be
   * restored, and leaves them as they are. From now on it takes such runs also when their drivers die.
   *
   * @param each is called with every run that no other process drives, before it is taken
   */
  async drive(scope: Scope, each: EachRun = this.#reportRefused): Promise<void> {
    this.#driver.refuseWhenStopped();
    await this.#options.ownership.join();
    await takeOver(this.#driver, scope, each);
    await this.#driver.timers.check();
  }

  readonly #reportRefused: EachRun = async (row, refused) => {
    if (refused) this.#driver.reportUnlessStopped(refused, row.id);
  };

  /** The unfinished runs that this engine moves forward. */
  async driven(): Promise<TakeableRun[]> {
    const rows: TakeableRun[] = [];
    for await (const row of unfinished(this.#options.store, 'all')) if (this.drives(row)) rows.push(row);
    return rows;
  }

  /** See {@link Lookout.look}. */
  async look(isProbe = true): Promise<void> {
    const { isStopped, me } = this.#driver;
    if (!isStopped) await this.#lookout.look(me, isProbe);
  }

  /** Looks again at runs that this program could not move before: it can do more now. */
  reconsider(): void {
    this.#lookout.reconsider();
  }

  /** Why this program must not move the run; null when it may. */
  whyRefused(row: TakeableRun): Error | null {
    return whyRefused(this.#options, row);
  }

  /** See {@link Driver.stop}. */
  stop(): Promise<void> {
    return this.#driver.stop();
  }

  /** The version of its machine that the run goes on under here. @throws DetentError `MIGRATION_NEEDED`, `CHART_CHANGED`. */
  hostOfRun(row: Pick<RunRow, 'id' | 'machine' | 'version' | 'options'>): MachineHost {
    return this.#options.hosts.migrationPathOf(row).host;
  }

  /** The newest version of a machine. */
  hostOf(machine: string): MachineHost {
    return this.#options.hosts.newest(machine);
  }
}

/** Thrown inside a transaction to leave it: this program leaves the run at the head of the lane as it is. */
class BehindLeft extends Error {
  readonly head: RunRow;
  readonly refused: Error;

  constructor(head: RunRow, refused: Error) {
    super(refused.message);
    this.head = head;
    this.refused = refused;
  }
}

export { Driver } from './drive/driver.ts';
export type { Dispatcher, EngineOptions, Seeker } from './drive/engine-options.ts';
export { whyLeft } from './drive/fit.ts';
export { type Followed, follow } from './drive/follow.ts';
export type { EachRun } from './drive/take-over.ts';
export { againMs, Timers } from './drive/timers.ts';
