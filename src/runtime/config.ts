/** The options of a Detent and of its runs, and the checks of its configuration. */
export type { Core } from './config/core.ts';
export { databaseFile, inMemory, refuseWithoutServer } from './config/database-file.ts';
export { type Config, type DetentOptions, defineConfig } from './config/detent-options.ts';
export { agentNames, findAgent } from './config/find-agent.ts';
export type { FlowParts, Inherited, ServiceStarter } from './config/flow-parts.ts';
export type { ConfigOrigins, SetField } from './config/origins.ts';
export { createRedactor, withDatabaseUrl } from './config/redaction.ts';
export type { Attachment, RunRequest, ToolCallRequest } from './config/request.ts';
export { version } from './config/version.ts';
export type { WorkflowAnswer, WorkflowRequest, WorkflowSummary } from './config/workflow-request.ts';
