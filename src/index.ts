import './text/check-node.ts';

export type { GrantRequest, GrantView } from './call/policy.ts';
export type { RunSignal } from './engine/bus.ts';
export type { Caller, Scope } from './protocol/access.ts';
export type { AgentConfig } from './protocol/config.ts';
export type {
  ContentPart,
  ModelAnswer,
  ModelDelta,
  ModelToolCall,
  PartView,
  Usage,
} from './protocol/content.ts';
export { type ToolContent, type ToolContentItem, toolContent } from './protocol/content.ts';
export { DetentError } from './protocol/error.ts';
export type { InspectionMessage } from './protocol/frames.ts';
export type {
  AddContext,
  ChatModel,
  GrantPattern,
  GrantTest,
  Hook,
  HookedRun,
  HookRecord,
  Hooks,
  Logger,
  LogLevel,
  MemoryAuthor,
  MemoryHit,
  MemorySearch,
  MemoryTarget,
  MemoryText,
  ModelAnswered,
  ModelRequest,
  Notice,
  NoticeFunction,
  OutputSchema,
  PromptMessage,
  Rewrite,
  RunDecided,
  RunEnded,
  RunWaiting,
  SessionHit,
  SessionSearch,
  StartingCompaction,
  StartingModelCall,
  StartingRun,
  StartingToolCall,
  ToolCallDone,
  ToolSpec,
  ToolView,
  Veto,
} from './protocol/ports.ts';
export type { RunDelta, RunDeltaPayloads, RunEvent, RunEventPayloads } from './protocol/run-events.ts';
export type { ClientTool } from './protocol/tool.ts';
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
} from './protocol/tool.ts';
export type {
  Answer,
  Box,
  CallView,
  ChartState,
  ChartTransition,
  FollowedSkillView,
  LayoutEdge,
  MachineDefinition,
  MachineLayout,
  PendingView,
  QuestionField,
  QuestionView,
  RunStatus,
  RunTrace,
  RunView,
  SkillsView,
  StepView,
  SubRunView,
  TaintView,
  TodoItem,
  TracedSpan,
  TracedTransition,
  TracedWay,
  WithdrawnView,
} from './protocol/views.ts';
export {
  type FlowTimerView,
  isWorkflowView,
  type ServiceView,
  type WorkflowRunView,
  type WorkflowView,
} from './protocol/views.ts';
export type {
  FieldDifference,
  Forked,
  ForkPreview,
  LoggedEvent,
  MomentEffect,
  OpenEffect,
  PartingTransition,
  PreviewedEffect,
  RunDiff,
  RunMoment,
  RunPrompt,
  RunReplay,
  Why,
} from './runs/history.ts';
export type { ConfirmDecision, DecisionResult, ReconcileDecision } from './runs/runs.ts';
export type {
  DeletedSession,
  ForkPlace,
  ImportedSession,
  LogSource,
  NamedSession,
  NewSession,
  SessionChange,
  SessionRun,
  SessionSummary,
  SessionView,
} from './runs/sessions.ts';
export type { Artifact, ContextUse, FeedEvent, FeedPage, RunSummary, SessionMessage } from './runs/views.ts';
export type {
  AgentView,
  BudgetAccount,
  BudgetView,
  CompactedSession,
  Detent,
  DetentAgents,
  DetentArtifacts,
  DetentAttachments,
  DetentBudgets,
  DetentConfig,
  DetentMachine,
  DetentMemory,
  DetentRequests,
  DetentSessions,
  DetentShop,
  DetentTenants,
  DetentTokens,
  DetentUsers,
  DetentWorkflows,
  NewToken,
  NoticeView,
  RepeatedRequest,
  RunHandle,
  RunHistory,
  ShopReport,
  ShopReportFilter,
  TenantView,
  TokenRequest,
  TokenView,
  UsageFilter,
  UsageReport,
  WorkflowHandle,
} from './runtime/api.ts';
export type {
  Attachment,
  ConfigOrigins,
  RunRequest,
  ToolCallRequest,
  WorkflowAnswer,
  WorkflowRequest,
  WorkflowSummary,
} from './runtime/config.ts';
export { type Config, type DetentOptions, defineConfig } from './runtime/config.ts';
export { createDetent } from './runtime/create-detent.ts';
export type {
  DetentSkills,
  SkillDetails,
  SkillList,
  SkillView,
  SkillWhy,
} from './runtime/parts.ts';
export type { ForkOptions, Upload, UploadRequest } from './runtime/requests.ts';
export type { ConfigOriginsView, ConfigView } from './runtime/settings.ts';
export type { UsageSum } from './store/rows.ts';
export type { Backup, BackupOptions } from './store/sqlite.ts';
export type { McpServerView, McpToolView } from './tools/mcp.ts';
export type {
  MigratedWorkflow,
  Workflow,
  WorkflowEvent,
  WorkflowInput,
  WorkflowMigration,
  WorkflowOptions,
  WorkflowOutput,
} from './workflow/workflow.ts';
