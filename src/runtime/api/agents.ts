import { agentNames } from '../config/find-agent.ts';
import type { DetentOptions } from '../config/options.ts';

/** A configured agent. */
export interface AgentView {
  name: string;
}

/** Reads the configured agents; starts no run. */
export interface DetentAgents {
  /** The default one first: it exists without an entry in the configuration. */
  list(): readonly AgentView[];
}

/** @internal */
export function agentsApi({ agents }: DetentOptions): DetentAgents {
  return { list: () => agentNames(agents).map((name) => ({ name })) };
}
