import type { RunRow, TakeableRun } from '../../store/rows.ts';
import type { EventBus, Hints } from '../bus.ts';
import type { Clock } from '../clock.ts';
import type { Addressee } from '../commit/links.ts';
import type { Store } from '../commit/statements.ts';
import type { MachineHosts } from '../machine/machine-hosts.ts';
import type { Committed } from '../machine/migrate.ts';
import type { Ownership } from '../ownership.ts';
import type { DrivenSessions } from './driven-sessions.ts';

/** All that the engine calls of the program above it. */
interface EngineUser {
  /** Why this engine must not move a run forward; null when it may. Default: it may move every run. */
  whyRefused?(row: TakeableRun): Error | null;
  /** Takes known secrets out of JSON text that is about to be stored. */
  redact(text: string): string;
  /** Reports an error that reaches no caller: a fact that could not be stored, a run that cannot be restored. */
  report(error: unknown, runId: string): void;
  /** Called after a commit that left runs commands. */
  posted?(to: readonly Addressee[]): void;
  /** Called for every durable transition. Must not throw. */
  watch?(transition: Committed): void;
}

/** The dependencies of an {@link Engine}. */
export interface EngineOptions extends EngineUser {
  store: Store;
  hosts: MachineHosts;
  clock: Clock;
  bus: EventBus;
  ownership: Ownership;
  /** Wakes the driver of a run whose turn in its lane has come, and learns of the ends of others. Default: there are no others. */
  hints?: Pick<Hints, 'send' | 'attend'>;
  /** Default: no other process leaves runs to this one. */
  dispatcher?: Dispatcher;
}

/** A run to take. `claimed`: the fence that it has since this driver claimed it; it need not be claimed again. */
export type Taking = Pick<RunRow, 'tenant' | 'id' | 'session'> & { claimed?: number };

/** A driver, as a {@link Dispatcher} sees it. */
export interface Seeker {
  readonly options: EngineOptions;
  readonly me: number | null;
  readonly sessions: DrivenSessions;
  /** Whether it may take a run, which no live driver has. */
  wants(row: RunRow): boolean;
  /** Takes runs that nobody else has. */
  takeAll(rows: readonly Taking[]): Promise<void>;
}

/** Finds a driver for each run that wants one. */
export interface Dispatcher {
  /** Has a driver take what wants one. Is called again and again, one call at a time. `isProbe`: nothing may be left out. */
  dispatch(driver: Seeker, isProbe: boolean): Promise<void>;
  /** Forgets which runs the program must not move. */
  reconsider(): void;
}
