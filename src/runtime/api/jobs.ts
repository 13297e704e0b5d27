import type { JobDefinition } from '../../../machines/job.types.ts';
import type { FireRequest, JobWork, StoredJob } from '../../runs/jobs/job-work.ts';
import type { JobCommand, NewJob } from '../../runs/jobs/jobs.ts';
import type { ToldResult } from '../../runs/jobs/tell-session.ts';
import type { OfRequest } from '../../runs/keyed-requests.ts';
import type { DeliveryRow, FireRow } from '../../store/rows.ts';
import { createLimiter } from '../../text/limiter.ts';
import { own } from '../../text/own.ts';
import type { FileRules } from '../../tools/files/file-rules.ts';
import { findAgent } from '../config/find-agent.ts';
import { findBudget } from '../config/find-budget.ts';
import type { DetentOptions } from '../config/options.ts';
import type { Core } from '../core.ts';
import { version } from '../version.ts';

export type { JobCommand, NewJob, StoredJob };

/** What a scheduler brings along. */
interface SchedulerWork extends Omit<JobWork, 'start' | 'room'> {
  /** How many runs may be at work at once. Those that wait for a person do not count. */
  concurrency: number;
}

/**
 * Scheduled jobs as the engine knows them. `createScheduler` of `detent/schedule` checks what people write and runs the
 * schedule; use that.
 */
export interface DetentJobs {
  /**
   * Throws `UNKNOWN_AGENT`, `UNKNOWN_BUDGET`, `UNKNOWN_SKILL`, `UNKNOWN_WORKFLOW` for what a job names, and `INVALID_INPUT` for
   * what its workflow does not take.
   */
  check(
    tenant: number,
    names: Pick<JobDefinition, 'agent' | 'skill' | 'budget' | 'workflow' | 'input'>,
  ): Promise<void>;
  /** Throws `JOB_EXISTS`. */
  create(job: NewJob): Promise<void>;
  /** False if the job does not take the command now. Throws `NO_JOB`, `DRIVER_SILENT`. */
  command(tenant: number, id: string, event: JobCommand, request?: OfRequest): Promise<boolean>;
  /** Throws `NO_JOB`. */
  get(tenant: number, id: string): Promise<StoredJob>;
  find(tenant: number, id: string): Promise<StoredJob | null>;
  /** In the order of their ids, behind the id `after`. */
  list(tenant: number, filter: { user?: string | null; after?: string; limit: number }): Promise<StoredJob[]>;
  /** Slots with numbers below, newest first. */
  fires(tenant: number, id: string, below: number, limit: number): Promise<FireRow[]>;
  deliveries(tenant: number, id: string, n: number): Promise<DeliveryRow[]>;
  /** The folder of a tenant that results are written into, and what no delivery writes there. Throws `UNKNOWN_TENANT`. */
  files(tenant: number): Promise<{ workspace: string | null; rules: FileRules }>;
  /** Adds a result to the conversation of a session. Throws `SESSION_OF_ANOTHER_USER`, `INVALID_SESSION`. */
  tell(result: ToldResult): Promise<void>;
  /** Hosts that webhooks may call although they are not public, by the configuration. */
  readonly allowHosts: readonly string[];
  /** Whether clients of a tenant, other than the host's, may sign webhooks with a variable of the host. */
  maySignWith(tenant: number, variable: string): Promise<boolean>;
  /** The value of a variable that holds a secret; from now on no row and no log has it. */
  secret(variable: string): Promise<string | undefined>;
  /** The clock of the Detent. */
  now(): number;
  /** Has this process run the schedule, until the returned function is called. */
  work(work: SchedulerWork): Promise<() => void>;
  /** Looks at once what is due, because a clock may have jumped, and deletes what jobs have left behind. */
  look(): Promise<void>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function jobsApi(core: () => Promise<Core>, options: DetentOptions): DetentJobs {
  const jobs = async () => (await core()).jobs;
  const now = () => options.clock?.now() ?? Date.now();
  const check: DetentJobs['check'] = async (tenant, { agent, skill, budget, workflow, input = null }) => {
    const { skills = null } = findAgent(agent ?? undefined, options.agents);
    if (workflow !== undefined) {
      const { slotText, withSlot } = await import('../../runs/jobs/fire-job.ts');
      const { checkInput } = await import('./workflow-operations.ts');
      await checkInput(await core(), workflow, withSlot(input, slotText(now())));
    }
    if (budget !== null) findBudget(budget, options.budgets);
    if (skill !== null) await (await (await core()).tenants(tenant)).skills.requireForPeople(skill, skills);
  };
  const start = async (request: FireRequest) => {
    const { startFire } = await import('./start-fire.ts');
    await startFire(core, options, request);
  };
  return {
    check,
    create: async (job) => (await jobs()).create(job),
    command: async (...command) => (await jobs()).command(...command),
    get: async (...id) => (await jobs()).get(...id),
    find: async (...id) => (await jobs()).find(...id),
    list: async (...filter) => (await jobs()).list(...filter),
    fires: async (...which) => (await jobs()).fires(...which),
    deliveries: async (...which) => (await jobs()).deliveries(...which),
    async files(tenant) {
      const { tenants, files } = await core();
      return { workspace: (await tenants(tenant)).workspace, rules: files };
    },
    async tell(result) {
      const { store, redact, clock } = await core();
      const { tellSession } = await import('../../runs/jobs/tell-session.ts');
      await tellSession(store, result, { redact, now: clock.now(), sdkVersion: `detent/${version()}` });
    },
    allowHosts: options.webhooks?.allowHosts ?? [],
    async maySignWith(tenant, variable) {
      const { store } = await core();
      const name = (await store.query('findTenant', { tenant }))?.name ?? '';
      return own(options.webhooks?.secretEnv ?? {}, name)?.includes(variable) ?? false;
    },
    async secret(variable) {
      (await core()).addSecrets([variable]);
      return own(options.env ?? process.env, variable);
    },
    async work({ concurrency, ...work }) {
      const { roomKey } = await import('../../runs/jobs/fire-job.ts');
      return (await jobs()).attach({ ...work, start, room: createLimiter({ [roomKey]: concurrency }) });
    },
    now,
    look: async () => (await jobs()).look(),
  };
}
