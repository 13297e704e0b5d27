import type { EventBus, RunSignal } from '../engine/bus.ts';
import type { Engine } from '../engine/engine.ts';
import { type Hints, noHints } from '../engine/hints.ts';
import { transitionOf } from '../engine/logged-transition.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from './statements.ts';

/** How often the database is asked whether others have written. */
const tickMs = 100;
/** Every so many ticks the other drivers are asked for signs of life. */
const probeEvery = 10;

/** A run of another process that is listened to here. */
interface Attended {
  tenant: number;
  readers: number;
  /** The last transition that listeners here know of. */
  seq: number;
  driver: number | null;
  /** Ends the signals of its driver. */
  leave(): void;
}

interface WatchOptions {
  store: Store;
  engine: Engine;
  bus: EventBus;
  hints: Hints;
  /** Delivers the commands of other processes to own runs. */
  deliver(): Promise<void>;
  /** Called when a run that is listened to has moved elsewhere, or has another driver. */
  changed(): void;
  report(error: unknown, runId: string): void;
}

/**
 * Watches what other processes do in the same database: takes the runs that want a driver, delivers commands to own runs,
 * and tells listeners here of the runs that others drive. The rows are the truth; hints only make it look sooner.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #attended = new Map<string, Attended>();
  readonly #timer: NodeJS.Timeout | null;
  #version: number | undefined;
  #ticks = 0;
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { store, bus, hints } = options;
    const isShared = store.version !== undefined && hints !== noHints;
    this.#timer = isShared ? setInterval(() => this.#tick(), tickMs).unref() : null;
    if (!this.#timer) return;
    hints.listen(() => this.#look(true), bus);
    bus.attendWith((tenant, runId) => this.#attend(tenant, runId));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    for (const { leave } of this.#attended.values()) leave();
    await this.#looking;
  }

  #tick(): void {
    this.#ticks++;
    const version = this.#options.store.version?.();
    const isProbe = this.#ticks % probeEvery === 0;
    if (version === this.#version && !isProbe) return;
    this.#version = version;
    this.#look(isProbe);
  }

  #look(isProbe: boolean): void {
    if (this.#stopped) return;
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = this.#lookNow(isProbe)
      .catch((error) => {
        if (!this.#stopped) this.#options.report(error, '');
      })
      .finally(() => {
        this.#looking = null;
        if (!this.#again) return;
        this.#again = false;
        this.#look(false);
      });
  }

  async #lookNow(isProbe: boolean): Promise<void> {
    const { engine, deliver } = this.#options;
    // First of all, so that listeners hear of an event of another process before what this one makes of it.
    for (const [runId, attended] of this.#attended) await this.#relay(runId, attended);
    await engine.look(isProbe);
    await deliver();
    this.#holdProcess();
  }

  #attend(tenant: number, runId: string): () => void {
    const found = this.#attended.get(runId);
    const attended = found ?? { tenant, readers: 0, seq: -1, driver: null, leave: () => {} };
    attended.readers++;
    if (!found) {
      this.#attended.set(runId, attended);
      const stop = this.#options.bus.listen(runId, ({ seq }: RunSignal) => {
        attended.seq = Math.max(attended.seq, seq ?? 0);
      });
      attended.leave = stop;
      void this.#begin(runId, attended, stop);
    }
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      if (--attended.readers > 0) return;
      attended.leave();
      if (this.#attended.get(runId) === attended) this.#attended.delete(runId);
      this.#holdProcess();
    };
  }

  async #begin(runId: string, attended: Attended, stop: () => void): Promise<void> {
    try {
      const row = await this.#options.store.query('loadRun', { tenant: attended.tenant, id: runId });
      attended.seq = Math.max(attended.seq, row?.seq ?? 0);
      if (row) this.#join(row, attended, stop);
      this.#holdProcess();
    } catch {
      // The store was closed.
    }
  }

  /** Listens to the driver of a run, if that is another process. */
  #join(row: RunRow, attended: Attended, stop: () => void): void {
    const { bus, engine, hints } = this.#options;
    attended.leave();
    attended.driver = row.driver;
    if (!engine.isDrivenElsewhere(row) || attended.readers === 0) {
      attended.leave = stop;
      return;
    }
    const unfollow = hints.follow(row.driver as number, row.id, (signal) => bus.notify(signal));
    attended.leave = () => {
      stop();
      unfollow();
    };
  }

  /** Tells listeners of the transitions that another process has made. */
  async #relay(runId: string, attended: Attended): Promise<void> {
    const { store, bus, engine, changed } = this.#options;
    const row = await store.query('loadRun', { tenant: attended.tenant, id: runId });
    if (!row || attended.seq < 0) return;
    const isNews = row.seq > attended.seq || row.driver !== attended.driver;
    if (engine.drives(row)) {
      attended.driver = row.driver;
      return;
    }
    if (row.seq > attended.seq) {
      const after = { run: row.pk, after: attended.seq, limit: row.seq - attended.seq };
      for (const event of await store.query('listEvents', after))
        if (event.seq > attended.seq)
          bus.notify(transitionOf(runId, event, [], row.ended === 1 && event.seq === row.seq));
    }
    if (row.driver !== attended.driver) this.#join(row, attended, () => {});
    if (isNews) changed();
  }

  /** Keeps the process alive while it waits for a run that another process moves. */
  #holdProcess(): void {
    const waits = [...this.#attended.values()].some(
      ({ driver }) => driver !== null && this.#options.engine.isDrivenElsewhere({ driver }),
    );
    if (waits && !this.#stopped) this.#timer?.ref();
    else this.#timer?.unref();
  }
}
