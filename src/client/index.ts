export type { Connected, FrameError } from '../protocol/frames.ts';
export type { RunDelta, RunDeltaPayloads, RunEvent, RunEventPayloads } from '../protocol/run-events.ts';
export type { Answer, PendingView, QuestionView, RunStatus, RunView } from '../protocol/run-view.ts';
export type { ClientRun, Input, Method, Output } from './api.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type RestoredSend,
  type RunOptions,
} from './client.ts';
export { ClientError } from './error.ts';
export type { ClientEvent } from './event-order.ts';
export type { ClientSocket, ClientStorage, FetchFunction, SocketConstructor } from './host.ts';
export type { ClientState, ReconnectOptions } from './link.ts';
export type { ClientRunHandle } from './run-handle.ts';
export type { ClientFeedEvent } from './watches.ts';
