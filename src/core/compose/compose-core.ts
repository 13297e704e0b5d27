import { createRunHost, declareBudget } from '../../agent/run-host.ts';
import type { CallHostParts } from '../../call/call-host.ts';
import { defaultHookTimeoutMs } from '../../call/hooks.ts';
import { createEmbeddedBus, noHints } from '../../engine/bus.ts';
import { systemClock } from '../../engine/clock.ts';
import { Engine, follow } from '../../engine/engine.ts';
import { createMachineHosts, type MachineHost } from '../../engine/machine.ts';
import { SoleOwnership } from '../../engine/ownership.ts';
import { someProgram, defaultTenant as tenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import { Runs } from '../../runs/runs.ts';
import { agentNames, findAgent } from '../../runtime/config.ts';
import { openOutputs, toolLists } from '../../runtime/parts.ts';
import { resolveFor } from '../../runtime/requests.ts';
import { TextSkills } from '../../skills/skills.ts';
import { openDriver } from '../../store/driver.ts';
import { type Ask, request } from '../../store/program.ts';
import type { StatementsOf } from '../../store/statements.ts';
import { parseBody } from '../../store/stored-message.ts';
import { schemaChecker } from '../../text/json-schema.ts';
import { StreamRedactor } from '../../text/wording.ts';
import { noFiles } from '../../tools/files.ts';
import { createPlainToolbox } from '../../tools/plain-toolbox.ts';
import { type SchemaCheck, toolMatcher } from '../../tools/registry.ts';
import type { CoreOptions, CoreRequest } from '../options.ts';
import { CoreModels } from './models.ts';

/** Hooks for tests between the engine and its surroundings; not public. */
export interface CoreDecorators {
  host?: (host: MachineHost) => MachineHost | MachineHost[];
  toolbox?: (toolbox: Toolbox) => Toolbox;
}

const ask: Ask<StatementsOf<'drivers'>> = request;
/** An app has no secrets in its environment. */
const noSecrets = {
  redact: (text: string) => text,
  redactStream: () => new StreamRedactor([], noSecrets.redact),
};

/**
 * What a run is made with.
 *
 * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, and as `resolveFor` does.
 */
export function resolved(
  options: CoreOptions,
  models: CoreModels,
  request: CoreRequest,
): ReturnType<typeof resolveFor> {
  const agent = findAgent(request.agent, options.agents);
  const name = request.model ?? agent.model ?? options.model;
  if (name === undefined)
    throw new DetentError('UNKNOWN_MODEL', 'name a model: createCore({ model: "provider/model" })');
  const fallbacks = request.model === undefined ? (agent.fallbacks ?? options.fallbacks ?? []) : [];
  for (const one of [name, ...fallbacks]) models.find(one);
  return resolveFor(agent, request, options, {
    model: name,
    endpoint: null,
    ...(fallbacks.length > 0 && { fallbacks }),
  });
}

/**
 * Opens and wires the parts.
 *
 * @throws DetentError as the database, the tools and the skills do.
 */
export function composeCore(options: CoreOptions, decorate: CoreDecorators = {}) {
  const { host, agents = {}, actor = someProgram, policy = {}, tools = {}, subRuns } = options;
  const { clock = systemClock, report = console.error } = host;
  const [bus, hosts] = [createEmbeddedBus(), createMachineHosts()];
  const issuesOf = schemaChecker();
  const check: SchemaCheck = async (schema, value) => issuesOf(schema, value);
  const skills = new TextSkills(options.skills ?? [], toolMatcher);
  const { toolbox: around = (all) => all } = decorate;
  const toolbox = around(
    createPlainToolbox({
      tools: [
        ...(options.skills ? [skills.tool()] : []),
        ...(subRuns ? [subRuns.tool(agentNames(agents))] : []),
        ...(tools.define ?? []),
      ],
      ...toolLists(options),
      ...(policy.confirm && { confirm: policy.confirm }),
      ...(policy.taint && { taint: policy.taint }),
      ...(tools.limits && { limits: tools.limits }),
      files: noFiles,
      schemaIssues: check,
    }),
  );
  const models = new CoreModels(options.models);
  const outputs = openOutputs({ agents }, bus, check);
  const place = { toolbox, skills, workspace: null, memoryFolder: { workspace: '', tenant } };
  const store = openDriver(host.storage, 'of this app');
  const ownership = new SoleOwnership(async (signs) => {
    const made = await store.commit(() => ask('insertDriver', { ...signs, pid: 0, at: clock.now() }));
    return made.epoch;
  });
  const engine: Engine = new Engine({
    store,
    hosts,
    clock,
    bus,
    ownership,
    ...noSecrets,
    report,
    posted: (to) => runs.posted(to),
  });
  const partsOf = async () => place;
  const runs: Runs = new Runs({
    ...{ engine, store, bus, toolbox, models, partsOf, actor, clock, report },
    ...noSecrets,
    hints: noHints,
  });
  const calls: CallHostParts = {
    ...{ store, bus, partsOf },
    redact: noSecrets.redact,
    ...(subRuns && {
      tasks: subRuns.open({
        ...{ store, engine, bus, clock, runs },
        config: options,
        resolve: (asked) => resolved(options, models, asked).start,
      }),
    }),
    ...(options.hooks && {
      hooks: { hooks: options.hooks, timeoutMs: options.hookTimeoutMs ?? defaultHookTimeoutMs },
    }),
  };
  const agentHost = createRunHost({
    ...place,
    ...calls,
    ...{ store, models, clock, partsOf, outputs },
    ...noSecrets,
    random: Math.random,
    ...(options.conversations && { withClientTools: options.conversations.withClientTools }),
  }) as MachineHost;
  hosts.add([decorate.host?.(agentHost) ?? agentHost].flat());
  return {
    ...{ store, engine, runs, hosts, bus, clock, models, outputs, skills, toolbox, calls },
    declareBudget: (of: number, budget: Parameters<typeof declareBudget>[2], user: string | null) =>
      declareBudget(store, of, budget, user, clock.now()),
    follow: (_tenant: number, runId: string) => follow({ bus, store, readBody: parseBody }, tenant, runId),
    async close() {
      await engine.stop();
      await runs.stop();
      await store.close();
    },
  };
}

export type CoreParts = ReturnType<typeof composeCore>;
