import { resolve } from 'node:path';
import { declareBudget, runVersions } from '../agent/run-host.ts';
import { defaultHookTimeoutMs } from '../call/hooks.ts';
import { createEmbeddedBus } from '../engine/bus.ts';
import { follow } from '../engine/engine.ts';
import type { MachineHost } from '../engine/machine.ts';
import { defaultTenant, someProgram } from '../protocol/access.ts';
import { defaults } from '../protocol/enums.ts';
import type { Toolbox } from '../protocol/ports.ts';
import type { History } from '../runs/history.ts';
import { KeyedRequests } from '../runs/rows.ts';
import { JobWorker } from '../schedule/job-host.ts';
import { StoredJobs } from '../schedule/stored-jobs.ts';
import type { Store } from '../store/store.ts';
import { parseBody } from '../store/stored-message.ts';
import { openReporting } from '../telemetry/reporting.ts';
import { detentHome } from '../text/files.ts';
import { jsonSchemaIssues } from '../tools/registry.ts';
import { checkOptions } from './config/check-options.ts';
import type { Core, Parts } from './config/core.ts';
import { fileOfDatabase } from './config/database-file.ts';
import type { DetentOptions } from './config/detent-options.ts';
import { createSecretRedactor, withDatabaseUrl } from './config/redaction.ts';
import { toolLists } from './config/tool-lists.ts';
import { version } from './config/version.ts';
import { openEngine } from './parts/engine.ts';
import { fileRules, taintedFiles } from './parts/file-rules.ts';
import { type OpenedHosts, openHosts } from './parts/hosts.ts';
import { openMemory } from './parts/memory.ts';
import { openModels } from './parts/models.ts';
import { createNeeds } from './parts/needs.ts';
import { openOutputs } from './parts/outputs.ts';
import { PlacedRuns, placeOf } from './parts/placed-runs.ts';
import { openShell } from './parts/shell.ts';
import { openConfiguredShop } from './parts/shop.ts';
import { openTenantSkills } from './parts/skills.ts';
import { openSlotRuns } from './parts/slot-runs.ts';
import { openStorage, type Storage } from './parts/storage.ts';
import { openTenants } from './parts/tenants.ts';
import { openMcp, openTools } from './parts/tools.ts';
import { openWorkflows } from './parts/workflows.ts';

/** Hooks for tests between the engine and its surroundings; not public. */
export interface Decorators {
  store?: (store: Store) => Store;
  /** Returns the host to use, or one for each version of the machine. */
  host?: (host: MachineHost) => MachineHost | MachineHost[];
  /** The same for the host of scheduled jobs. */
  jobHost?: (host: MachineHost) => MachineHost;
  /** The same between the engine and runs of one call. */
  callHost?: (host: MachineHost) => MachineHost;
  /** The same for the hosts of the user's own charts. */
  workflowHost?: (host: MachineHost) => MachineHost;
  toolbox?: (toolbox: Toolbox) => Toolbox;
  /** Whether a connection of this process watches a run, or did until it ended. */
  isWatched?: (tenant: number, runId: string) => boolean;
}

/**
 * Opens the parts in order and wires them. Closes them in reverse order, also if a later part cannot be opened.
 *
 * @param given the store, if the caller has opened it and closes it after the other parts.
 * @throws DetentError as the store, the lock and the configuration do.
 */
export async function compose(
  options: DetentOptions,
  decorate: Decorators = {},
  given?: () => Promise<Storage>,
): Promise<Core> {
  const opened = new AsyncDisposableStack();
  try {
    return await openParts(options, decorate, given, opened);
  } catch (error) {
    const report = options.onError ?? console.error;
    await opened.disposeAsync().catch((failure) => report(failure, ''));
    throw error;
  }
}

