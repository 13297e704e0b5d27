import type { Reach } from '../protocol/access.ts';
import { workflowMachine } from './workflow-run.ts';

/** A reach as statements take it: the kinds of runs as JSON, where a kind without a name stands for all; null for no limit. */
export function kindsOf(reach: Reach | undefined): string | null {
  if (reach === undefined) return null;
  const { agents = [''], workflows = [''] } = reach;
  return JSON.stringify([...agents.map((name) => `agent:${name}`), ...workflows.map(workflowMachine)]);
}
