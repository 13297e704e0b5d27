import type { TakeableRun } from '../../store/rows.ts';
import type { EventBus, Hints } from '../bus.ts';
import type { Clock } from '../clock.ts';
import type { Addressee } from '../commit/links.ts';
import type { Store } from '../commit/statements.ts';
import type { MachineHosts } from '../machine/machine-hosts.ts';
import type { Migrated } from '../machine/migrate.ts';
import type { Ownership } from '../ownership.ts';

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
  watch?(transition: Migrated): void;
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
}
