import { systemClock } from '../engine/clock.ts';
import { defaultAgent, defaultTenant } from '../protocol/access.ts';
import { checkLimits } from '../protocol/enums.ts';
import { DetentError } from '../protocol/error.ts';
import { isObject, shown } from '../protocol/json.ts';
import type { OutputSchema } from '../protocol/ports.ts';
import { scheduleDoor } from '../schedule/door.ts';
import { once } from '../text/limiter.ts';
import { agentsApi } from './api/agents.ts';
import { artifactsApi, attachmentsApi } from './api/attachments.ts';
import { backupApi } from './api/backup.ts';
import { configApi } from './api/config.ts';
import type { Detent } from './api/detent.ts';
import { machineApi } from './api/machine.ts';
import { memoryApi } from './api/memory.ts';
import { requestsApi } from './api/requests.ts';
import { createRunHandles, type RunHandle } from './api/run-handle.ts';
import { runsApi } from './api/runs.ts';
import { sessionsApi } from './api/sessions.ts';
import { shopApi } from './api/shop.ts';
import { skillsApi } from './api/skills.ts';
import { tenantsApi } from './api/tenants.ts';
import { tokensApi } from './api/tokens.ts';
import { toolsApi } from './api/tools.ts';
import { budgetsApi, usageApi } from './api/usage.ts';
import { usersApi } from './api/users.ts';
import { workflowsApi } from './api/workflows.ts';
import type { Decorators } from './compose.ts';
import { checkOptions } from './config/check-options.ts';
import type { Core, Listing } from './config/core.ts';
import { fileOfDatabase } from './config/database-file.ts';
import type { DetentOptions } from './config/detent-options.ts';
import type { RunRequest } from './config/request.ts';
import { openStorage, type Storage } from './parts/storage.ts';
import { runIdOf } from './requests/keyed-run.ts';

/**
 * Creates a Detent, which runs agents as durable statecharts.
 *
 * It opens its database on first use, and loads a provider with its first call.
 *
 * @example
 * ```ts
 * const detent = createDetent({ model: 'openai/gpt-5-mini' });
 * const run = detent.run('What is 17 * 23?');
 * for await (const signal of run.events) if (signal.type === 'delta') show(signal.delta);
 * const { text, status } = await run.result;
 * await detent.close();
 * ```
 */
export function createDetent(options: DetentOptions = {}): Detent {
  if (!isObject(options))
    throw new DetentError('INVALID_CONFIG', `createDetent takes an object of options, not ${shown(options)}`);
  return assemble(options);
}

/** How long a look at the files of the database counts for those who only read, in milliseconds. */
const provedMs = 5;

const starting = once(() => import('./requests/start-run.ts'));

/** The schema object of an agent, by name. */
function agentOutput(name = defaultAgent, { agents = {} }: DetentOptions): OutputSchema | undefined {
  return Object.hasOwn(agents, name) ? (agents[name]?.output as OutputSchema | undefined) : undefined;
}

/**
 * {@link createDetent} with test hooks between the engine and its surroundings.
 *
 * @internal
 */
