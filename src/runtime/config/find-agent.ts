import type { AgentConfig } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import { nearestName } from '../../text/nearest-name.ts';

/** The agent of runs that name none. It always exists: without an entry in `agents` it has the top-level fields. */
export const defaultAgent = 'default';

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

/** @param known the agents that there are */
export function unknownAgent(wanted: string, known: readonly string[]): DetentError {
  const nearest = nearestName(wanted, known);
  return new DetentError(
    'UNKNOWN_AGENT',
    `there is no agent "${wanted}"${nearest ? `; did you mean "${nearest}"?` : ''}; there are ${known.join(', ') || 'none'}`,
    { details: { name: wanted, known } },
  );
}

/** The default agent first. */
export function agentNames(agents: Readonly<Record<string, AgentConfig>> = {}): string[] {
  return [...new Set([defaultAgent, ...Object.keys(agents)])];
}
