import type { EventBus } from '../engine/bus.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store as RunsStore } from '../runs/rows.ts';
import type { Runs } from '../runs/runs.ts';
import { own } from '../text/wording.ts';
import type { FileRules } from '../tools/files.ts';
import type { ConfiguredNames, JobWorker, SlotRuns } from './job-host.ts';
import type { Store } from './machine/statements.ts';
import type { StoredJobs } from './stored-jobs.ts';

/** Where a Detent keeps its schedule. Programs cannot name it: `createScheduler` is their interface. */
export const scheduleDoor: unique symbol = Symbol.for('detent.schedule');

/** A Detent, as far as its schedule goes. */
export interface HasSchedule {
  /** For `createScheduler` of `detent/schedule`. */
  readonly [scheduleDoor]: ScheduleDoor;
}

/** What a scheduler knows of a Detent before it is open, and how to open it. */
interface ScheduleDoor {
  /** Opens the Detent on first use. */
  open(): Promise<ScheduleParts>;
  /** The clock of the Detent. */
  now(): number;
  /** Checks what the configuration alone knows of a job. @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `UNKNOWN_BUDGET`. */
  check(names: ConfiguredNames): Promise<void>;
  readonly webhooks: WebhookRules;
}

/** The rules of a configuration for webhooks. */
interface WebhookRules {
  /** Hosts that webhooks may call although they are not public. */
  allowHosts?: readonly string[] | undefined;
  /** By the name of a tenant: variables of the host that its clients may sign with. */
  secretEnv?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The schedule's own parts, and what it uses of the rooms below. */
export interface ScheduleParts {
  jobs: StoredJobs;
  worker: JobWorker;
  slotRuns: SlotRuns;
  store: Store & RunsStore;
  bus: EventBus;
  clock: Clock;
  engine: Engine;
  runs: Runs;
  /** The search index of conversations, which drops deleted runs. */
  conversations: { forget(tenant: number, runs: readonly string[]): Promise<void> };
  /** Decides which files of a workspace must not be written. */
  files: FileRules;
  /** The workspace of a tenant. Rejects with `UNKNOWN_TENANT`. */
  tenants(tenant: number): Promise<{ workspace: string | null }>;
  env: Readonly<Record<string, string | undefined>>;
  /** Adds variables whose values `redact` takes out of text from now on. */
  addSecrets(variables: readonly string[]): void;
  redact(text: string): string;
  sdkVersion(): string;
}

/** The stored jobs of a Detent. */
export async function jobsOf(detent: HasSchedule): Promise<StoredJobs> {
  return (await detent[scheduleDoor].open()).jobs;
}

/** Whether clients of a tenant, other than the host's, may sign webhooks with a variable of the host. */
export async function maySignWith(detent: HasSchedule, tenant: number, variable: string): Promise<boolean> {
  const { open, webhooks } = detent[scheduleDoor];
  const { store } = await open();
  const name = (await store.query('findTenant', { tenant }))?.name ?? '';
  return own(webhooks.secretEnv ?? {}, name)?.includes(variable) ?? false;
}
