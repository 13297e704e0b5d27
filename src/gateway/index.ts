export { type Caller, type Scope, scopes } from '../protocol/access.ts';
export type {
  Connected,
  ConnectRequest,
  EventFrame,
  FrameError,
  NoticeFrame,
  RequestFrame,
  ResponseFrame,
} from '../protocol/frames.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type { Peer } from './http/parts.ts';
export type { Authenticate, Authenticated, GatewayLimits, GatewayOptions } from './options.ts';
