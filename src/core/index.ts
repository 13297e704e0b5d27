import './globals.ts';

/** Runs agents inside an app, without Node; see docs/core.md. */
export type { RunSignal } from '../engine/bus.ts';
export type { Clock } from '../engine/clock.ts';
export { unanswered } from '../protocol/content.ts';
export { DetentError } from '../protocol/error.ts';
export type { ChatModel, GenerateOptions, ModelRequest } from '../protocol/ports.ts';
export { defineTool, type Tool, type ToolContext, ToolFailure } from '../protocol/tool.ts';
export type { PendingView, RunView } from '../protocol/views.ts';
export type { RunHandle } from '../runtime/api.ts';
export type { TextSkill } from '../skills/skills.ts';
export type { SqlDriver, SqlStatement } from '../store/driver.ts';
export { type Core, createCore } from './create-core.ts';
export type { CoreOptions, CoreRequest, CoreSessions, Host } from './options.ts';
