export { ClientError } from '../client/index.ts';
export type { Backend, Decided, Decision, SdkStart, Thumb } from './backend.ts';
export { overCore, overDetent, overGateway } from './backend.ts';
export {
  type Agent,
  type ContentPart,
  Engine,
  type EngineCallback,
  type StreamCallback,
  type WireListener,
} from './engine.ts';
export { DetentClient, DetentSdk } from './sdk.ts';
export { type SideEffect, type Tool, type ToolCall, ToolResult } from './tool.ts';
export * from './wire.ts';
