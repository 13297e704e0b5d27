import type { RunRow } from '../../store/rows.ts';
import { isTakeover, isWorkflowRun } from '../../store/stored-run.ts';
import { agentKind, pathIn } from './agent-kind.ts';
import type { RunKind } from './run-kind.ts';
import { workflowKind } from './workflow-kind.ts';

const staffPaths: readonly string[] = ['waiting', 'taken'];

/** Takeovers: they wait for a person of the staff, and have no calls, no work and no children. */
const takeoverKind: RunKind = {
  ...agentKind,
  isAsking: ({ state, ended }) => !ended && staffPaths.includes(pathIn(state)),
  isAskingPath: (path) => staffPaths.includes(path),
  isAtWork: () => false,
  childIds: () => [],
  isWorking: () => false,
  stateOf: (path) => path,
  countedAs: (path) => path,
  prompt: () => null,
};

/** How to read a row: the one place that looks which machine it is of. */
export function kindOf(row: Pick<RunRow, 'machine'>): RunKind {
  if (isTakeover(row)) return takeoverKind;
  return isWorkflowRun(row) ? workflowKind : agentKind;
}
