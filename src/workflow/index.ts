export { checkWorkflow } from './check/check-workflow.ts';
export type { CheckCode, Finding } from './check/findings.ts';
export type { Samples } from './check/walk.ts';
export {
  type AgentService,
  type Approval,
  type AskService,
  agent,
  ask,
  type ModelService,
  model,
  type RetryPolicy,
  type ServiceLimits,
  type ServiceLogic,
  type StepContext,
  type StepService,
  type StepStatus,
  step,
  type ToolService,
  tool,
} from './services.ts';
export {
  type MigratedWorkflow,
  type Workflow,
  type WorkflowEvent,
  type WorkflowInput,
  type WorkflowMigration,
  type WorkflowOptions,
  type WorkflowOutput,
  workflow,
} from './workflow.ts';
