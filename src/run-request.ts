import type { RunLimits } from '../machines/run.types.ts';
import { defaultLimits } from './agent/run-options.ts';
import type { StartRun } from './agent/runs.ts';
import { defaultModel } from './models/presets.ts';
import type { DetentOptions, RunRequest } from './options.ts';
import { checkConfig, type LimitsConfig } from './protocol/config.ts';
import { DetentError } from './protocol/error.ts';
import { randomId } from './protocol/ids.ts';

const defaultSystem =
  'You are a helpful assistant. Use the tools you are given when they help; answer in the language of the user.';
const defaultMaxPromptBytes = 1_000_000;
const defaultTenant = 1;

/**
 * What a request and the configuration make of a prompt.
 *
 * @throws DetentError `EMPTY_PROMPT`, `PROMPT_TOO_LARGE`, `INVALID_CONFIG`, `INVALID_SESSION`.
 */
export function startRequest(
  prompt: string,
  request: RunRequest,
  config: DetentOptions,
  runId: string,
): StartRun {
  const limits = { ...config.limits, ...request.limits };
  checkConfig({ limits }, 'the run');
  checkPrompt(prompt, limits);
  if (request.session !== undefined && !/^[^\p{Cc}]{1,200}$/u.test(request.session))
    throw new DetentError(
      'INVALID_SESSION',
      'a session key is 1 to 200 characters without control characters',
    );
  const { tenantId, userId, claims } = request.principal ?? {};
  const { baseUrl, apiKeyEnv } = request;
  return {
    runId,
    tenant: tenantId ?? defaultTenant,
    sessionId: request.session ?? randomId('ses'),
    prompt,
    mode: request.mode ?? 'queue',
    limits: runLimits(limits),
    options: {
      machine: 'run',
      model: request.model ?? config.model ?? defaultModel(config.env ?? process.env),
      endpoint:
        baseUrl === undefined && apiKeyEnv === undefined
          ? null
          : { ...(baseUrl !== undefined && { baseUrl }), ...(apiKeyEnv !== undefined && { apiKeyEnv }) },
      system: request.system ?? config.system ?? defaultSystem,
      tools: request.tools ?? null,
      approve: request.approve ?? config.policy?.approve ?? 'ask',
      workspace: '',
      principal: { tenantId: tenantId ?? defaultTenant, userId: userId ?? null, claims: claims ?? {} },
    },
  };
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
  return limits?.maxPromptBytes ?? defaultMaxPromptBytes;
}

function runLimits(limits: LimitsConfig): RunLimits {
  return {
    steps: limits.maxSteps ?? defaultLimits.steps,
    tokens: limits.maxTokens ?? defaultLimits.tokens,
    costUsd: defaultLimits.costUsd,
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
