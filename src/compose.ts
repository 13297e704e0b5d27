import { join, resolve } from 'node:path';
import { declareBudget } from './agent/budgets.ts';
import type { ModelDirectory } from './agent/chat-model.ts';
import { callNumber } from './agent/decisions.ts';
import type { History } from './agent/history/history.ts';
import { createEndTeller, type EndTeller } from './agent/hooks/run-end.ts';
import { defaultHookTimeoutMs } from './agent/hooks/run-hooks.ts';
import { createRedactor } from './agent/redaction.ts';
import { createRunHost } from './agent/run-host.ts';
import type { RunBudget } from './agent/run-options.ts';
import { Runs } from './agent/runs.ts';
import { importedHost } from './agent/sessions/imported.ts';
import { Sessions } from './agent/sessions/sessions.ts';
import { SubRuns } from './agent/sub-runs.ts';
import { taintAtCall } from './agent/taint.ts';
import type { Toolbox } from './agent/toolbox.ts';
import { agentNames } from './agents.ts';
import { checkWholeConfig } from './check-config.ts';
import { createEmbeddedBus, type EventBus } from './engine/bus.ts';
import { type Clock, systemClock } from './engine/clock.ts';
import { createEmbeddedDispatcher } from './engine/dispatcher.ts';
import { Engine, fenceSpan } from './engine/engine.ts';
import { type Followed, follow } from './engine/follow.ts';
import { createEmbeddedLimiter } from './engine/limiter.ts';
import type { MachineHost } from './engine/machine-host.ts';
import { createMachineHosts, type MachineHosts } from './engine/machine-hosts.ts';
import type { RunRow } from './engine/rows.ts';
import { ask } from './engine/statements.ts';
import type { Store } from './engine/store.ts';
import { openReporting } from './log/reporting.ts';
import type { RunLog } from './log/run-log.ts';
import { Conversations } from './memory/conversations/conversations.ts';
import { sessionSearchTool } from './memory/conversations/session-tool.ts';
import { dayLog } from './memory/day-log.ts';
import { embeddingsOf } from './memory/embeddings/configured.ts';
import { conversationIndexes } from './memory/home.ts';
import { IndexThread } from './memory/index/client.ts';
import { Memories } from './memory/source.ts';
import { memoryTools } from './memory/tools.ts';
import { createModelDirectory } from './models/directory.ts';
import type { DetentOptions } from './options.ts';
import { randomId } from './protocol/ids.ts';
import type { SkillLibrary } from './skills/library.ts';
import { skillTool } from './skills/skill-tool.ts';
import { openSkills } from './skills-api.ts';
import { globMatcher } from './tools/builtin/files/glob.ts';
import { builtinTools } from './tools/builtin/index.ts';
import type { TaskToolOptions } from './tools/builtin/task.ts';
import type { McpServerView, McpSource } from './tools/mcp/source.ts';
import { prepareShell } from './tools/sandbox/prepare-shell.ts';
import { createToolbox } from './tools/toolbox.ts';
import { expandTools } from './tools/toolsets.ts';
import { version } from './version.ts';

/** Everything behind a Detent, wired. */
export interface Core {
  store: Store;
  clock: Clock;
  bus: EventBus;
  engine: Engine;
  hosts: MachineHosts;
  runs: Runs;
  /** Loaded on first use: a run needs nothing of it. */
  history(): Promise<History>;
  sessions: Sessions;
  toolbox: Toolbox;
  skills: SkillLibrary;
  memory: Memories;
  /** Every configured server of tools, after it was asked for them. */
  toolServers(): Promise<readonly McpServerView[]>;
  models: ModelDirectory;
  workspace: string;
  /** Puts the configured limits of a shared budget into force. */
  declareBudget(tenant: number, budget: RunBudget): Promise<void>;
  /** Takes known secrets out of text. */
  redact(text: string): string;
  /** Listens to a run from the moment of the call. */
  follow(tenant: number, runId: string): Followed;
  close(): Promise<void>;
}

/** Lets tests stand between the engine and the world; not public. */
export interface Decorators {
  store?: (store: Store) => Store;
  /** Several are versions of the machine. */
  host?: (host: MachineHost) => MachineHost | MachineHost[];
}

