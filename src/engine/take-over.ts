import type { AnyMachineSnapshot } from 'xstate';
import { noDriver, type RunRow } from '../store/rows.ts';
import type { KeyedQueue } from '../text/limiter.ts';
import { claim, type LostRuns, watchOver } from './claim.ts';
import { type Delivery, Fenced, type HotRun, hold, isAtRest } from './commit.ts';
import { restore } from './decide.ts';
import type { EngineOptions } from './engine-options.ts';
import { fenced, isFenced } from './errors.ts';
import type { Executor } from './executor.ts';
import type { HeldRuns, Stall } from './hot-runs.ts';
import type { MachineHost } from './machine-host.ts';
import { type Migrated, migrate } from './migrate.ts';
import { isForeign, type Neighbours } from './ownership.ts';
import { isRetryable, pause } from './persist.ts';
import { recover } from './recovery.ts';

type Deliver = (tenant: number, runId: string, delivery: Omit<Delivery, 'at'>) => Promise<unknown>;

/** How many lanes are taken over at once. */
const atOnce = 32;

interface TakeOverOptions extends Omit<EngineOptions, 'whyRefused'> {
  held: HeldRuns;
  executor: Executor;
  lost: LostRuns;
  neighbours: Neighbours;
  /** Serialises the events of one run. */
  queue: KeyedQueue;
  whyRefused(row: RunRow): Error | null;
  isStopped(): boolean;
  /** Delivers an event in its turn. */
  send: Deliver;
  /** Delivers an event at once. */
  commit: Deliver;
  /** Tells watchers of a migration. */
  tell(migrated: Migrated): void;
}

/** Takes runs over that no driver has. */
export class TakeOver {
  readonly #options: TakeOverOptions;

  constructor(options: TakeOverOptions) {
    this.#options = options;
  }

  /**
   * Takes a run over, unless it waits for people alone: its effects in flight are recovered, and it starts if its turn has
   * come. Does nothing if another process was faster.
   *
   * @throws what keeps this program from moving the run, and the store's errors; the run stands still here then. After an
   * error of the store that may pass it is tried again.
   */
  async take(row: Pick<RunRow, 'tenant' | 'id'>): Promise<void> {
    let taken: HotRun | null = null;
    try {
      taken = await this.#options.queue.enqueue(row.id, () => this.#claim(row.tenant, row.id));
      if (taken) await this.#pickUp(taken);
    } catch (thrown) {
      // Another process was faster.
      if (!taken && isLost(thrown)) return;
      if (thrown instanceof Fenced && (await this.#hasMovedOn(row))) return;
      if (isLost(thrown)) throw this.#options.lost.lose(row.id);
      const stall = this.#options.held.stall(row.id);
      this.#options.bus.notify({ runId: row.id, type: 'stalled', error: thrown });
      if (isRetryable(thrown)) void this.#takeLater(row, stall);
      throw thrown;
    }
  }

  async #takeLater(row: Pick<RunRow, 'tenant' | 'id'>, stall: Stall): Promise<void> {
    const { clock, isStopped, report } = this.#options;
    await pause(clock);
    if (isStopped() || stall.isOver) return;
    await this.take(row).catch((error) => {
      if (!isRetryable(error)) report(error, row.id);
    });
  }

  /**
   * Whether a run came to rest in this driver while its effects were recovered, and may have moved again here since. It has
   * another fence then, nothing is left to be recovered, and what it does now must go on.
   */
  #hasMovedOn({ tenant, id }: Pick<RunRow, 'tenant' | 'id'>): Promise<boolean> {
    const { queue, held, store, ownership } = this.#options;
    return queue.enqueue(id, async () => {
      if (!held.isMoving(id)) return true;
      return (await store.query('loadRun', { tenant, id }))?.driver === ownership.me;
    });
  }

