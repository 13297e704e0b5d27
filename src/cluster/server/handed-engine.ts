import {
  againMs,
  Driver,
  type EachRun,
  Engine,
  type EngineOptions,
  Timers,
  whyLeft,
} from '../../engine/engine.ts';
import { type Ask, order, request, type Tell } from '../../store/program.ts';
import { noDriver, type RunRow, type TakeableRun, type TimersOf } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { HandedRuns } from './handed-runs.ts';

const ask: Ask<StatementsOf<'runs'>> = request;
const tell: Tell<StatementsOf<'runs'>> = order;

/** The timers of a driver that gets its runs handed: of runs at rest it fires those that were handed to it, and no other tries. */
function timersOf(runs: HandedRuns, driver: () => HandedDriver): typeof Timers {
  return class extends Timers {
    #before = 0;
    #given = 0;

    protected override async watched(before: number): Promise<TimersOf | null> {
      const own = driver();
      this.#before = before;
      if (!own.isHanded) return super.watched(before);
      this.#given = await runs.giveDue(own, before);
      return own.me === null ? null : { me: own.me, last: -1, allAtRest: 0 };
    }

    protected override async next(watched: TimersOf): Promise<number | null> {
      if (!driver().isHanded) return super.next(watched);
      if (this.#given > 0) return this.#before;
      const next = await super.next({ ...watched, last: watched.me, allAtRest: 1 });
      // One that is due is another's, or waits for room here.
      return next !== null && next <= this.#before ? this.#before + againMs : next;
    }
  };
}

/** A driver that gets its runs handed as soon as it drives all sessions, and takes none by itself. */
class HandedDriver extends Driver {
  readonly #runs: HandedRuns;

  constructor(options: EngineOptions, runs: HandedRuns) {
    super(
      options,
      timersOf(runs, () => this),
    );
    this.#runs = runs;
  }

  get isHanded(): boolean {
    return this.sessions.areAll;
  }

  /** The runs that it moves. */
  moving(): readonly RunRow[] {
    return this.runs.all().flatMap(({ isMoving, hot }) => (isMoving && hot ? [hot.row] : []));
  }

  /** What is done to a run before it is taken leaves its effects to the take-over, which knows of those that were in flight. */
  override drives(row: TakeableRun): boolean {
    return super.drives(row) && !this.#runs.isHanded(row);
  }

  /** A run at rest that a command moves is handed out as others are. */
  override mayClaim(row: TakeableRun): boolean {
    return !(this.isHanded && row.driver === noDriver) && this.mayTake(row);
  }

  mayTake(row: TakeableRun): boolean {
    return super.mayClaim(row);
  }

  override moved(...told: Parameters<Driver['moved']>): void {
    super.moved(...told);
    const [{ row }] = told;
    if (row.ended || row.driver !== this.me) this.#runs.moved(row);
  }

  override begin(run: Parameters<Driver['begin']>[0] & { driver?: number | null }): void {
    if (this.isHanded && run.driver === null) this.#runs.hadTurn();
    else super.begin(run);
  }
}

/** The engine of a process that shares a server: what it makes and what it is told to drive is handed out, to it or to another one. */
export class HandedEngine extends Engine {
  readonly #own: HandedDriver;
  readonly #options: EngineOptions;
  readonly #runs: HandedRuns;

  constructor(options: EngineOptions, runs: HandedRuns) {
    const driver = new HandedDriver(options, runs);
    super(options, driver);
    this.#own = driver;
    this.#options = options;
    this.#runs = runs;
  }

  /** Whether it leaves what it makes to whichever driver it is handed to. */
  protected get isLeaving(): boolean {
    return this.#own.isHanded;
  }

  /** A run that starts at once is this process's own if that has room: to hand it out would cost commits and end in the same. */
  override async create(asked: Parameters<Engine['create']>[0]): ReturnType<Engine['create']> {
    if (!this.isLeaving || asked.isLeft) return super.create(asked);
    using place = this.#runs.takePlace();
    return await super.create({ ...asked, isLeft: place ? 'queued' : true });
  }

  override sendAmong(
    ...[tenant, runId, delivery, others]: Parameters<Engine['sendAmong']>
  ): ReturnType<Engine['sendAmong']> {
    if (!this.isLeaving) return super.sendAmong(tenant, runId, delivery, others);
    return super.sendAmong(tenant, runId, delivery, (scope, among) =>
      others(scope, { ...among, create: (creation) => among.create({ ...creation, isLeft: true }) }),
    );
  }

  override covers(row: TakeableRun): boolean {
    return this.#own.mayTake(row);
  }

  /**
   * It does not page through all that waits: what wants a driver is handed to it, as much as it has room for at once, and more as that
   * ends. `each` is called with all of it.
   */
  override async drive(scope: Parameters<Engine['drive']>[0], each?: EachRun): Promise<void> {
    if (scope !== 'all' && !this.#own.isHanded) return super.drive(scope, each);
    this.#own.refuseWhenStopped();
    await this.join();
    if (scope === 'all') {
      this.#own.sessions.add('all');
      this.#runs.begin(this.#own, each ?? null);
      await this.#runs.dispatch(this.#own, true);
    } else
      for (const row of await this.#options.store.query('listActiveRunsOf', scope)) {
        const refused = whyLeft(this.#options, row);
        if ((await each?.(row, refused)) !== 'left' && !refused) await this.letGo(row, 'new');
      }
    this.#runs.moved({ driver: null });
  }

  /** Says that a run at rest wants a driver from now on. @param which `new`: only a fork that nobody had yet */
  protected async letGo({ tenant, id }: Pick<RunRow, 'tenant' | 'id'>, which: 'new' | 'any'): Promise<void> {
    await this.#options.store.commit(function* () {
      const row = yield* ask('loadRun', { tenant, id });
      if (row?.driver !== noDriver || row.ended || (which === 'new' && row.lastDriver !== null)) return;
      yield* tell('passRun', { pk: row.pk, driver: null });
    });
  }
}