export function assemble(options: DetentOptions, decorate: Decorators = {}): Detent {
  checkLimits(options.limits, 'createDetent');
  let storing: Promise<Storage> | null = null;
  let opening: Promise<Core> | null = null;
  let closing: Promise<void> | null = null;
  let provedAt = Number.NEGATIVE_INFINITY;

  const refuseWhenClosed = () => {
    if (closing) throw new DetentError('CLOSED', 'this Detent was closed; create a new one');
  };

  let { clock = systemClock } = options;
  const now = () => clock.now();

  const watchers = new Set<(runId: string, tenantId: number) => boolean>();
  const isWatched = (tenant: number, runId: string) =>
    [...watchers].some((watches) => watches(runId, tenant));

  const core = async (): Promise<Core> => {
    refuseWhenClosed();
    opening ??= open();
    return opening;
  };

  const unproved = async (): Promise<Listing> => {
    refuseWhenClosed();
    if (opening) {
      const { store, database, engine } = await opening;
      const isLive = (driver: number) => driver === engine.me || engine.isDrivenElsewhere({ driver });
      return { store, database: fileOfDatabase(database), now, isDriven: engine.isDriven, isLive };
    }
    if (!storing) await checkOptions(options);
    const { store, file, opened } = await storage();
    return {
      store,
      database: fileOfDatabase(file),
      now,
      isDriven: (row) => opened.isDrivenElsewhere(row),
      isLive: (driver) => opened.isDrivenElsewhere({ driver }),
    };
  };

  const listing = async (): Promise<Listing> => {
    const listed = await unproved();
    if (performance.now() - provedAt < provedMs) return listed;
    // Throws if the database is not there any more.
    listed.store.version?.();
    provedAt = performance.now();
    return listed;
  };

  // The next use of a part that cannot be opened tries again: the cause, such as a lock of another process, may be gone.
  const storage = (): Promise<Storage> => {
    storing ??= openStorage(options, decorate.store).then(
      (made) => {
        ({ clock } = made.opened);
        return made;
      },
      (error) => {
        storing = null;
        throw error;
      },
    );
    return storing;
  };

  const open = async (): Promise<Core> => {
    try {
      const { compose } = await import('./compose.ts');
      const parts = await compose(options, { isWatched, ...decorate }, storage);
      users.watch(parts.clock);
      return parts;
    } catch (error) {
      opening = null;
      await closeStorage();
      throw error;
    }
  };

  const closeStorage = async () => {
    const stored = await storing?.catch(() => null);
    storing = null;
    await stored?.close();
  };

  const handles = createRunHandles(core, options, async (tenant, runId, message, extra) => {
    const { steerRun } = await import('./api/steer-run.ts');
    await steerRun(await core(), options, { tenant, runId, message, ...extra });
  });

  const tokens = tokensApi(listing, unproved, now);
  const users = usersApi(core, listing, tokens.ended, options);

  const shut = async () => {
    handles.stop();
    try {
      const opened = await opening?.catch(() => null);
      await users.stop();
      await opened?.close();
    } finally {
      await closeStorage();
    }
  };

  return {
    run<Output>(prompt: string, request: RunRequest = {}): RunHandle<Output> {
      const runId = runIdOf(request);
      const started = starting().then(({ startRun }) => startRun(core, options, prompt, request, runId));
      const tenant = request.principal?.tenantId ?? defaultTenant;
      const output = request.output ?? agentOutput(request.agent, options);
      return handles.handle(tenant, runId, started, output) as RunHandle<Output>;
    },
    async open() {
      await listing();
    },
    async checkReady() {
      const { store } = await listing();
      await store.checkThere?.();
      await store.query('findTenant', { tenant: defaultTenant });
      store.checkRoom?.();
    },
    runs: {
      ...runsApi(core, listing, options, handles, users.api.finish),
      watchedBy(watches) {
        watchers.add(watches);
        return () => void watchers.delete(watches);
      },
    },
    workflows: workflowsApi(core, options, handles),
    [scheduleDoor]: {
      open: core,
      now,
      async check(names) {
        const { checkNames } = await import('./config/check-names.ts');
        checkNames(options, names);
      },
      webhooks: options.webhooks ?? {},
    },
    memory: memoryApi(core),
    shop: shopApi(core, usageApi(listing)),
    sessions: sessionsApi(core, listing, options),
    requests: requestsApi(core),
    usage: usageApi(listing),
    budgets: budgetsApi(listing, options),
    tokens: tokens.api,
    users: users.api,
    attachments: attachmentsApi(core),
    artifacts: artifactsApi(listing),
    config: configApi(options),
    machine: machineApi(core),
    agents: agentsApi(options),
    tenants: tenantsApi(listing, options),
    tools: toolsApi(core, options, handles),
    skills: skillsApi(core),
    backup: backupApi(core, options),
    on: handles.on,
    close() {
      closing ??= shut();
      return closing;
    },
  };
}
