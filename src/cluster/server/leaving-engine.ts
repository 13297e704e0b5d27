import type { EachRun, Engine, EngineOptions } from '../../engine/engine.ts';
import { noDriver, type RunRow, type TakeableRun } from '../../store/rows.ts';
import { HandedEngine } from './handed-engine.ts';
import type { HandedRuns } from './handed-runs.ts';

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
    if (head) await this.letGo(head, 'any');
  }

  override async drive(scope: Parameters<Engine['drive']>[0], each?: EachRun): Promise<void> {
    // The others drive all that they may anyway.
    if (scope === 'all') return;
    for (const row of await this.#store.query('listActiveRunsOf', scope))
      if ((await each?.(row, null)) !== 'left') await this.letGo(row, 'any');
  }

  override async driven(): Promise<TakeableRun[]> {
    return [];
  }
}
