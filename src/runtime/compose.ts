import { resolve } from 'node:path';
import { createEndTeller, type EndTeller } from '../agent/hooks/run-end.ts';
import { defaultHookTimeoutMs } from '../agent/hooks/run-hooks.ts';
import { taintAtCall } from '../agent/policy/taint.ts';
import { createRunHost } from '../agent/run-host.ts';
import { declareBudget } from '../agent/usage/budgets.ts';
import { createEmbeddedBus } from '../engine/bus.ts';
import { systemClock } from '../engine/clock.ts';
import { createEmbeddedDispatcher } from '../engine/dispatcher.ts';
import { Engine } from '../engine/engine.ts';
import { follow } from '../engine/follow.ts';
import { createEmbeddedLimiter } from '../engine/limiter.ts';
import type { MachineHost } from '../engine/machine-host.ts';
import { createMachineHosts } from '../engine/machine-hosts.ts';
import { Conversations } from '../memory/conversations/conversations.ts';
import { sessionSearchTool } from '../memory/conversations/session-tool.ts';
import { dayLog } from '../memory/day-log.ts';
import { embeddingsOf } from '../memory/embeddings/configured.ts';
import { conversationIndexes } from '../memory/home.ts';
import { IndexThread } from '../memory/index/client.ts';
import { Memories } from '../memory/memories.ts';
import { memoryTools } from '../memory/tools.ts';
import { createModelDirectory } from '../models/directory.ts';
import { randomId } from '../protocol/ids.ts';
import { callNumber } from '../records/call-id.ts';
import { importedHost } from '../runs/imported.ts';
import { Runs } from '../runs/runs.ts';
import { Sessions } from '../runs/sessions/sessions.ts';
import { SubRuns } from '../runs/sub-runs.ts';
import { skillTool } from '../skills/skill-tool.ts';
import type { Store } from '../store/store.ts';
import { openReporting } from '../telemetry/reporting.ts';
import type { RunLog } from '../telemetry/run-log.ts';
import { globMatcher } from '../text/glob.ts';
import { builtinTools } from '../tools/builtin/index.ts';
import { prepareShell } from '../tools/builtin/prepare-shell.ts';
import type { TaskToolOptions } from '../tools/builtin/task.ts';
import type { McpSource } from '../tools/mcp/source.ts';
import { expandTools } from '../tools/registry/toolsets.ts';
import { createToolbox } from '../tools/toolbox.ts';
import { checkWholeConfig } from './config/check-config.ts';
import { agentNames } from './config/find-agent.ts';
import type { DetentOptions } from './config/options.ts';
import type { Core } from './core.ts';
import { openSkills } from './open-skills.ts';
import { databaseFile, openStore } from './open-store.ts';
import { growingRedactor } from './redaction.ts';
import { version } from './version.ts';

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
          import('./requests/sub-run-request.ts'),
          import('./requests/check-models.ts'),
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
      const { History } = await import('../runs/history/history.ts');
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
  const { createMcpSource } = await import('../tools/mcp/source.ts');
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
