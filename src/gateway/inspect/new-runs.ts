import type { Detent, RunSummary } from '../../index.ts';
import type { Whose } from '../feeds/sight.ts';

/** How often the list of runs is read, in milliseconds. */
const usualEveryMs = 500;
const first = 20;
const most = 1_000;

interface Watched {
  listeners: Set<(runs: readonly RunSummary[]) => void>;
  /** The ids of the last look. */
  seen: ReadonlySet<string>;
  timer: NodeJS.Timeout;
  /** The first read, which reports no run. */
  begun: Promise<void>;
  isLooking: boolean;
}

/** Reports runs that any process of the database begins. The list is read once for all listeners of one user. */
export class NewRuns {
  readonly #detent: Detent;
  readonly #report: (error: unknown) => void;
  readonly #everyMs: number;
  readonly #watched = new Map<string, Watched>();

  constructor(detent: Detent, report: (error: unknown) => void, { everyMs = usualEveryMs } = {}) {
    this.#detent = detent;
    this.#report = report;
    this.#everyMs = everyMs;
  }

  /**
   * Calls `listener` with the runs that begin from now on, oldest first.
   *
   * @param filter without a user: those of the whole tenant
   * @returns `ready` resolves once runs that are not in the list yet will be reported; `stop` ends it
   */
  listen(
    filter: Whose,
    listener: (runs: readonly RunSummary[]) => void,
  ): { ready: Promise<void>; stop(): void } {
    const key = JSON.stringify([filter.tenantId, filter.userId ?? null, filter.reach ?? null]);
    const watched = this.#watched.get(key) ?? this.#watch(key, filter);
    watched.listeners.add(listener);
    return {
      ready: watched.begun,
      stop: () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size > 0) return;
        clearInterval(watched.timer);
        if (this.#watched.get(key) === watched) this.#watched.delete(key);
      },
    };
  }

  #watch(key: string, filter: Whose): Watched {
    const begun = this.#detent.runs.list({ ...filter, limit: first }).then((runs) => {
      watched.seen = idsOf(runs);
    });
    // The listeners get the error.
    begun.catch(() => {});
    const watched: Watched = {
      listeners: new Set(),
      seen: new Set(),
      timer: setInterval(() => void this.#look(filter, watched), this.#everyMs).unref(),
      begun,
      isLooking: false,
    };
    this.#watched.set(key, watched);
    return watched;
  }

  async #look(filter: Whose, watched: Watched): Promise<void> {
    if (watched.isLooking) return;
    watched.isLooking = true;
    try {
      await watched.begun;
      const isNew = ({ runId }: RunSummary) => !watched.seen.has(runId);
      let runs = await this.#detent.runs.list({ ...filter, limit: first });
      // More runs may have begun than one read shows.
      if (runs.length === first && runs.every(isNew))
        runs = await this.#detent.runs.list({ ...filter, limit: most });
      const news = runs.filter(isNew).reverse();
      watched.seen = idsOf(runs);
      if (news.length > 0) for (const tell of [...watched.listeners]) tell(news);
    } catch (error) {
      if (watched.listeners.size > 0) this.#report(error);
    } finally {
      watched.isLooking = false;
    }
  }
}

function idsOf(runs: readonly RunSummary[]): Set<string> {
  return new Set(runs.map(({ runId }) => runId));
}
