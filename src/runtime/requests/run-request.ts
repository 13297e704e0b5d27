import type { RunLimits } from '../../../machines/run.types.ts';
import { fullModelName, parseModelName } from '../../models/catalogue/model-name.ts';
import { defaultModel } from '../../models/catalogue/presets.ts';
import type { Endpoint, ModelPrice } from '../../ports/chat-model.ts';
import { limits as limitFields } from '../../protocol/config/limits.ts';
import { policy } from '../../protocol/config/policy.ts';
import { system } from '../../protocol/config/system.ts';
import { type AgentConfig, checkConfig, type LimitsConfig } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import { randomId } from '../../protocol/ids.ts';
import { checkSessionKey } from '../../protocol/session-key.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import { defaultLimits, type RunOptions } from '../../records/run-options.ts';
import type { StartRun } from '../../runs/runs.ts';
import { namedByBoth } from '../../tools/registry/name-patterns.ts';
import { expandTools } from '../../tools/registry/toolsets.ts';
import { findAgent } from '../config/find-agent.ts';
import { budgetOf } from '../config/find-budget.ts';
import type { DetentOptions, RunRequest } from '../config/options.ts';

/**
 * What a request and the configuration make of a prompt. The request goes before its agent, the agent before the top of
 * the configuration.
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
  const agent = findAgent(request.agent, config.agents);
  const limits = limitsOf(request, config);
  checkConfig({ limits }, 'the run');
  checkPrompt(prompt, limits);
  if (request.session !== undefined) checkSessionKey(request.session);
  const { tenantId, userId, claims } = request.principal ?? {};
  return {
    runId,
    tenant: tenantId ?? defaultTenant,
    sessionId: request.session ?? randomId('ses'),
    prompt,
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
      ...sharedBudget(request, config),
      ...contextOf(agent, config),
      workspace: config.workspace ?? '',
      principal: { tenantId: tenantId ?? defaultTenant, userId: userId ?? null, claims: claims ?? {} },
    },
  };
}

/** Fields that the agent leaves out are taken from the top of the configuration, each by itself. */
function contextOf(agent: AgentConfig, config: DetentOptions): Pick<RunOptions, 'context'> {
  return agent.context || config.context ? { context: { ...config.context, ...agent.context } } : {};
}

/** The budget that a run shares with others. @throws DetentError `UNKNOWN_BUDGET`, `UNKNOWN_AGENT`. */
export function sharedBudget(request: RunRequest, config: DetentOptions): Pick<RunOptions, 'budget'> {
  const budget = budgetOf(request, config);
  return budget ? { budget } : {};
}

/** The full name of the model that a run would use. @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`. */
export function modelOf(request: RunRequest, config: DetentOptions): string {
  const name = chosenModel(request, config);
  if (name === undefined) return defaultModel(config.env ?? process.env);
  return fullModelName(name, config.models ?? {});
}

/**
 * The models that a run may go on with, and in which order. Whoever names a model for one run gets that one, or an error.
 *
 * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`.
 */
export function fallbacksOf(
  request: RunRequest,
  config: DetentOptions,
): Pick<RunOptions, 'fallbacks' | 'strategy'> {
  if (request.model !== undefined || endpointOf(request) !== null) return {};
  const names = findAgent(request.agent, config.agents).fallbacks ?? config.fallbacks ?? [];
  if (names.length === 0) return {};
  return {
    fallbacks: names.map((name) => fullModelName(name, config.models ?? {})),
    ...(config.router?.strategy && { strategy: config.router.strategy }),
  };
}

/** The model that the request, its agent or the configuration names. @throws DetentError `UNKNOWN_AGENT`. */
export function chosenModel(request: RunRequest, config: DetentOptions): string | undefined {
  return request.model ?? findAgent(request.agent, config.agents).model ?? config.model;
}

/** The limits of a run, as far as somebody set them. @throws DetentError `UNKNOWN_AGENT`. */
export function limitsOf(request: RunRequest, config: DetentOptions): LimitsConfig {
  return { ...config.limits, ...findAgent(request.agent, config.agents).limits, ...request.limits };
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

/**
 * A limit in money needs a price.
 *
 * @throws DetentError `PRICE_MISSING` that says which field to set.
 */
export function checkPrice(
  name: string,
  price: ModelPrice | null,
  { maxCostUsd }: LimitsConfig,
  { models = {} }: DetentOptions,
): void {
  if (maxCostUsd === undefined || price !== null) return;
  const { provider, model } = parseModelName(name);
  const isOwn = 'generate' in (models[provider] ?? {});
  const field = isOwn
    ? `models.${provider}.price`
    : `models.${provider}.models[${JSON.stringify(model)}].price`;
  throw new DetentError(
    'PRICE_MISSING',
    `a limit in money needs the price of ${name}: set ${field} in the configuration, with inputUsd and outputUsd for a million tokens`,
    { details: { model: name, field } },
  );
}

/** @throws DetentError `EMPTY_PROMPT`, `PROMPT_TOO_LARGE`. */
export function checkPrompt(prompt: string, limits: LimitsConfig | undefined): void {
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new DetentError('EMPTY_PROMPT', 'the prompt is empty; say what you want');
  const most = mostPromptBytes(limits);
  const bytes = new TextEncoder().encode(prompt).length;
  if (bytes > most)
    throw new DetentError(
      'PROMPT_TOO_LARGE',
      `the prompt has ${bytes} bytes, more than ${most}; put the text into a file and ask to read it, or raise limits.maxPromptBytes`,
      { details: { bytes, maxBytes: most } },
    );
}

/** The largest prompt that is taken, in bytes of UTF-8. */
export function mostPromptBytes(limits: LimitsConfig | undefined): number {
  return limits?.maxPromptBytes ?? limitFields.fields.maxPromptBytes.default;
}

function runLimits(limits: LimitsConfig): RunLimits {
  return {
    steps: limits.maxSteps ?? defaultLimits.steps,
    tokens: limits.maxTokens ?? defaultLimits.tokens,
    costUsd: limits.maxCostUsd ?? defaultLimits.costUsd,
    workMs: limits.timeoutMs ?? defaultLimits.workMs,
    errors: limits.maxErrors ?? defaultLimits.errors,
    repeats: limits.maxRepeats ?? defaultLimits.repeats,
    attempts: limits.maxRetries === undefined ? defaultLimits.attempts : limits.maxRetries + 1,
    parallel: limits.parallelCalls ?? defaultLimits.parallel,
    queueMs: limits.queueExpiryMs ?? defaultLimits.queueMs,
    confirmMs: limits.confirmExpiryMs ?? defaultLimits.confirmMs,
    reconcileMs: limits.reconcileExpiryMs ?? defaultLimits.reconcileMs,
  };
}

/** Where a request says that its model is; null when it says nothing of that. */
export function endpointOf({ baseUrl, apiKeyEnv, api }: RunRequest): Endpoint | null {
  const endpoint: Endpoint = {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...(api !== undefined && { api }),
  };
  return Object.keys(endpoint).length === 0 ? null : endpoint;
}
