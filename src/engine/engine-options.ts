import type { TakeableRun } from '../store/rows.ts';
import type { EventBus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Addressee } from './links.ts';
import type { MachineHosts } from './machine-hosts.ts';
import type { Migrated } from './migrate.ts';
import type { Ownership } from './ownership.ts';
import type { Store } from './statements.ts';

/** The dependencies of an {@link Engine}. */
export interface EngineOptions {
  store: Store;
  hosts: MachineHosts;
  clock: Clock;
  bus: EventBus;
  ownership: Ownership;
  /** Called when the turn of a run in its lane has come that another driver has. */
  wake?(driver: number): void;
  /** Called with each other driver that lives, so that this one looks as soon as it ends. */
  attend?(driver: number): void;
  /** Called after a commit that left runs commands. */
  posted?(to: readonly Addressee[]): void;
  /** Why this engine must not move a run forward; null when it may. Default: it may move every run. */
  whyRefused?(row: TakeableRun): Error | null;
  /** Takes known secrets out of JSON text that is about to be stored. */
  redact(text: string): string;
  /** Reports an error that reaches no caller: a fact that could not be stored, a run that cannot be restored. */
  report(error: unknown, runId: string): void;
  /** Called for every durable transition. Must not throw. */
  watch?(transition: Migrated): void;
}
