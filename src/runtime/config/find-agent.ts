import { defaultAgent, unknownAgent } from '../../protocol/access.ts';
import type { AgentConfig } from '../../protocol/config.ts';

/** An agent of the configuration with its name. */
export type FoundAgent = AgentConfig & { name: string };

/**
 * The agent of this name, or the default one.
 *
 * @throws DetentError `UNKNOWN_AGENT`, which lists the known agents.
 */
export function findAgent(
  name: string | undefined,
  agents: Readonly<Record<string, AgentConfig>> = {},
): FoundAgent {
  const wanted = name ?? defaultAgent;
  if (Object.hasOwn(agents, wanted)) return { ...agents[wanted], name: wanted };
  if (wanted === defaultAgent) return { name: defaultAgent };
  throw unknownAgent(wanted, agentNames(agents));
}

/** The default agent first. */
export function agentNames(agents: Readonly<Record<string, AgentConfig>> = {}): string[] {
  return [...new Set([defaultAgent, ...Object.keys(agents)])];
}
