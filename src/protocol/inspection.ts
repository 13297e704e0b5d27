/**
 * What an inspector of XState actors gets: the messages of `@statelyai/inspect`, as they are on its wire (one JSON object a
 * WebSocket frame). @see https://github.com/statelyai/inspect
 */
export type InspectionMessage = ActorMessage | ActorEventMessage | ActorSnapshotMessage;

/** The version of the package whose messages these are. */
export const inspectionVersion = '0.7.2';

interface Message {
  _version: string;
  /** Milliseconds since the epoch, as text. */
  createdAt: string;
  id: null;
  /** The actor at the root of the system. */
  rootId: string;
  /** The actor that the message is about. */
  sessionId: string;
}

/** An actor there is from now on. A second one with the same `sessionId` takes its place. */
export interface ActorMessage extends Message {
  type: '@xstate.actor';
  name: string;
  /** JSON of the configuration of its machine. */
  definition: string;
  parentId?: string;
  snapshot: ActorSnapshot;
}

/** An actor got an event. */
export interface ActorEventMessage extends Message {
  type: '@xstate.event';
  event: ActorEvent;
  /** The actor that sent it; left out for one from outside. */
  sourceId?: string;
}

/** The state of an actor after an event. */
export interface ActorSnapshotMessage extends Message {
  type: '@xstate.snapshot';
  event: ActorEvent;
  snapshot: ActorSnapshot;
}

export interface ActorEvent {
  type: string;
  [key: string]: unknown;
}

/** A snapshot as XState's `toJSON` makes it. */
export interface ActorSnapshot {
  status: 'active' | 'done' | 'error' | 'stopped';
  value: unknown;
  context: unknown;
  children: Record<string, unknown>;
  historyValue: Record<string, unknown>;
  tags: string[];
  /** Of one that is done. */
  output?: unknown;
}
