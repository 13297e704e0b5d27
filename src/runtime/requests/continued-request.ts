import { fullModelName } from '../../models/catalogue.ts';
import { addressFlags, addressNotNamed } from '../../models/provider-config.ts';
import { defaultAgent } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { ModelDirectory } from '../../protocol/ports.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { shellWord } from '../../text/wording.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { agentNames } from '../config/find-agent.ts';
import type { RunRequest } from '../config/request.ts';
import { endpointOf, fallbacksOf, modelOf } from './chosen-models.ts';

const demo = 'demo/demo';
const tour = 'demo/tour';

/**
 * A request that continues a session: with the agent and the model of its newest run, where the request names none. They
 * take precedence over the configuration's defaults. The demo, where it only stood in for a missing key, does not; neither
 * does its tour, which is one run.
 *
 * The address of a model comes from the request or the configuration, never from the row.
 *
 * @param last the options of the session's newest run
 * @throws DetentError `ADDRESS_NOT_NAMED`; `UNKNOWN_AGENT` when the agent is no longer configured.
 */
export function continuedRequest(
  request: RunRequest,
  last: RunOptions,
  config: DetentOptions,
  models: Pick<ModelDirectory, 'addressNow'>,
): RunRequest {
  const kept = withAgent(request, last, config);
  const isOtherAgent = kept.agent !== undefined && kept.agent !== (last.agent ?? defaultAgent);
  const isStandIn = (last.isDefaultModel === true && last.model === demo) || last.model === tour;
  if (request.model !== undefined || isOtherAgent || isStandIn) return kept;
  if (endpointOf(request) !== null) return { ...kept, model: last.model };
  const address = models.addressNow(last.model, last.endpoint);
  if (address === undefined)
    throw addressNotNamed(
      last.model,
      last.endpoint,
      `--model ${shellWord(last.model)}${addressFlags(last.endpoint)}`,
    );
  // A request that names its model has no fallbacks, so one that the configuration names anyway stays unnamed.
  const hasFallbacks = (last.fallbacks ?? []).length > 0 || fallbacksOf(kept, config).fallbacks === undefined;
  const isConfigured = modelOf(kept, config) === fullModelName(last.model, config.models ?? {});
  if (address === null && isConfigured && hasFallbacks) return kept;
  return { ...kept, model: last.model, ...address };
}

function withAgent(request: RunRequest, { agent }: RunOptions, config: DetentOptions): RunRequest {
  if (request.agent !== undefined || agent === undefined || agent === defaultAgent) return request;
  const known = agentNames(config.agents);
  if (known.includes(agent)) return { ...request, agent };
  throw new DetentError(
    'UNKNOWN_AGENT',
    `the session was last continued by the agent "${agent}", which is no longer configured; name another one (--agent): there are ${known.join(', ')}`,
    { details: { name: agent, known } },
  );
}