  /**
   * Takes several runs over at once, because each take-over waits for its commits: those of one session in their order.
   * Reports runs that cannot be taken.
   */
  async takeAll(
    rows: readonly Pick<RunRow, 'tenant' | 'id' | 'session'>[],
    report: (error: unknown, runId: string) => void,
  ): Promise<void> {
    const lanes = [...Map.groupBy(rows, ({ session }) => session).values()];
    const takeLanes = async () => {
      for (let lane = lanes.shift(); lane; lane = lanes.shift())
        for (const row of lane) await this.take(row).catch((error) => report(error, row.id));
    };
    await Promise.all(Array.from({ length: atOnce }, takeLanes));
  }

  /** Watches over runs that wait for people, and whose drivers ended, in one commit: their timers, and commands to them. */
  async watchOver(rows: readonly Pick<RunRow, 'pk' | 'fence'>[]): Promise<void> {
    const { store, ownership } = this.#options;
    const { me } = ownership;
    if (me === null || rows.length === 0) return;
    await store.commit(function* () {
      for (const row of rows) yield* watchOver(row, me);
    });
  }

  async #pickUp(taken: HotRun): Promise<void> {
    const { store, clock } = this.#options;
    const { tenant, id, session } = taken.row;
    const host = this.#options.hosts.of(taken.row);
    await recover({ ...taken, host, store, clock, executor: this.#options.executor }, (delivery) =>
      this.#options.send(tenant, id, delivery),
    );
    const current = this.#options.held.get(id);
    if (current && host.isParked(current.snapshot) && !this.#options.executor.isBusy(id))
      this.#options.held.letGo(id);
    const head = await store.query('laneHead', { session });
    if (head?.id === id && taken.snapshot.can({ type: host.startEvent, at: 0 }))
      await this.#options.send(tenant, id, { event: { type: host.startEvent } });
  }

  /**
   * Takes a run over and sends its machine the take-over event, before any other event. Null if the run moves already
   * or has ended.
   */
  async #claim(tenant: number, runId: string): Promise<HotRun | null> {
    const { store } = this.#options;
    if (this.#options.held.isMoving(runId) || this.#options.executor.isBusy(runId)) return null;
    const found = await store.query('loadRun', { tenant, id: runId });
    if (!found || found.ended) return null;
    const me = this.#options.ownership.me;
    if (me === null || isForeign(found.driver, me)) throw fenced(runId);
    const refused = this.#options.whyRefused(found);
    if (refused) throw refused;
    const { host, steps } = this.#options.hosts.migrationPathOf(found);
    host.checkTakeover?.(found);
    const row = steps.length > 0 ? await this.migrate(found) : found;
    const snapshot = restore(host, row);
    if (await this.#leaveAtRest(row, host, snapshot, me)) return null;
    const claimed = await claim(store, row, me);
    if (!claimed) return null;
    this.#options.held.taken({ row: claimed, snapshot, held: hold(host, row) });
    await this.#options.commit(tenant, runId, { event: host.resumed(row.updatedAt) });
    return this.#options.held.get(runId) ?? null;
  }

  /** Whether the run waits for people alone. If its last driver ended, this one watches its timers from now on. */
  async #leaveAtRest(
    row: RunRow,
    host: MachineHost,
    snapshot: AnyMachineSnapshot,
    me: number,
  ): Promise<boolean> {
    const { store } = this.#options;
    if (row.driver !== noDriver) return false;
    const isAlive = await this.#options.neighbours.areDriving({ driver: row.lastDriver });
    return store.commit(function* () {
      if (!(yield* isAtRest(host, snapshot, row.pk))) return false;
      if (row.lastDriver !== me && !isAlive && !(yield* watchOver(row, me))) throw new Fenced();
      return true;
    });
  }

  /** Migrates a run to a newer version, in a commit of its own. */
  async migrate(row: RunRow): Promise<RunRow> {
    const { store, clock, hosts, redact } = this.#options;
    const at = clock.now();
    try {
      const done = await store.commit(() => migrate(row, hosts.migrationPathOf(row), at, redact));
      this.#options.tell(done);
      return done.row;
    } catch (error) {
      if (error instanceof Fenced) throw fenced(row.id);
      throw error;
    }
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Fenced || isFenced(error);
}
