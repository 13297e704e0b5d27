import type { EventBus, RunSignal } from '../../engine/bus.ts';
import { type Hints, noHints } from '../../engine/bus.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RunView } from '../../protocol/views.ts';
import type { RunRow, TakeableRun } from '../../store/rows.ts';
import { isJobRun, optionsOf } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import type { RunKind } from '../kinds/run-kind.ts';
import { findRow } from '../rows/find-run.ts';
import { mayGoOn, runStatus } from '../rows/run-status.ts';
import type { Store } from '../rows/statements.ts';
import { askingSubRun } from '../rows/sub-run-rows.ts';
import { readRunView } from '../views/read-run-view.ts';

interface RestsOptions {
  engine: Engine;
  store: Store;
  bus: EventBus;
  hints: Hints;
}

/** Waits until runs rest: until they have ended, or cannot go on here without a person, an event or another driver. */
export class Rests {
  readonly #options: RestsOptions;
  /** Callbacks that make each wait check its run again. */
  readonly #resting = new Set<() => void>();
  readonly #waiting = new Set<Promise<RunView>>();
  #isStopped = false;

  constructor(options: RestsOptions) {
    this.#options = options;
  }

  /** See `Runs.settled`. */
  async settled(tenant: number, runId: string): Promise<RunView> {
    const view = this.#atRest(tenant, runId);
    this.#waiting.add(view);
    try {
      return await view;
    } finally {
      this.#waiting.delete(view);
    }
  }