async function openParts(
  options: DetentOptions,
  decorate: Decorators,
  given: (() => Promise<Storage>) | undefined,
  opened: AsyncDisposableStack,
): Promise<Core> {
  /** Has the part closed at the end, after the parts that are opened later. */
  const own = <T extends { close(): void | Promise<void> }>(part: T): T =>
    opened.adopt(part, (it) => it.close());

  const { workspace: folder, env = process.env } = options;
  await checkOptions(options);
  const workspace = resolve(folder ?? '.');
  const secrets = createSecretRedactor(withDatabaseUrl(options, env), options.secrets);
  const { redact } = secrets;
  const bus = createEmbeddedBus();
  const lists = toolLists(options);

  // Neither has anything to close before a run uses it. The sandbox is tried while the store opens.
  const openingShell = openShell(options, lists, bus);
  const mcp = await openMcp(options, workspace, redact);

  const {
    file,
    indexes,
    opened: storage,
    store,
  } = given ? await given() : own(await openStorage(options, decorate.store));
  const { clock } = storage;
  const { readonly, log = {}, logger, onError } = options;
  // A reader writes no log.
  const reporting = openReporting({
    config: readonly ? {} : log,
    logger,
    onError,
    workspace,
    redact,
    now: () => clock.now(),
  });
  const telemetry = own(await reporting);
  // Close these before the store releases its lock: the next driver must not run beside their work.
  if (mcp) own(mcp);
  const shell = own(await openingShell);
  const tenantSkills = own(openTenantSkills(options, workspace));
  const skills = tenantSkills.of(defaultTenant);
  const { report } = telemetry;
  const tainted = taintedFiles(store);
  const remembered = own(openMemory(options, { workspace, store, indexes, clock, secrets, tainted, report }));
  const { memory, conversations } = remembered;
  const shop = await openConfiguredShop(options, workspace, clock, async (asked) => {
    const { tenantId, sessionId, ...words } = asked;
    await (await parts.takeovers()).request(tenantId, sessionId, words);
  });
  if (shop) own(shop);
  const files = await fileRules(options, workspace, file, tainted);
  const worker = new JobWorker();
  const { toolbox: around = (all) => all } = decorate;
  const placed = storage.store.openPresence
    ? new PlacedRuns({
        store,
        ownership: storage.ownership,
        here: placeOf(workspace, !readonly && options.drivesRuns !== false),
        takesAll: options.movedDatabase === 'adopt',
      })
    : null;
  const tools = around(
    openTools(options, {
      lists,
      files,
      shell,
      mcp,
      skillsOf: tenantSkills.of,
      memoryTools: remembered.tools,
      shopTools: shop?.tools ?? [],
      store,
      worker,
    }),
  );
  const toolbox = placed?.around(tools) ?? tools;
  const outputs = openOutputs(options, bus, jsonSchemaIssues);
  const models = openModels(options, clock, secrets);
  const needs = createNeeds(options, {
    lists,
    servers: mcp?.servers().map(({ name }) => name) ?? [],
    models,
    placed,
  });
  const tenants = await openTenants({
    store,
    own: { workspace, database: fileOfDatabase(file), home: detentHome(env) },
    toolbox,
    skills: tenantSkills,
    isShellConfined: shell.shell.sandbox.kind === 'bubblewrap',
  });
  const workflows = await openWorkflows(options);
  const hooks = options.hooks && {
    hooks: options.hooks,
    timeoutMs: options.hookTimeoutMs ?? defaultHookTimeoutMs,
  };
  const { engine, hosts, runs } = own(
    openEngine(options, {
      ...storage,
      store,
      tenants,
      bus,
      models,
      toolbox,
      needs,
      secrets,
      hooks,
      telemetry,
      worker,
      env,
      placed,
      isWatched: decorate.isWatched ?? (() => false),
    }),
  );
  const { isDriven } = engine;
  const sdkVersion = () => `detent/${version()}`;
  let history: Promise<History> | null = null;
  const parts: Parts = {
    store,
    clock,
    bus,
    engine,
    workflows,
    hosts,
    runs,
    worker,
    conversations,
    env,
    sdkVersion,
    history() {
      // It keeps what it has folded.
      history ??= import('../runs/history.ts').then(({ History }) => {
        const { promptOf } = made;
        const { movedFrom } = storage;
        const told = { hosts, models, needs, movedFrom, tenants, promptOf };
        return new History({ store, ...told, clock, redact, isDriven });
      });
      return history;
    },
    async sessions() {
      const { Sessions } = await import('../runs/sessions.ts');
      return new Sessions({
        store,
        runs,
        hosts,
        clock,
        isDriven,
        redact,
        conversations,
        sdkVersion: sdkVersion(),
      });
    },
    async takeovers() {
      const { Takeovers } = await import('../runs/sessions.ts');
      const { expiresMs = defaults.takeover.expiresMs } = options.takeover ?? {};
      return new Takeovers({ store, engine, runs, expiresMs });
    },
    requests: new KeyedRequests({ store, engine, clock }),
    toolbox,
    outputs,
    skills,
    memory,
    shop,
    async toolServers() {
      await mcp?.ready(null);
      return mcp?.servers() ?? [];
    },
    models,
    placed,
    workspace,
    tenants: tenants.of,
    files,
    database: file,
    declareBudget: (tenant, budget, user) => declareBudget(store, tenant, budget, user, clock.now()),
    addSecrets: secrets.addAll,
    redact,
    follow: (tenant, runId) => follow({ bus, store, readBody: parseBody }, tenant, runId),
    close: () => opened.disposeAsync(),
  };
  const made = await openHosts(options, {
    parts,
    memory: { recall: memory.recall, listUntrusted: tainted.listIn },
    secrets,
    hooks,
  });
  hosts.add(decorated(made, decorate));
  const slotRuns = openSlotRuns(options, parts);
  const { actor = someProgram } = options;
  return { ...parts, slotRuns, jobs: new StoredJobs({ ...parts, slotRuns, actor }) };
}

function decorated(
  { run, call, job, imported, takeover, workflows }: OpenedHosts,
  decorate: Decorators,
): MachineHost[] {
  const { host = runVersions, callHost, jobHost, workflowHost } = decorate;
  return [
    host(run),
    callHost?.(call) ?? call,
    jobHost?.(job) ?? job,
    imported,
    takeover,
    workflowHost ? workflows.map(workflowHost) : workflows,
  ].flat();
}
