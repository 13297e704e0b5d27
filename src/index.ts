import './runtime/check-node.ts';

export type { GrantRequest, GrantView } from './call/grants.ts';
export type { RunSignal } from './engine/run-signal.ts';
export type { ChatModel, ModelRequest, PromptMessage, ToolSpec } from './ports/chat-model.ts';
export type { ClientTool } from './ports/client-tool.ts';
export type { GrantPattern, GrantTest } from './ports/grant-pattern.ts';
export type {
  AddContext,
  Hook,
  HookedRun,
  HookRecord,
  Hooks,
  ModelAnswered,
  Rewrite,
  RunDecided,
  RunEnded,
  RunWaiting,
  StartingCompaction,
  StartingModelCall,
  StartingRun,
  StartingToolCall,
  ToolCallDone,
  Veto,
} from './ports/hooks.ts';
export type {
  MemoryAuthor,
  MemoryHit,
  MemorySearch,
  MemoryTarget,
  MemoryText,
} from './ports/memory-source.ts';
export type { OutputSchema } from './ports/output-schema.ts';
export type { SessionHit, SessionSearch } from './ports/session-search.ts';
export {
  type CallPreview,
  defineTool,
  type PersonAnswer,
  type PreviewContext,
  type SideEffect,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolStatus,
} from './ports/tool.ts';
export { type ToolContent, type ToolContentItem, toolContent } from './ports/tool-content.ts';
export type { ToolView } from './ports/toolbox.ts';
export type { Caller, Scope } from './protocol/access.ts';
export type { ModelAnswer, ModelDelta, ModelToolCall } from './protocol/answer.ts';
export type {
  Box,
  ChartState,
  ChartTransition,
  LayoutEdge,
  MachineDefinition,
  MachineLayout,
} from './protocol/chart.ts';
export type { AgentConfig } from './protocol/config.ts';
export type { ContentPart, PartView } from './protocol/content-parts.ts';
export { DetentError } from './protocol/error.ts';
export type { InspectionMessage } from './protocol/inspection.ts';
export type { RunDelta, RunDeltaPayloads, RunEvent, RunEventPayloads } from './protocol/run-events.ts';
export type { RunTrace, TracedSpan, TracedTransition, TracedWay } from './protocol/run-trace.ts';
export type {
  Answer,
  CallView,
  FollowedSkillView,
  PendingView,
  QuestionField,
  QuestionView,
  RunStatus,
  RunView,
  SkillsView,
  StepView,
  SubRunView,
  TaintView,
  TodoItem,
  WithdrawnView,
} from './protocol/run-view.ts';
export type { Usage } from './protocol/token-usage.ts';
export {
  type FlowTimerView,
  isWorkflowView,
  type ServiceView,
  type WorkflowRunView,
  type WorkflowView,
} from './protocol/workflow-view.ts';
export type { ContextUse } from './runs/context-use.ts';
export type { SessionMessage } from './runs/conversation-view.ts';
export type { ConfirmDecision, DecisionResult, ReconcileDecision } from './runs/decisions/decisions.ts';
export type { FeedEvent, FeedPage } from './runs/feed.ts';
export type { FieldDifference, PartingTransition, RunDiff } from './runs/history/diff.ts';
export type { LoggedEvent } from './runs/history/events.ts';
export type { Forked } from './runs/history/fork.ts';
export type { OpenEffect } from './runs/history/fork-rows.ts';
export type { MomentEffect, RunMoment } from './runs/history/moment.ts';
export type { ForkPreview, PreviewedEffect } from './runs/history/preview.ts';
export type { RunReplay } from './runs/history/replay-run.ts';
export type { Why } from './runs/history/why/why.ts';
export type { RunSummary } from './runs/list-runs.ts';
export type { Artifact } from './runs/read-artifact.ts';
export type { NewSession } from './runs/sessions/create.ts';
export type { ImportedSession } from './runs/sessions/import.ts';
export type { LogSource } from './runs/sessions/read-lines.ts';
export type {
  SessionRun,
  SessionSummary,
  SessionView,
} from './runs/sessions/session-view.ts';
export type { DeletedSession, ForkPlace } from './runs/sessions/sessions.ts';
export type { NewToken, TokenRequest, TokenView } from './runtime/api/access-tokens.ts';
export type { AgentView, DetentAgents } from './runtime/api/agents.ts';
export type { DetentArtifacts, DetentAttachments } from './runtime/api/attachments.ts';
export type { CompactedSession } from './runtime/api/compact-session.ts';
export type { DetentConfig } from './runtime/api/config.ts';
export type { Detent } from './runtime/api/detent.ts';
export type { RunHistory } from './runtime/api/history.ts';
export type { DetentMachine } from './runtime/api/machine.ts';
export type { DetentMemory } from './runtime/api/memory.ts';
export type { DetentRequests, RepeatedRequest } from './runtime/api/requests.ts';
export type { RunHandle } from './runtime/api/run-handle.ts';
export type { DetentSessions } from './runtime/api/sessions.ts';
export type {
  DetentSkills,
  SkillDetails,
  SkillList,
  SkillView,
  SkillWhy,
} from './runtime/api/skill-views.ts';
export type { DetentTenants, TenantView } from './runtime/api/tenant-operations.ts';
export type { DetentTokens } from './runtime/api/tokens.ts';
export type {
  BudgetAccount,
  BudgetView,
  DetentBudgets,
  UsageFilter,
  UsageReport,
} from './runtime/api/usage-report.ts';
export type { DetentWorkflows, WorkflowHandle } from './runtime/api/workflows.ts';
export { type Config, type DetentOptions, defineConfig } from './runtime/config/detent-options.ts';
export type { ConfigOrigins } from './runtime/config/origins.ts';
export type { Attachment, RunRequest, ToolCallRequest } from './runtime/config/request.ts';
export type { WorkflowAnswer, WorkflowRequest, WorkflowSummary } from './runtime/config/workflow-request.ts';
export { createDetent } from './runtime/create-detent.ts';
export type { ForkOptions } from './runtime/requests/fork-request.ts';
export type { Upload, UploadRequest } from './runtime/requests/uploads.ts';
export type { ConfigOriginsView, ConfigView } from './runtime/settings/config-views.ts';
export type { UsageSum } from './store/rows.ts';
export type { Backup, BackupOptions } from './store/sql/backup.ts';
export type { Logger, LogLevel } from './telemetry/logger.ts';
export type { McpServerView, McpToolView } from './tools/mcp/server-list.ts';
export type {
  MigratedWorkflow,
  Workflow,
  WorkflowEvent,
  WorkflowInput,
  WorkflowMigration,
  WorkflowOptions,
  WorkflowOutput,
} from './workflow/workflow.ts';
