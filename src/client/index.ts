export type { Connected, FrameError } from '../protocol/frames.ts';
export type { RunDelta, RunDeltaPayloads, RunEvent, RunEventPayloads } from '../protocol/run-events.ts';
export type { Answer, PendingView, QuestionView, RunStatus, RunView } from '../protocol/views.ts';
export type { ClientRun, Input, Method, Output } from './api.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type RestoredSend,
  type RunOptions,
} from './client.ts';
export { ClientError } from './error.ts';
export type { ClientEvent } from './link/event-order.ts';
export type { ClientSocket, ClientStorage, FetchFunction, SocketConstructor } from './link/host.ts';
export type { ClientState, ReconnectOptions } from './link/link.ts';
export type { ClientFeedEvent } from './link/watches.ts';
export type { ClientRunHandle } from './run-handle.ts';
