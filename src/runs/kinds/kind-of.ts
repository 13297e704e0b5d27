import type { RunRow } from '../../store/rows.ts';
import { isTakeover, isWorkflowRun } from '../../store/stored-run.ts';
import { agentKind } from './agent-kind.ts';
import type { RunKind } from './run-kind.ts';
import { takeoverKind } from './takeover-kind.ts';
import { workflowKind } from './workflow-kind.ts';

/** How to read a row: the one place that looks which machine it is of. */
export function kindOf(row: Pick<RunRow, 'machine'>): RunKind {
  if (isTakeover(row)) return takeoverKind;
  return isWorkflowRun(row) ? workflowKind : agentKind;
}
