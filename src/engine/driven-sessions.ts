import { noDriver, type TakeableRun } from '../store/rows.ts';
import type { EngineOptions } from './engine-options.ts';
import { isForeign, type Neighbours } from './ownership.ts';
import type { TakeOver } from './take-over.ts';

/** Unfinished runs that are read at a time. */
const page = 200;

/** All sessions, or one by its key. */
export type Scope = 'all' | { session: number };

/** Is called with a run, and with why this program must not move it; null when it may. */
export type EachRun = (row: TakeableRun, refused: Error | null) => Promise<void>;

interface DrivenSessionsOptions extends Pick<EngineOptions, 'store' | 'hosts' | 'ownership'> {
  neighbours: Neighbours;
  takeOver: TakeOver;
  isStopped(): boolean;
  whyRefused(row: TakeableRun): Error | null;
  report(error: unknown, runId: string): void;
}

/** The sessions that an engine drives: all of them, or those that it was given. */
export class DrivenSessions {
  readonly #options: DrivenSessionsOptions;
  #driven: 'all' | Set<number> = new Set();

  constructor(options: DrivenSessionsOptions) {
    this.#options = options;
  }

  get areAll(): boolean {
    return this.#driven === 'all';
  }

  /** Each session by its key; none if they are all. */
  keys(): readonly number[] {
    return this.#driven === 'all' ? [] : [...this.#driven];
  }

  covers(session: number): boolean {
    return this.#driven === 'all' || this.#driven.has(session);
  }

  add(scope: Scope): void {
    if (scope === 'all') this.#driven = 'all';
    else if (this.#driven !== 'all') this.#driven.add(scope.session);
  }

  /**
   * Takes over the unfinished runs in the scope, but for those that other processes drive. Where it is all sessions, runs
   * that wait for people are watched over together, and forks that no driver has had are left. Reports runs that cannot be taken.
   *
   * @param each is called with every run that no other process drives, before it is taken
   */
  async takeOver(scope: Scope, each: EachRun): Promise<void> {
    const { ownership, neighbours, takeOver, isStopped, whyRefused, report } = this.#options;
    const living = new Set((await neighbours.alive()).map(({ epoch }) => epoch));
    this.add(scope);
    const taking: TakeableRun[] = [];
    const atRest: Pick<TakeableRun, 'pk' | 'fence'>[] = [];
    for await (const row of this.unfinished(scope)) {
      if (isStopped()) break;
      if (isForeign(row.driver, ownership.me)) continue;
      if (scope === 'all' && row.driver === noDriver && row.lastDriver === null) continue;
      const refused = whyRefused(row);
      await each(row, refused);
      if (refused) continue;
      if (scope !== 'all' || !this.#isLeftAtRest(row)) taking.push(row);
      else if (row.lastDriver !== ownership.me && !living.has(row.lastDriver ?? 0))
        atRest.push({ pk: row.pk, fence: row.fence });
      if (taking.length >= page) await takeOver.takeAll(taking.splice(0), report);
      if (atRest.length >= page) await takeOver.watchOver(atRest.splice(0));
    }
    await takeOver.takeAll(taking, report);
    await takeOver.watchOver(atRest);
  }

  /** The unfinished runs in the scope, some at a time: many may wait for people. */
  async *unfinished(scope: Scope): AsyncGenerator<TakeableRun> {
    const { store } = this.#options;
    if (scope !== 'all') return yield* await store.query('listActiveRunsOf', scope);
    let after = { session: 0, ordinal: 0 };
    for (;;) {
      const rows = await store.query('listActiveRunsAfter', { ...after, limit: page });
      yield* rows;
      const last = rows.at(-1);
      if (!last || rows.length < page) return;
      after = { session: last.session, ordinal: last.ordinal };
    }
  }

  /** Whether a run waits for people alone, and this program can restore it: it needs no more than to be watched. */
  #isLeftAtRest(row: TakeableRun): boolean {
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
}
