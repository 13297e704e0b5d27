import type { EachRun, Engine, EngineOptions } from '../../engine/engine.ts';
import { type Ask, order, request, type Tell } from '../../store/program.ts';
import { noDriver, type RunRow, type TakeableRun } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import { HandedEngine } from './handed-engine.ts';
import type { HandedRuns } from './handed-runs.ts';

const ask: Ask<StatementsOf<'runs'>> = request;
const tell: Tell<StatementsOf<'runs'>> = order;

/** Why this process moves no run: people never read it. */
const leaving = new Error('this process drives no runs');

/**
 * The engine of a process that drives nothing. It makes runs and gives commands as any other, and leaves what follows from them to the
 * processes that drive.
 */
export class LeavingEngine extends HandedEngine {
  readonly #store: EngineOptions['store'];

  constructor(options: EngineOptions, runs: HandedRuns) {
    super({ ...options, whyRefused: () => leaving }, runs);
    this.#store = options.store;
  }

  protected override get isLeaving(): boolean {
    return true;
  }

  /** Whether a process that drives takes the run, as far as can be said here: if none does, `runs why` says that. */
  override wants({ driver }: RunRow): boolean {
    return driver === null || (driver !== noDriver && !this.isDrivenElsewhere({ driver }));
  }

  /** It judges for no other process. */
  override whyRefused(): null {
    return null;
  }

  override async adopt(session: number): Promise<void> {
    const head = await this.#store.query('laneHead', { session });
    if (head) await this.#letGo(head);
  }

  override async drive(scope: Parameters<Engine['drive']>[0], each?: EachRun): Promise<void> {
    // The others drive all that they may anyway.
    if (scope === 'all') return;
    for (const row of await this.#store.query('listActiveRunsOf', scope))
      if ((await each?.(row, null)) !== 'left') await this.#letGo(row);
  }

  override async driven(): Promise<TakeableRun[]> {
    return [];
  }

  /** Says that a run at rest wants a driver: one that had none yet is found by nobody otherwise. */
  async #letGo({ tenant, id }: Pick<RunRow, 'tenant' | 'id'>): Promise<void> {
    await this.#store.commit(function* () {
      const row = yield* ask('loadRun', { tenant, id });
      if (row?.driver === noDriver && !row.ended) yield* tell('passRun', { pk: row.pk, driver: null });
    });
  }
}