/** Opens the store and wires the parts. @throws DetentError as the store, the lock and the configuration do. */
export async function compose(options: DetentOptions, decorate: Decorators = {}): Promise<Core> {
  const {
    workspace: folder,
    store: given,
    env = process.env,
    lockWaitMs,
    readonly,
    clock,
    onError,
    logger,
    ...config
  } = options;
  checkWholeConfig(config, 'createDetent');
  const workspace = resolve(folder ?? '.');
  const secrets = growingRedactor(env, config.secrets);
  const { redact, redactStream } = secrets;
  const bus = createEmbeddedBus();
  const { allowed: named, disabled: off, sets, define = [] } = config.tools ?? {};
  const allowed = named ? expandTools(named, sets) : null;
  const disabled = expandTools(off ?? [], sets);
  // Tries the sandbox in a process of its own, while the store is opened. Never rejects.
  const preparing = prepareShell({
    choice: config.sandbox,
    isWanted: (tool) => !readonly && !disabled.includes(tool) && (allowed?.includes(tool) ?? true),
    bus,
    databaseFile: given === undefined ? databaseFile(options, workspace) : null,
  });
  const mcp = await openMcp(options, workspace, redact);
  const opened = await openStore(options, workspace);
  const store = decorate.store?.(opened.store) ?? opened.store;
  try {
    const { shell, unavailable } = await preparing;
    const { log: logConfig = {}, hookTimeoutMs = defaultHookTimeoutMs } = config;
    const reporting = await openReporting({
      config: readonly ? {} : logConfig,
      logger,
      onError,
      workspace,
      redact,
    });
    const { report } = reporting;
    const hooks = config.hooks && { hooks: config.hooks, timeoutMs: hookTimeoutMs };
    const endTeller = hooks ? createEndTeller(hooks, report) : null;
    // The tool is there before what it starts runs with.
    const task: TaskToolOptions = {
      agents: agentNames(config.agents),
      perform: (request, ctx) => subRuns.perform(request, ctx),
    };
    const skills = openSkills(options, workspace);
    const untrusted = (config.policy?.untrusted ?? []).map(globMatcher);
    const time = clock ?? systemClock;
    const embeddings = embeddingsOf(config.memory?.embeddings, env, workspace);
    const keyOfEmbeddings = config.memory?.embeddings?.apiKeyEnv;
    if (keyOfEmbeddings !== undefined) secrets.add(keyOfEmbeddings);
    const thread = new IndexThread();
    const memory = new Memories({
      isWatching: !readonly,
      embeddings,
      thread,
      report: (error) => report(error, ''),
    });
    const conversations = new Conversations({
      store,
      thread,
      indexFile: conversationIndexes(given === undefined ? databaseFile(options, workspace) : null),
    });
    const remembering = memoryTools({
      memory,
      redact,
      now: () => time.now(),
      async isTainted({ principal, runId, callId }) {
        const run = await runs.row(principal.tenantId, runId);
        return (await taintAtCall(store, run, callNumber(callId))).length > 0;
      },
    });
    const toolbox = createToolbox({
      tools: [
        ...builtinTools({ shell: { ...shell, readable: skills.folders }, egress: config.egress, task }),
        ...remembering,
        sessionSearchTool(conversations),
        skillTool(skills, untrusted),
        ...define,
      ],
      allowed,
      disabled,
      unavailable,
      ...(mcp && { source: mcp }),
      ...(config.policy?.confirm && { confirm: config.policy.confirm }),
      ...(config.policy?.taint && { taint: config.policy.taint }),
      untrusted,
      ...(config.tools?.limits && { limits: config.tools.limits }),
    });
    const models = createModelDirectory({
      providers: config.models ?? {},
      env,
      onKey: secrets.add,
      clock: time,
      ...(config.router && { router: config.router }),
    });
    const host = createRunHost({
      store,
      bus,
      models,
      toolbox,
      skills,
      dayLog,
      ...(config.memory?.recall !== false && { memory }),
      clock: time,
      ...(config.router?.cache?.ttlMs && { cache: { ttlMs: config.router.cache.ttlMs } }),
      random: Math.random,
      newId: () => randomId('art'),
      redact,
      redactStream,
      ...(hooks && { hooks }),
    });
    const hosts = createMachineHosts([decorate.host?.(host) ?? host, importedHost].flat());
    const engine = new Engine({
      store,
      hosts,
      clock: time,
      bus,
      dispatcher: createEmbeddedDispatcher(),
      limiter: createEmbeddedLimiter(),
      epoch: opened.epoch,
      redact,
      report,
      ...watching(reporting.log, endTeller),
    });
    const runs = new Runs({
      engine,
      store,
      bus,
      toolbox,
      redact,
      isDrivenElsewhere: opened.isDrivenElsewhere,
    });
    const subRuns: SubRuns = new SubRuns({
      store,
      engine,
      bus,
      clock: time,
      runs,
      async plan(parent, request, left) {
        const [{ subRunRequest }, { checkModels }] = await Promise.all([
          import('./sub-run-request.ts'),
          import('./check-models.ts'),
        ]);
        const planned = subRunRequest(parent, request, left, options);
        const { costUsd } = planned.limits;
        await checkModels(models, planned.options, costUsd === null ? {} : { maxCostUsd: costUsd }, options);
        return planned;
      },
    });
    const sessions = new Sessions({
      store,
      engine,
      hosts,
      clock: time,
      isDriven: runs.isDriven,
      redact,
      conversations,
      sdkVersion: () => `detent/${version()}`,
    });
    const history = async () => {
      const { History } = await import('./agent/history/history.ts');
      const { isDriven } = runs;
      return new History({ store, hosts, models, skills, clock: time, newId: randomId, redact, isDriven });
    };
    return {
      store,
      clock: time,
      bus,
      engine,
      hosts,
      runs,
      history,
      sessions,
      toolbox,
      skills,
      memory,
      async toolServers() {
        await mcp?.ready(null);
        return mcp?.servers() ?? [];
      },
      models,
      workspace,
      declareBudget: (tenant, budget) => declareBudget(store, tenant, budget, time.now()),
      redact,
      follow: (tenant, runId) => follow(bus, store, tenant, runId),
      async close() {
        await engine.stop();
        await runs.stop();
        await endTeller?.settled();
        await shell.jobs.close();
        await memory.close();
        skills.close();
        await conversations.close();
        await thread.close();
        await mcp?.close();
        await opened.close();
        await reporting.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Nothing of it is loaded, and no server asked, where none is configured. */
async function openMcp(
  { mcp, readonly, env = process.env }: DetentOptions,
  workspace: string,
  redact: (text: string) => string,
): Promise<McpSource | null> {
  if (!mcp) return null;
  const { createMcpSource } = await import('./tools/mcp/source.ts');
  return createMcpSource({
    config: mcp,
    workspace,
    env,
    version: version(),
    redact,
    writesPins: !readonly,
  });
}

/** Nothing where nobody listens. */
function watching(
  log: RunLog | null,
  ends: EndTeller | null,
): Pick<ConstructorParameters<typeof Engine>[0], 'watch'> {
  if (!log && !ends) return {};
  return {
    watch(transition) {
      log?.moved(transition);
      ends?.tell(transition.row);
    },
  };
}

/** A key is a secret whatever its variable is called; which ones are used shows when models are resolved. */
function growingRedactor(env: Readonly<Record<string, string | undefined>>, named: readonly string[] = []) {
  const names = new Set(named);
  let current = createRedactor(env, [...names]);
  return {
    redact: (text: string) => current.redact(text),
    redactStream: () => current.stream(),
    add(name: string) {
      if (names.has(name)) return;
      current = createRedactor(env, [...names.add(name)]);
    },
  };
}

interface Opened {
  store: Store;
  epoch: number;
  isDrivenElsewhere(row: RunRow): boolean;
  close(): Promise<void>;
}

async function openStore(options: DetentOptions, workspace: string): Promise<Opened> {
  const nobody = () => false;
  if (options.store === 'in-process') {
    const { createInProcessStore } = await import('./store/in-process/index.ts');
    const store = createInProcessStore();
    return {
      store,
      epoch: await newEpoch(store, options),
      isDrivenElsewhere: nobody,
      close: () => store.close(),
    };
  }
  if (options.store)
    // It is its owner who closes it.
    return {
      store: options.store,
      epoch: await newEpoch(options.store, options),
      isDrivenElsewhere: nobody,
      close: async () => {},
    };
  const { openSqlite } = await import('./store/sql/sqlite.ts');
  const { isDriven, takeDriverLock } = await import('./store/sql/driver-lock.ts');
  const { lastDriverPid } = await import('./store/sql/last-driver.ts');
  const file = databaseFile(options, workspace);
  const sqlite = { ...options.database, file };
  if (options.readonly) {
    const store = await openSqlite({ ...sqlite, readonly: true });
    const last = isDriven(file) ? await store.query('lastDriver', {}) : undefined;
    const isDrivenElsewhere = ({ fence }: RunRow) =>
      last !== undefined && Math.floor(fence / fenceSpan) === last.epoch;
    return { store, epoch: 0, isDrivenElsewhere, close: () => store.close() };
  }
  const lock = await takeDriverLock(file, options.lockWaitMs ?? 5_000, () => lastDriverPid(file));
  try {
    const store = await openSqlite(sqlite);
    const close = async () => {
      await store.close();
      lock.release();
    };
    const epoch = await newEpoch(store, options);
    // Whoever reserved for them was gone before we got the lock.
    await store.commit(() => ask('deleteStaleHolds', { fence: epoch * fenceSpan }));
    return { store, epoch, isDrivenElsewhere: nobody, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Where the database of a workspace is. */
export function databaseFile({ database }: DetentOptions, workspace: string): string {
  const file = database?.file;
  if (file === ':memory:') return file;
  return file === undefined ? join(workspace, '.detent', 'detent.db') : resolve(workspace, file);
}

/** Takes the right to write, and clears away the kept answers that are too old for anybody: all, where none are kept. */
async function newEpoch(store: Store, { router, clock = systemClock }: DetentOptions): Promise<number> {
  const before = clock.now() - (router?.cache?.ttlMs ?? 0);
  const { epoch } = await store.commit(function* () {
    yield* ask('deleteAnswersBefore', { before });
    return yield* ask('insertDriver', { pid: process.pid, at: Date.now() });
  });
  return epoch;
}
