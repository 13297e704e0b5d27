import { describeStop, hasHooks, hookedRun, runHooks } from '../../call/hooks.ts';
import { DetentError } from '../../protocol/error.ts';
import type { HookPoint, HookSet } from '../../protocol/ports.ts';
import type { RunRow, UntoldRow } from '../../store/rows.ts';
import { callName, decidedOf, questionOf } from '../../store/stored-call.ts';
import { optionsOf } from '../../store/stored-run.ts';
import { Rounds } from '../../text/limiter.ts';
import { ask, type Store } from '../effect/statements.ts';

interface WaitTellerOptions {
  hooks: HookSet;
  store: Store<'listUntold' | 'loadRun' | 'markTold'>;
  /** Whether another process, which lives, has a run of this driver: then that one calls the hooks. */
  isDrivenElsewhere(run: Pick<RunRow, 'driver'>): boolean;
  /** Gets the errors of hooks: no transition can record them. */
  report(error: unknown, runId: string): void;
}

/** Questions that are read at a time. */
const page = 100;

/**
 * Calls the hooks `runWaiting` and `runDecided`, at least once for each: the rows show which questions no hook has seen
 * yet, and are marked after the hooks. The process that drove the run last calls them, or any other process when that
 * one has ended.
 */
export class WaitTeller {
  readonly #options: WaitTellerOptions;
  readonly #looks = new Rounds();
  #isClosed = false;

  constructor(options: WaitTellerOptions) {
    this.#options = options;
  }

  /** Calls the hooks for new questions and decisions. If it is called while it does so, it looks once more. */
  look(): void {
    if (this.#isClosed) return;
    void this.#looks.ask(() => this.#tellAll().catch((error) => this.#options.report(error, '')));
  }

  /** Resolves when the hooks that were called have finished. */
  async close(): Promise<void> {
    await this.#looks.over();
    this.#isClosed = true;
  }

  async #tellAll(): Promise<void> {
    const { store, isDrivenElsewhere } = this.#options;
    for (let after = 0, isOver = false; !isOver; ) {
      const found = await store.query('listUntold', { after, limit: page });
      for (const row of found) if (!isDrivenElsewhere({ driver: row.lastDriver })) await this.#tell(row);
      isOver = found.length < page;
      const last = found.at(-1)?.run ?? after;
      // The run may have more questions than fit in this page.
      after = found[0]?.run === last ? last : last - 1;
    }
  }

  async #tell({ run, n, tenant, runId, ...told }: UntoldRow): Promise<void> {
    const { store, report } = this.#options;
    const row = await store.query('loadRun', { tenant, id: runId });
    if (!row) return;
    const question = questionOf(told);
    const { call, kind, name: tool, why, askedAt } = question;
    const decided = decidedOf(question);
    const point = decided === null ? 'runWaiting' : 'runDecided';
    const view = decided === null ? { arguments: question.arguments } : decided;
    const asked = { callId: callName(call), kind, tool, why, askedAt, ...view };
    await this.#call(point, row, asked).catch((error) => report(error, runId));
    await store.commit(() => ask('markTold', { run, call, n, told: decided === null ? 1 : 2 }));
  }

  async #call(point: HookPoint, row: RunRow, asked: object): Promise<void> {
    const { hooks } = this.#options;
    if (!hasHooks(hooks, point)) return;
    const { signal } = new AbortController();
    const options = optionsOf(row);
    const viewOf = () => ({
      ...hookedRun(row, options),
      parentRunId: options.parentRunId ?? null,
      ...asked,
    });
    const { stopped } = await runHooks(hooks, point, signal, { value: null, viewOf });
    if (stopped) throw new DetentError(stopped.code, describeStop(stopped), { details: { runId: row.id } });
  }
}
