import { agentKind, pathIn } from './agent-kind.ts';
import type { RunKind } from './run-kind.ts';

const staffPaths: readonly string[] = ['waiting', 'taken'];

/** Takeovers: they wait for a person of the staff, and have no calls, no work and no children. */
export const takeoverKind: RunKind = {
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
