export type { ClientSocket, FetchFunction, SocketConstructor } from '../client/index.ts';
export type {
  ActorEvent,
  ActorEventMessage,
  ActorMessage,
  ActorSnapshot,
  ActorSnapshotMessage,
  InspectionMessage,
} from '../protocol/frames.ts';
export { type GatewayInspector, type InspectOptions, inspect } from './inspect.ts';
export { InspectError, type InspectGateway, type InspectUse, inspectUrl } from './ticket.ts';
