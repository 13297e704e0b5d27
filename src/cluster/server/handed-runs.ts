import { type Dispatcher, type EachRun, type Seeker, whyLeft } from '../../engine/engine.ts';
import { type Ask, request } from '../../store/program.ts';
import { noDriver, type RunRow, type TakeableRun } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { isJobRun } from '../../store/stored-run.ts';
import { KeyedQueue } from '../../text/limiter.ts';
import type { AbandonedRuns } from '../abandoned-runs.ts';
import type { NotifyHints } from './notify-hints.ts';
import type { Tickets } from './tickets.ts';

/** A driver that gets its runs handed. */
interface Handed extends Seeker {
  /** The runs that it moves. */
  moving(): readonly RunRow[];
}

const ask: Ask<StatementsOf<'runs'>> = request;

/** How often the rows are looked at where tickets say when to: some may have been lost. */
const sweepMs = 15_000;

interface HandedRunsOptions {
  store: Store<StatementsOf<'runs'>>;
  /** How many runs a driver of all sessions has at once. */
  slots: number;
  /** For drivers of some sessions. Knows the runs that this program must not move. */
  some: AbandonedRuns;
  /** Has drivers look at the rows. */
  call: Pick<NotifyHints, 'callSelf' | 'callOthers' | 'answerCalls'>;
  /** Say when to look at the rows. Null: at each look. */
  tickets: Tickets | null;
}

/**
 * Hands the runs of a server out: a driver of all sessions claims as many as it has free slots, those that another one is about to
 * claim left out. Interactive runs come before those of jobs, and tenants with fewer runs under way before others.
 *
 * Tickets only say when to look: the rows decide, so nothing that is lost or said twice changes who gets what.
 */
export class HandedRuns implements Dispatcher {
  readonly #options: HandedRunsOptions;
  /** Those of which a caller of {@link begin} was told. */
  readonly #told = new Set<number>();
  /** Runs that were handed out and are not yet taken. */
  readonly #handed = new Set<number>();
  readonly #turns = new KeyedQueue();
  #each: EachRun | null = null;
  /** Runs at rest that were claimed because timers are due, as they were then. */
  #due: readonly TakeableRun[] = [];
  /** The driver of this process, once it drives all sessions. */
  #driver: Handed | null = null;
  /** Places of runs that are being made here. */
  #making = 0;
  /** Whether more may wait than there was room for. */
  #isFull = false;
  /** Whether runs may want a driver of which no ticket tells. */
  #isUntold = true;
  #sweptAt = 0;

  constructor(options: HandedRunsOptions) {
    this.#options = options;
  }

