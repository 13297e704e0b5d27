import '../text/check-node.ts';

/** What Detent's own tests use, for tests of your agents and tools. */
export type {
  AgentPath,
  AgentPathResult,
  AgentPathsOptions,
  PerformedCall,
  SampleCall,
} from './agent/agent-path.ts';
export { type FakeClock, fakeClock } from './fake-clock.ts';
export { agentPaths, workflowPaths } from './paths.ts';
export {
  ruleModel,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptLine,
  scriptedModel,
} from './scripted-model.ts';
export { type PathOptions, type TransitionPath, transitionPaths } from './transition-paths.ts';
export type { ChartTransition } from './workflow/chart-transitions.ts';
export type { WorkflowPathsOptions } from './workflow/paths-of.ts';
export type {
  MissingTransition,
  WorkflowDifference,
  WorkflowPathEnd,
  WorkflowPathsReport,
} from './workflow/report.ts';
