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
export type { Authenticate, Authenticated, GatewayLimits, GatewayOptions } from './gateway-options.ts';
export type { Peer } from './http/http-parts.ts';