  /** From now on this driver gets its runs so. @param each is called with each of them before the driver takes it. */
  begin(driver: Handed, each: EachRun | null): void {
    this.#driver = driver;
    this.#each = each;
    this.#options.call.answerCalls(() => {
      this.#isUntold = true;
    });
  }

  /** Whether this driver has the run and has not looked at it yet. */
  isHanded({ pk }: Pick<RunRow, 'pk'>): boolean {
    return this.#handed.has(pk);
  }

  /** Two at once would count the same room. */
  dispatch(seeker: Seeker, isProbe: boolean): Promise<void> {
    return this.#turns.enqueue('', () => this.#dispatch(seeker, isProbe));
  }

  async #dispatch(seeker: Seeker, isProbe: boolean): Promise<void> {
    const driver = this.#driver;
    if (!driver) {
      // A gateway drives none.
      if (seeker.sessions.keys().length > 0) await this.#options.some.dispatch(seeker, isProbe);
      return;
    }
    for (;;) {
      const limit = this.#room(driver);
      if (limit <= 0) {
        this.#isFull = true;
        return;
      }
      if (!(await this.#mayWait(limit))) return;
      const handed = await this.#claim('claimWanted', driver, { before: driver.options.clock.now(), limit });
      this.#options.tickets?.settled();
      this.#isFull = handed.length >= limit;
      const fit = await this.#fit(driver, handed, null);
      await driver.takeAll(fit.map(({ fence, ...run }) => ({ ...run, claimed: fence })));
      // Behind those that it must not move there may be others.
      if (fit.length === handed.length) return;
      this.#isUntold = true;
      // Others may have what it lacks.
      this.#options.call.callOthers(true);
    }
  }

  /** Whether runs may want a driver: as a ticket says, or for want of one. */
  async #mayWait(room: number): Promise<boolean> {
    const { tickets } = this.#options;
    if (!tickets) return true;
    const isTold = await tickets.fetch(room);
    const now = performance.now();
    if (!isTold && !this.#isUntold && !this.#isFull && now < this.#sweptAt + sweepMs) return false;
    this.#isUntold = false;
    this.#sweptAt = now;
    return true;
  }

  /** Gives the driver runs at rest of which timers are due. Resolves with how many. */
  async giveDue(driver: Handed, before: number): Promise<number> {
    await this.#rest(driver);
    const limit = this.#room(driver);
    if (limit <= 0) return 0;
    const handed = await this.#claim('claimDue', driver, { before, limit });
    this.#due = await this.#fit(driver, handed, noDriver);
    return handed.length;
  }

  /** Is called after each commit that left a run to whichever driver wants it, or with which a driver has one less. */
  moved({ driver }: Pick<RunRow, 'driver'>): void {
    if (driver === null) this.#call(this.#options.tickets?.isUsable === true);
    else if (this.#isFull && this.#hasRoom()) this.#options.call.callSelf();
  }

  /** The turn of a run has come that no driver has. */
  hadTurn(): void {
    this.#call(false);
  }

  #call(hasTicket: boolean): void {
    const { call } = this.#options;
    if (!hasTicket) this.#isUntold = true;
    if (this.#hasRoom()) call.callSelf();
    else call.callOthers(hasTicket ? 'tickets' : true);
  }

  #hasRoom(): boolean {
    return this.#driver !== null && this.#room(this.#driver) > 0;
  }

  /** Keeps a place for a run that is about to be made, until it is disposed of; null if there is none, or others wait for it. */
  takePlace(): Disposable | null {
    if (this.#isFull || !this.#hasRoom()) return null;
    this.#making++;
    return {
      [Symbol.dispose]: () => {
        this.#making--;
      },
    };
  }

  reconsider(): void {
    this.#isUntold = true;
    this.#options.some.reconsider();
  }

  /** A job waits for the run of its slot here, and must not take that one's place. */
  #room(driver: Handed): number {
    const moving = driver.moving().filter((row) => !isJobRun(row)).length;
    return this.#options.slots - moving - this.#making - this.#due.length;
  }

  async #claim(
    name: 'claimWanted' | 'claimDue',
    { me }: Seeker,
    input: { before: number; limit: number },
  ): Promise<TakeableRun[]> {
    if (me === null) return [];
    const refused = JSON.stringify([...this.#options.some.refused].map((pk) => [pk, 0]));
    return this.#options.store.commit(function* () {
      return yield* ask(name, { me, refused, ...input });
    });
  }

  /** Those that the program may move. Gives the others back. */
  async #fit(
    driver: Seeker,
    handed: readonly TakeableRun[],
    to: number | null,
  ): Promise<readonly TakeableRun[]> {
    const fit: TakeableRun[] = [];
    for (const row of handed) {
      const { pk } = row;
      const refused = whyLeft(driver.options, row);
      if ((await this.#tell(driver, row, refused)) !== 'left' && !refused) fit.push(row);
      else {
        this.#options.some.refused.add(pk);
        // Those that fit must be taken all the same. Should it fail, this driver keeps the run, and reports it.
        await this.#options.store
          .commit(() => ask('passRun', { pk, driver: to }))
          .catch((error) => driver.options.report(error, row.id));
      }
    }
    return fit;
  }

  async #tell({ options }: Seeker, row: TakeableRun, refused: Error | null): ReturnType<EachRun> {
    if (!this.#each || (refused && this.#told.has(row.pk))) return;
    if (refused) this.#told.add(row.pk);
    this.#handed.add(row.pk);
    try {
      return await this.#each(row, refused);
    } catch (error) {
      options.report(error, row.id);
      return;
    } finally {
      this.#handed.delete(row.pk);
    }
  }

  /** Nobody has a run whose timer was gone before it could fire. */
  async #rest({ me }: Seeker): Promise<void> {
    const due = this.#due;
    if (me === null || due.length === 0) return;
    const runs = JSON.stringify(due.map(({ pk, seq }) => [pk, seq]));
    await this.#options.store.commit(() => ask('restRuns', { me, runs }));
    this.#due = [];
  }
}
