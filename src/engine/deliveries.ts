import type { Program } from '../store/program.ts';
import { noDriver, type RunRow } from '../store/rows.ts';
import type { KeyedQueue } from '../text/limiter.ts';
import { deliverFromRest, Foreign, type LostRuns } from './claim.ts';
import {
  type CommitOptions,
  type Delivery,
  deliver,
  Fenced,
  hold,
  isRepeated,
  type Receipt,
  type Transition,
} from './commit.ts';
import { MachineFault, restore } from './decide.ts';
import type { EngineOptions } from './engine-options.ts';
import { notFound } from './errors.ts';
import type { HeldRuns } from './hot-runs.ts';
import type { Fact, MachineHost } from './machine-host.ts';
import type { MigrationPath } from './machine-hosts.ts';
import { Unmigrated } from './migrate.ts';
import { isForeign, type Neighbours } from './ownership.ts';
import { countFault } from './recovery.ts';
import { ask } from './statements.ts';

/** After so many throws of its machine a run fails. */
const maxFaults = 3;

interface DeliveriesOptions
  extends Pick<EngineOptions, 'store' | 'hosts' | 'clock' | 'ownership' | 'redact'> {
  held: HeldRuns;
  lost: LostRuns;
  neighbours: Neighbours;
  /** Whether this engine moves the run forward. */
  drives(row: RunRow): boolean;
  mayClaim(row: RunRow): boolean;
  /** Migrates a run to the newest version of its machine, in a commit of its own. */
  migrate(row: RunRow): Promise<unknown>;
  /** Is called after the commit of a transition. */
  moved(transition: Transition, signals: Fact['signals']): void;
}

/** Delivers events to runs. The caller keeps those of one run serial. */
export class Deliveries {
  readonly #options: DeliveriesOptions;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /**
   * Moves a run by one event, in one commit.
   *
   * @throws DetentError `NOT_FOUND`, `MIGRATION_NEEDED`, `MACHINE_FAULT`, `FENCED`, or the store's.
   */
  async deliver(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    if (this.#options.held.workedUntil(runId) !== null) await this.#skipLostTime(tenant, runId);
    return this.#deliver(tenant, runId, delivery);
  }

  /** The deadlines of runs at work are due by the clock, and count time in which somebody worked. */
  async skipLostTimes(queue: KeyedQueue): Promise<void> {
    const { held } = this.#options;
    const rows = held.rows().filter(({ id }) => held.workedUntil(id) !== null);
    // One that cannot be told now is told before its next event.
    await Promise.allSettled(
      rows.map(({ tenant, id }) => queue.enqueue(id, () => this.#skipLostTime(tenant, id))),
    );
  }

  /** Tells a run at work of time that passed in which nobody worked: it is no working time, and its deadline moves. */
  async #skipLostTime(tenant: number, runId: string): Promise<void> {
    const { held, hosts } = this.#options;
    const lastAt = held.workedUntil(runId);
    const hot = held.get(runId);
    if (lastAt === null || !hot) return;
    const host = hosts.like(hot.row);
    if (host.countsTime?.(hot.snapshot))
      await this.#deliver(tenant, runId, { event: { ...host.resumed(lastAt), isSameDriver: true } });
  }

  async #deliver(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    const at = this.#options.clock.now();
    try {
      const receipt = await this.#options.store.commit(() =>
        this.#program(tenant, runId, { ...delivery, at }),
      );
      if (receipt.kind === 'moved') this.#options.moved(receipt, delivery.signals);
      return receipt;
    } catch (error) {
      // It is unknown whether the commit was written: read the run again before its next event.
      this.#options.held.forget(runId);
      if (error instanceof Unmigrated) {
        await this.#options.migrate(error.row);
        return this.deliver(tenant, runId, delivery);
      }
      if (error instanceof Fenced) throw this.#options.lost.lose(runId);
      if (error instanceof Foreign) return this.#whenFree(error.row, delivery);
      if (error instanceof MachineFault) return this.#noteFault(tenant, runId, error, delivery);
      throw error;
    }
  }

  /** Delivers a command to a run of another driver if that driver is dead; the run's own facts come too late. */
  async #whenFree(row: RunRow, delivery: Omit<Delivery, 'at'>): Promise<Receipt> {
    const isCommand = this.#options.hosts.like(row).commands.has(delivery.event.type);
    if (!isCommand || (await this.#options.neighbours.areDriving(row))) throw this.#options.lost.lose(row.id);
    return this.deliver(row.tenant, row.id, delivery);
  }

  *#program(tenant: number, runId: string, delivery: Delivery): Program<Receipt> {
    const { held, ownership, mayClaim, drives } = this.#options;
    const { me } = ownership;
    const cached = held.get(runId);
    const row = cached?.row ?? (yield* ask('loadRun', { tenant, id: runId }));
    if (!row || row.tenant !== tenant) throw notFound(runId);
    if (row.ended) return { kind: (yield* isRepeated(row, delivery)) ? 'duplicate' : 'ended', row };
    if (isForeign(row.driver, me)) throw new Foreign(row);
    const { host, steps, isEnding } = this.#pathOf(row, delivery);
    if (steps.length > 0) throw new Unmigrated(row);
    if (isEnding) delivery.event = { ...delivery.event, withoutChart: true };
    const hot = cached ?? { row, snapshot: restore(host, row), held: hold(host, row) };
    if (row.driver === noDriver && me !== null && mayClaim(row))
      return yield* deliverFromRest(hot, me, delivery, this.#commitOptions(host, true));
    return yield* deliver(hot, delivery, this.#commitOptions(host, drives(row)));
  }

  /** A run whose chart this program does not have can be ended all the same. */
  #pathOf(row: RunRow, { event }: Delivery): MigrationPath & { isEnding: boolean } {
    const { hosts } = this.#options;
    try {
      return { ...hosts.migrationPathOf(row), isEnding: false };
    } catch (error) {
      const host = hosts.ending(row);
      if (!host?.commands.has(event.type)) throw error;
      return { host, steps: [], isEnding: true };
    }
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
    const host = this.#options.hosts.like(faults.row);
    const isCommand = host.commands.has(delivery.event.type);
    if (faults.count >= maxFaults) {
      const failing = host.faulted(fault.code, fault.message);
      if (delivery.event.type === failing.type) throw fault;
      const receipt = await this.deliver(tenant, runId, { event: failing });
      if (isCommand) throw fault;
      return receipt;
    }
    if (isCommand) throw fault;
    return this.deliver(tenant, runId, delivery);
  }

  #commitOptions(host: MachineHost, driven: boolean): CommitOptions {
    return { host, driven, redact: this.#options.redact };
  }
}
