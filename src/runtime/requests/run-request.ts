import { checkSessionKey, defaultTenant, nameOfPerson } from '../../protocol/access.ts';
import type { AgentConfig, LimitsConfig } from '../../protocol/config.ts';
import { checkLimits, defaults } from '../../protocol/enums.ts';
import type { OutputSchema } from '../../protocol/ports.ts';
import type { StartRun } from '../../runs/runs.ts';
import type { RunBudget, RunOptions } from '../../store/run-options.ts';
import { randomId } from '../../text/ids.ts';
import { expandTools, namedByBoth, outputJsonSchema } from '../../tools/registry.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { type FoundAgent, findAgent } from '../config/find-agent.ts';
import { findBudget } from '../config/find-budget.ts';

import type { RunRequest } from '../config/request.ts';
import { checkFields } from './check-fields.ts';
import { checkModels } from './check-models.ts';
import { checkPrompt } from './check-prompt.ts';
import { chosenModel, endpointOf, fallbacksOf, modelOf } from './chosen-models.ts';
import { limitsOf, runLimits } from './run-limits.ts';

/** A run resolved from a request and the configuration, without its prompt. */
interface ResolvedRequest {
  /** The limits that were set; `start.limits` includes the defaults. */
  limits: LimitsConfig;
  start: Omit<StartRun, 'runId' | 'prompt'>;
}

/** A request that passed all checks, those of its models included. */
interface CheckedRequest extends ResolvedRequest {
  /** The variables that hold the keys of its models: their values are secrets. */
  keys: readonly string[];
}

/**
 * Checks what can be checked of a request without its prompt and before the database is opened: its agent, models with
 * their keys and prices, limits, tools, skills, budget and session.
 *
 * @throws DetentError as {@link startRequest}, and `INVALID_BASE_URL`, `MISSING_KEY`, `PRICE_MISSING`.
 */
export function checkRequest(request: RunRequest, config: DetentOptions): CheckedRequest {
  const resolved = resolveRequest(request, config);
  const { start, limits } = resolved;
  return { ...resolved, keys: checkModels(start.options, limits.maxCostUsd ?? null, config) };
}

/**
 * Resolves a run from a prompt, a request and the configuration. The request overrides its agent, and the agent the top
 * level of the configuration. Does not check whether the models can be used.
 *
 * @throws DetentError `INVALID_REQUEST`, `EMPTY_PROMPT`, `PROMPT_TOO_LARGE`, `INVALID_CONFIG`, `INVALID_SESSION`, `UNKNOWN_AGENT`,
 * `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`, `UNKNOWN_TOOLSET`, `UNKNOWN_BUDGET`, `INVALID_OUTPUT_SCHEMA`.
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
  checkFields(request);
  const agent = findAgent(request.agent, config.agents);
  return resolveFor(agent, request, config, {
    model: modelOf(request, config, agent),
    ...(chosenModel(request, config, agent) === undefined && { isDefaultModel: true }),
    ...fallbacksOf(request, config, agent),
    endpoint: endpointOf(request),
  });
}

/**
 * Resolves a request whose fields are known to be good, for an agent and the models that it shall use.
 *
 * @throws DetentError as {@link startRequest}, but for its fields, models and prompt
 */
export function resolveFor(
  agent: FoundAgent,
  request: RunRequest,
  config: Resolving,
  models: Pick<RunOptions, 'model' | 'isDefaultModel' | 'fallbacks' | 'strategy' | 'endpoint'>,
): ResolvedRequest {
  const limits = limitsOf(request, config, agent);
  checkLimits(limits, 'the run');
  if (request.sessionId !== undefined) checkSessionKey(request.sessionId);
  const { tenantId = defaultTenant, userId = null, claims = {} } = request.principal ?? {};
  const budget = budgetOf(request, agent, config);
  return {
    limits,
    start: {
      tenant: tenantId,
      sessionId: request.sessionId ?? randomId('ses'),
      mode: request.mode ?? 'queue',
      requestId: request.requestId,
      ...(request.mayApprove !== undefined && { mayApprove: request.mayApprove }),
      limits: runLimits(limits),
      options: {
        machine: 'run',
        agent: agent.name,
        ...models,
        system: request.system ?? agent.systemPrompt ?? config.system ?? defaults.system,
        tools: toolsOf(request, agent, config),
        ...skillsOf(request, agent),
        approve: request.approve ?? config.policy?.approve ?? defaults.policy.approve,
        ...(request.approve === 'all' && { approveGiven: true }),
        ...(request.byAdmin && { byAdmin: true }),
        ...outputOf(request, agent),
        ...(request.cache === false && { cache: false }),
        ...(request.stream === false && { stream: false }),
        ...(budget && { budget }),
        ...(request.after !== undefined && { after: request.after }),
        ...(request.metadata && { metadata: request.metadata }),
        ...contextOf(agent, config),
        workspace: config.workspace ?? '',
        principal: { tenantId, userId, claims },
        ...askerOf(request),
      },
    },
  };
}

/** The parts of a configuration that a request is resolved with. */
type Resolving = Pick<
  DetentOptions,
  'limits' | 'budgets' | 'system' | 'tools' | 'policy' | 'context' | 'workspace' | 'agents'
>;

/** Who asked, if the user does not say it. */
export function askerOf({ by, principal }: Pick<RunRequest, 'by' | 'principal'>): { by?: string[] } {
  const user = principal?.userId;
  return by === undefined || (user !== undefined && by === nameOfPerson(user)) ? {} : { by: [by] };
}

/** The allowed tools; null for all configured ones. Lists of agent and request can only shorten the configured one. */
function toolsOf(request: RunRequest, agent: AgentConfig, { tools }: Resolving): string[] | null {
  const asked = request.tools && expandTools(request.tools, tools?.sets);
  const own = agent.tools && expandTools(agent.tools, tools?.sets);
  if (!asked || !own) return asked ?? own ?? null;
  return namedByBoth(asked, own);
}

/** The allowed skills. The request's list can only shorten that of the agent. */
export function skillsOf(
  { skills: asked }: RunRequest,
  { skills: own }: AgentConfig,
): Pick<RunOptions, 'skills'> {
  const skills = asked && own ? namedByBoth(asked, own) : (asked ?? own);
  return skills ? { skills } : {};
}

/** The output schema as JSON Schema. */
export function outputOf({ output: asked }: RunRequest, agent: FoundAgent): Pick<RunOptions, 'output'> {
  if (asked !== undefined) return { output: outputJsonSchema(asked) };
  return agent.output
    ? { output: outputJsonSchema(agent.output as OutputSchema, `agents.${agent.name}.output`) }
    : {};
}

/** The context settings; a field that the agent leaves out comes from the top level of the configuration. */
function contextOf(agent: AgentConfig, config: Resolving): Pick<RunOptions, 'context'> {
  return agent.context || config.context ? { context: { ...config.context, ...agent.context } } : {};
}

/**
 * The shared budget of a run, named by the request or else by its agent; null for none.
 *
 * @throws DetentError `UNKNOWN_BUDGET`, which lists the known budgets.
 */
function budgetOf(
  request: RunRequest,
  agent: FoundAgent,
  config: Pick<DetentOptions, 'budgets'>,
): RunBudget | null {
  const name = request.budget ?? agent.budget;
  return name === undefined ? null : findBudget(name, config.budgets);
}
