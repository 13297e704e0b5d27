import { type Attendance, type EventBus, type Hints, noHints, type RunSignal } from '../../engine/bus.ts';
import type { Engine } from '../../engine/engine.ts';
import { readLog } from '../../engine/log.ts';
import { transitionOf } from '../../engine/machine.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../rows/statements.ts';

/** How often a store that has a `version` is asked whether others have written. */
const tickMs = 100;
/** Every so many ticks the other drivers are asked for signs of life. */
const probeEvery = 10;

/** When it is looked for the driver of a run that had none: a worker takes most at once. */
const seekMs = [30, 70, 150, 300];

/** A run of another process that is listened to here. */
interface Attended {
  tenant: number;
  readers: number;
  /** The last transition that listeners here know of, or that came before they listened. -1 until it is known. */
  seq: number;
  /** The last one that they were told. */
  told: number;
  driver: number | null;
  begun: Promise<void>;
  /** Ends the signals of its driver. */
  unfollow(): void;
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
  /** Why the database could not be read at the last tick. */
  #trouble: string | null = null;
  #ticks = 0;
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { bus, hints } = options;
    const isShared = hints !== noHints;
    this.#timer = isShared ? setInterval(() => this.#tick(), tickMs).unref() : null;
    if (!this.#timer) return;
    hints.listen(() => this.#look(true), bus);
    bus.attendWith(
      (tenant, runId) => this.#attend(tenant, runId),
      (transition) => this.#complete(transition),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    for (const { unfollow } of this.#attended.values()) unfollow();
    await this.#looking;
  }

  #tick(): void {
    this.#ticks++;
    const version = this.#readVersion();
    const isProbe = this.#ticks % probeEvery === 0;
    if (version === this.#version && !isProbe) return;
    this.#version = version;
    this.#look(isProbe);
  }

  /** A database that cannot be read, or is not there any more, is reported once. */
  #readVersion(): number | undefined {
    try {
      const version = this.#options.store.version?.();
      this.#trouble = null;
      return version;
    } catch (error) {
      const trouble = messageOf(error);
      if (trouble !== this.#trouble && !this.#stopped) this.#options.report(error, '');
      this.#trouble = trouble;
      return this.#version;
    }
  }

  #look(isProbe: boolean): void {
    if (this.#stopped || this.#trouble !== null) return;
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

  #attend(tenant: number, runId: string): Attendance {
    const found = this.#attended.get(runId);
    const attended = found ?? {
      ...{ tenant, readers: 0, seq: -1, told: -1, driver: null },
      begun: Promise.resolve(),
      unfollow: () => {},
    };
    attended.readers++;
    if (!found) {
      this.#attended.set(runId, attended);
      attended.begun = this.#begin(runId, attended);
    }
    let isHere = true;
    const leave = () => {
      if (!isHere) return;
      isHere = false;
      if (--attended.readers > 0) return;
      attended.unfollow();
      if (this.#attended.get(runId) === attended) this.#attended.delete(runId);
      this.#holdProcess();
    };
    return { begun: attended.begun, leave };
  }

  async #begin(runId: string, attended: Attended): Promise<void> {
    try {
      const { store, engine } = this.#options;
      const run = { tenant: attended.tenant, id: runId };
      const row = engine.atWork(run) ?? (await store.query('loadRun', run));
      attended.seq = Math.max(attended.seq, row?.seq ?? 0);
      if (row) this.#join(row, attended);
      this.#holdProcess();
      if (row && row.driver === null) void this.#seekDriver(runId, attended).catch(() => {});
    } catch {
      // The store was closed, or it is tried again: what they know of then, listeners are told once more.
      attended.seq = Math.max(attended.seq, 0);
    }
  }

  /** Else listeners would hear nothing of its answer before the next probe. */
  async #seekDriver(runId: string, attended: Attended): Promise<void> {
    for (const ms of seekMs) {
      await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
      if (this.#stopped || attended.driver !== null || attended.readers === 0) return;
      await this.#relay(runId, attended);
    }
  }

  /** Listens to the driver of a run, if that is another process. */
  #join(row: RunRow, attended: Attended): void {
    const { bus, engine, hints } = this.#options;
    attended.unfollow();
    attended.unfollow = () => {};
    attended.driver = row.driver;
    if (!engine.isDrivenElsewhere(row) || attended.readers === 0) return;
    const stop = hints.follow(row.driver as number, row.id, (signal) => {
      if (signal.type === 'stalled') this.#stalledElsewhere(signal);
      else bus.notify(signal);
    });
    attended.unfollow = () => {
      stop();
      bus.forget(row.id);
    };
  }

  /** Its driver cannot move the run. If it has lost the run, its next driver tells more. */
  #stalledElsewhere(signal: RunSignal): void {
    const { bus, changed } = this.#options;
    const { code = 'INTERNAL', message = 'its driver cannot continue the run' } = (signal.error ?? {}) as {
      code?: string;
      message?: string;
    };
    if (code === 'FENCED') changed();
    else bus.notify({ ...signal, error: new DetentError(code, message) });
  }

  /**
   * A run may have moved elsewhere before it moves here: listeners hear of that first. What the log told them already is
   * not told again.
   */
  #complete(transition: RunSignal): readonly RunSignal[] | Promise<readonly RunSignal[]> {
    const { runId, seq = 0 } = transition;
    const attended = this.#attended.get(runId);
    if (!attended) return [transition];
    if (seq <= attended.told) return [];
    const known = attended.seq;
    attended.told = seq;
    attended.seq = Math.max(known, seq);
    if (known < 0 || seq <= known + 1) return [transition];
    return this.#missing(runId, attended.tenant, known, seq).then((missing) => [...missing, transition]);
  }

  /** The transitions between two. */
  async #missing(runId: string, tenant: number, after: number, before: number): Promise<RunSignal[]> {
    const { store } = this.#options;
    try {
      const row = await store.query('loadRun', { tenant, id: runId });
      if (!row) return [];
      const events = await Array.fromAsync(readLog(store, row.pk, { after, upTo: before - 1 }));
      return events.map((event) => transitionOf(runId, event, [], false));
    } catch {
      // The store was closed.
      return [];
    }
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
      for await (const event of readLog(store, row.pk, { after: attended.seq, upTo: row.seq }))
        if (event.seq > attended.seq)
          bus.notify(transitionOf(runId, event, [], row.ended === 1 && event.seq === row.seq));
    }
    if (row.driver !== attended.driver) this.#join(row, attended);
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