  /** See `Runs.rested`. */
  async rested(): Promise<void> {
    const driven = (await this.#options.engine.driven()).filter((row) => !isJobRun(row));
    const roots = new Map<string, TakeableRun>();
    for (const row of driven) {
      const root = await this.#rootOf(row);
      roots.set(`${root.tenant} ${root.id}`, root);
    }
    await Promise.allSettled([...roots.values()].map((row) => this.settled(row.tenant, row.id)));
  }

  lookAgain(): void {
    for (const look of this.#resting) look();
  }

  /** Resolves every wait. Call it after the engine has stopped. */
  async stop(): Promise<void> {
    // Runs that other processes move go on without it.
    this.#isStopped = true;
    this.lookAgain();
    await Promise.allSettled(this.#waiting);
  }

  async #atRest(tenant: number, runId: string): Promise<RunView> {
    const { store, engine } = this.#options;
    for (;;) {
      const row = await this.#find(tenant, runId);
      const rested = (await this.#rests(row)) ? row : await this.#restOf(row);
      if (rested) return readRunView(store, rested, engine.isDriven);
    }
  }

  /** Watches a run that goes on. Its row if it rests already, else null once it may. */
  async #restOf(row: RunRow): Promise<RunRow | null> {
    const { tenant, id } = row;
    const watched = await this.#watchedOf(row);
    const next = this.#nextRest(tenant, watched);
    try {
      // Look again after subscribing, so that no signal is missed.
      await next.begun;
      const current = await this.#find(tenant, id);
      if (await this.#rests(current)) return current;
      if (await this.#hasOthers(current, watched)) return null;
      const signal = await next.promise;
      if (signal?.type === 'stalled' && signal.runId === id) throw signal.error;
      return null;
    } finally {
      next.stop();
    }
  }

  async #find(tenant: number, id: string): Promise<RunRow> {
    const { store, engine } = this.#options;
    return engine.atWork({ tenant, id }) ?? findRow(store, tenant, id);
  }

  async #rests(row: RunRow): Promise<boolean> {
    return this.#isStopped || row.ended === 1 || !(await this.#goesOn(row));
  }

  /** Whether the run, or a run below it, continues without a person. */
  async #goesOn(row: RunRow): Promise<boolean> {
    if (!(await this.#isMoving(row))) return false;
    // If a process waits for a sub-run that waits for a person, the run rests, too.
    return !kindOf(row).waitsInProcess || (await askingSubRun(this.#options.store, row)) === null;
  }

  async #isMoving(row: RunRow): Promise<boolean> {
    const { engine, hints } = this.#options;
    const head = kindOf(row).isQueued(row) ? ((await this.#blocker(row)) ?? row) : row;
    // Checked once, and first: a driver that dies meanwhile must count consistently as alive or as dead.
    const isDriven = engine.isDriven(head);
    // Its driver has ended, and this process is about to take the run.
    if (hints !== noHints && engine.wants(head)) return true;
    const kind = kindOf(head);
    if (kind.isQueued(head)) return isDriven || engine.awaits(head);
    if (kind.waitsInProcess) return runStatus(head, () => isDriven) === 'running';
    return (isDriven && kind.isAtWork(head)) || this.#isMovingBelow(head, kind.childIds(head));
  }

  async #isMovingBelow(row: RunRow, children: readonly string[]): Promise<boolean> {
    const { store, engine } = this.#options;
    for (const id of children) {
      const child = await store.query('loadRun', { tenant: row.tenant, id });
      const isOpen = child !== undefined && !child.ended;
      if (isOpen ? await this.#goesOn(child) : mayGoOn(row, child, engine.isDriven)) return true;
    }
    return false;
  }

  /** The run ahead of this one in the queue of its session, if any. */
  async #blocker(row: RunRow): Promise<RunRow | null> {
    const head = await this.#options.store.query('laneHead', { session: row.session });
    return head && head.id !== row.id ? head : null;
  }

  /** The runs whose signals may say that a run rests: itself, the run ahead of it, and the runs that a workflow waits for. */
  async #watchedOf(row: RunRow): Promise<Map<string, RunKind | null>> {
    const blocker = kindOf(row).isQueued(row) ? await this.#blocker(row) : null;
    const watched = new Map<string, RunKind | null>();
    for (const head of blocker ? [row, blocker] : [row]) await this.#watchBelow(head, watched);
    return watched;
  }

  async #watchBelow(row: RunRow, watched: Map<string, RunKind | null>): Promise<void> {
    const kind = kindOf(row);
    watched.set(row.id, kind);
    // A process that waits for a sub-run signals itself that this run rests.
    if (kind.waitsInProcess) return;
    for (const id of kind.childIds(row)) {
      const child = await this.#options.store.query('loadRun', { tenant: row.tenant, id });
      if (child) await this.#watchBelow(child, watched);
      else watched.set(id, null);
    }
  }

  /** Whether a workflow has begun to wait for further runs meanwhile. */
  async #hasOthers(row: RunRow, watched: ReadonlyMap<string, RunKind | null>): Promise<boolean> {
    if ([...watched.values()].every((kind) => kind?.waitsInProcess)) return false;
    const now = await this.#watchedOf(row);
    return [...now.keys()].some((id) => !watched.has(id));
  }

  /** The next signal that one of the runs may have parked or ended. Transitions between working states are no such signal. */
  #nextRest(
    tenant: number,
    runs: ReadonlyMap<string, RunKind | null>,
  ): { promise: Promise<RunSignal | null>; begun: Promise<unknown>; stop(): void } {
    const stops: (() => void)[] = [];
    const begun: Promise<void>[] = [];
    const promise = new Promise<RunSignal | null>((resolve) => {
      const look = () => resolve(null);
      this.#resting.add(look);
      stops.push(() => this.#resting.delete(look));
      const { bus, engine } = this.#options;
      for (const [runId, kind] of runs) {
        // The states of a chart do not say whether it works, so the engine that moves it is asked.
        const isWorking = ({ path, seq = 0 }: RunSignal) =>
          kind?.waitsInProcess === false
            ? engine.isAtWork({ tenant, id: runId, seq })
            : kind?.isWorking(String(path));
        const listener = (signal: RunSignal) => {
          const rests = signal.type === 'transition' && !isWorking(signal);
          if (rests || signal.type === 'stalled' || signal.type === 'waits') resolve(signal);
        };
        const attendance = bus.attend(tenant, runId);
        stops.push(bus.listen(runId, listener), attendance.leave);
        begun.push(attendance.begun);
      }
    });
    return { promise, begun: Promise.all(begun), stop: () => stops.forEach((stop) => void stop()) };
  }

  /** The run that goes on with the end of this one, or this one: a workflow that waits has no driver. */
  async #rootOf(row: TakeableRun): Promise<TakeableRun> {
    const { parentRunId: id } = optionsOf(row);
    if (id === undefined) return row;
    const parent = await this.#options.store.query('loadRun', { tenant: row.tenant, id });
    return parent && !parent.ended && !kindOf(parent).waitsInProcess ? this.#rootOf(parent) : row;
  }
}
