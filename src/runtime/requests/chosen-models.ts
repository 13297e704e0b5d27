import { defaultModel, fullModelName } from '../../models/catalogue.ts';
import type { Endpoint } from '../../protocol/ports.ts';
import type { RunOptions } from '../../store/run-options.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { type FoundAgent, findAgent } from '../config/find-agent.ts';
import type { RunRequest } from '../config/request.ts';

/** The model that the request, its agent or the configuration names. @throws DetentError `UNKNOWN_AGENT`. */
export function chosenModel(
  request: RunRequest,
  config: DetentOptions,
  agent: FoundAgent = findAgent(request.agent, config.agents),
): string | undefined {
  return request.model ?? agent.model ?? config.model;
}

/**
 * The full name of the model that a run would use.
 *
 * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`.
 */
export function modelOf(request: RunRequest, config: DetentOptions, agent?: FoundAgent): string {
  const name = chosenModel(request, config, agent);
  if (name === undefined) return defaultModel(config.env ?? process.env);
  return fullModelName(name, config.models ?? {});
}

/**
 * The fallback models of a run, and their order. A request that names a model has no fallbacks.
 *
 * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`.
 */
export function fallbacksOf(
  request: RunRequest,
  config: DetentOptions,
  agent: FoundAgent = findAgent(request.agent, config.agents),
): Pick<RunOptions, 'fallbacks' | 'strategy'> {
  if (request.model !== undefined || endpointOf(request) !== null) return {};
  const names = agent.fallbacks ?? config.fallbacks ?? [];
  if (names.length === 0) return {};
  return {
    fallbacks: names.map((name) => fullModelName(name, config.models ?? {})),
    ...(config.router?.strategy && { strategy: config.router.strategy }),
  };
}

/** The address that a request gives for its model; null if it gives none. */
export function endpointOf({ baseUrl, apiKeyEnv, api }: RunRequest): Endpoint | null {
  const endpoint: Endpoint = {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...(api !== undefined && { api }),
  };
  return Object.keys(endpoint).length === 0 ? null : endpoint;
}
