import { policy } from '../../protocol/config/policy.ts';
import { system } from '../../protocol/config/system.ts';
import { type AgentConfig, checkConfig, type LimitsConfig } from '../../protocol/config.ts';
import { randomId } from '../../protocol/ids.ts';
import { checkSessionKey } from '../../protocol/session-key.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import type { RunOptions } from '../../records/run-options.ts';
import type { StartRun } from '../../runs/runs.ts';
import { namedByBoth } from '../../tools/registry/name-patterns.ts';
import { expandTools } from '../../tools/registry/toolsets.ts';
import { findAgent } from '../config/find-agent.ts';
import { budgetOf } from '../config/find-budget.ts';
import type { DetentOptions } from '../config/options.ts';
import type { RunRequest } from '../config/request.ts';
import { checkModels } from './check-models.ts';
import { checkPrompt } from './check-prompt.ts';
import { endpointOf, fallbacksOf, modelOf } from './chosen-models.ts';
import { limitsOf, runLimits } from './limits.ts';

/** What a request and the configuration make of a run, but for its prompt. */
interface ResolvedRequest {
  /** As they were set; `start.limits` has the defaults, too. */
  limits: LimitsConfig;
  start: Omit<StartRun, 'runId' | 'prompt'>;
}

/** A request that was found right, models included. */
export interface CheckedRequest extends ResolvedRequest {
  /** The variables that hold the keys of its models: their values are secrets. */
  keys: readonly string[];
}

/**
 * Checks all that can be known of a request before its prompt is there and before anything is opened: its agent, models
 * with their keys and prices, limits, tools, skills, budget and session.
 *
 * @throws DetentError as {@link startRequest}, and `INVALID_BASE_URL`, `MISSING_KEY`, `PRICE_MISSING`.
 */
export function checkRequest(request: RunRequest, config: DetentOptions): CheckedRequest {
  const resolved = resolveRequest(request, config);
  const { start, limits } = resolved;
  return { ...resolved, keys: checkModels(start.options, limits.maxCostUsd ?? null, config) };
}

/**
 * What a request and the configuration make of a prompt. The request goes before its agent, the agent before the top of
 * the configuration. Whether its models can be used is not checked.
 *
 * @throws DetentError `EMPTY_PROMPT`, `PROMPT_TOO_LARGE`, `INVALID_CONFIG`, `INVALID_SESSION`, `UNKNOWN_AGENT`,
 * `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`, `UNKNOWN_TOOLSET`, `UNKNOWN_BUDGET`.
 */
export function startRequest(
  prompt: string,
  request: RunRequest,
  config: DetentOptions,
  runId: string,
): StartRun {
  const { start, limits } = resolveRequest(request, config);
  checkPrompt(prompt, limits);
  return { runId, prompt, ...start };
}

function resolveRequest(request: RunRequest, config: DetentOptions): ResolvedRequest {
  const agent = findAgent(request.agent, config.agents);
  const limits = limitsOf(request, config);
  checkConfig({ limits }, 'the run');
  if (request.session !== undefined) checkSessionKey(request.session);
  const { tenantId = defaultTenant, userId = null, claims = {} } = request.principal ?? {};
  const budget = budgetOf(request, config);
  return {
    limits,
    start: {
      tenant: tenantId,
      sessionId: request.session ?? randomId('ses'),
      mode: request.mode ?? 'queue',
      limits: runLimits(limits),
      options: {
        machine: 'run',
        agent: agent.name,
        model: modelOf(request, config),
        ...fallbacksOf(request, config),
        endpoint: endpointOf(request),
        system: request.system ?? agent.systemPrompt ?? config.system ?? system.default,
        tools: toolsOf(request, agent, config),
        ...skillsOf(request, agent),
        approve: request.approve ?? config.policy?.approve ?? policy.fields.approve.default,
        ...(request.cache === false && { cache: false }),
        ...(request.stream === false && { stream: false }),
        ...(budget && { budget }),
        ...contextOf(agent, config),
        workspace: config.workspace ?? '',
        principal: { tenantId, userId, claims },
      },
    },
  };
}

/** Null = all that are configured. An agent's list and a request's can only narrow. */
function toolsOf(request: RunRequest, agent: AgentConfig, { tools }: DetentOptions): string[] | null {
  const asked = request.tools && expandTools(request.tools, tools?.sets);
  const own = agent.tools && expandTools(agent.tools, tools?.sets);
  if (!asked || !own) return asked ?? own ?? null;
  return namedByBoth(asked, own);
}

/** An agent's list and a request's can only narrow. */
function skillsOf({ skills: asked }: RunRequest, { skills: own }: AgentConfig): Pick<RunOptions, 'skills'> {
  const skills = asked && own ? namedByBoth(asked, own) : (asked ?? own);
  return skills ? { skills } : {};
}

/** Fields that the agent leaves out are taken from the top of the configuration, each by itself. */
function contextOf(agent: AgentConfig, config: DetentOptions): Pick<RunOptions, 'context'> {
  return agent.context || config.context ? { context: { ...config.context, ...agent.context } } : {};
}
