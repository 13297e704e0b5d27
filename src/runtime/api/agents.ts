import type { DetentOptions } from '../config/detent-options.ts';
import { agentNames } from '../config/find-agent.ts';

/** A configured agent. */
export interface AgentView {
  name: string;
}

/** Reads the configured agents; starts no run. */
export interface DetentAgents {
  /** The default one first: it exists without an entry in the configuration. */
  list(): readonly AgentView[];
  /** The tools and skills that at least one of these agents may use. */
  use(names: readonly string[]): Promise<{ tool(name: string): boolean; skill(name: string): boolean }>;
}

/** @internal */
export function agentsApi({ agents = {}, tools }: DetentOptions): DetentAgents {
  return {
    list: () => agentNames(agents).map((name) => ({ name })),
    async use(names) {
      const { expandTools, toolMatcher } = await import('../../tools/registry.ts');
      const known = agentNames(agents).flatMap((name) => (names.includes(name) ? [agents[name] ?? {}] : []));
      const ofTools = known.map((agent) => agent.tools && toolMatcher(expandTools(agent.tools, tools?.sets)));
      const ofSkills = known.map(({ skills }) => skills && toolMatcher(skills));
      return {
        tool: (name) => ofTools.some((isNamed) => isNamed?.(name) ?? true),
        skill: (name) => ofSkills.some((isNamed) => isNamed?.(name) ?? true),
      };
    },
  };
}
