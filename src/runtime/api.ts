/** The types of what a Detent offers. */
export type { NewToken, TokenRequest, TokenView } from './api/access-tokens.ts';
export type { AgentView, DetentAgents } from './api/agents.ts';
export type { DetentArtifacts, DetentAttachments } from './api/attachments.ts';
export type { CompactedSession } from './api/compact-session.ts';
export type { DetentConfig } from './api/config.ts';
export type { Detent } from './api/detent.ts';
export type { RunHistory } from './api/history.ts';
export type { DetentMachine } from './api/machine.ts';
export type { DetentMemory } from './api/memory.ts';
export type { DetentRequests, RepeatedRequest } from './api/requests.ts';
export { createRunHandles, type RunHandle, type RunHandles } from './api/run-handle.ts';
export { subscribeTo } from './api/run-streams.ts';
export type { DetentRuns, NoticeView } from './api/runs.ts';
export type { DetentSessions } from './api/sessions.ts';
export type { DetentShop, ShopReport, ShopReportFilter } from './api/shop.ts';
export type { DetentTenants, TenantView } from './api/tenant-operations.ts';
export type { DetentTokens } from './api/tokens.ts';
export type {
  BudgetAccount,
  BudgetView,
  DetentBudgets,
  UsageFilter,
  UsageReport,
} from './api/usage-report.ts';
export type { DetentUsers } from './api/users.ts';
export { summaryOf } from './api/workflow-operations.ts';
export { type DetentWorkflows, type WorkflowHandle, workflowsApi } from './api/workflows.ts';
