import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { didYouMean } from '../../text/wording.ts';
import { servicesOf } from '../facade/chart-services.ts';
import type { CheckCode, Findings } from './findings.ts';
import { nodesOf } from './written.ts';

/** The names of agents and tools that there are where a chart is checked. */
export interface KnownNames {
  agents: readonly string[];
  /** Null when they cannot be listed: an MCP server does not answer. */
  tools: readonly string[] | null;
}

/** Checks whether the agents and tools that the services of a chart name are there. */
export function checkKnown(chart: AnyStateMachine, { agents, tools }: KnownNames, findings: Findings): void {
  const nodes = [...nodesOf(chart.root)];
  for (const [src, service] of servicesOf(chart)) {
    const at = nodes.find(({ invoke }) => invoke.some((one) => one.src === src)) ?? chart.root;
    if (service.kind === 'agent') {
      const { agent = 'default' } = service;
      if (!agents.includes(agent)) add('UNKNOWN_AGENT', 'agent', agent, agents, src, at, findings);
    }
    if (service.kind === 'tool' && tools && !tools.includes(service.tool))
      add('UNKNOWN_TOOL', 'tool', service.tool, tools, src, at, findings);
  }
}

function add(
  code: CheckCode,
  kind: 'agent' | 'tool',
  name: string,
  known: readonly string[],
  src: string,
  at: AnyStateNode,
  findings: Findings,
): void {
  findings.add(
    code,
    at,
    `"${src}" names the ${kind} "${name}", which is not there${didYouMean(name, known)}`,
    kind === 'agent'
      ? `add it to "agents" of the configuration, which has ${known.join(', ')}; a program has its own`
      : 'see those that there are: detent tools list; a program has its own',
  );
}
