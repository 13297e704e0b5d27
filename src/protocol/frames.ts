import type * as z from 'zod/mini';
import type { feedEvent } from './methods/runs.ts';
import type { RunDelta, RunEvent } from './run-events.ts';

/** Version of the frames. `connect` names those that a client understands. */
export const protocolVersion = 1;

/** What a client sends. The first one is `connect`. */
export interface RequestFrame {
  type: 'request';
  /** Chosen by the client; the response has the same one. */
  id: string;
  method: string;
  payload?: unknown;
}

/** An error as frames and problem documents carry it. */
export interface FrameError {
  code: string;
  message: string;
  /** The same request may succeed later without any change. */
  retryable: boolean;
  details?: Record<string, unknown>;
}

/** The answer to a request. Those of one connection may come in another order than their requests. */
export type ResponseFrame =
  | { type: 'response'; id: string; ok: true; payload: unknown }
  | { type: 'response'; id: string | null; ok: false; error: FrameError };

/** Something that happened to a run that the connection watches. */
export type EventFrame = { type: 'event' } & (RunEvent | RunDelta);

/**
 * The connection will end, and why: `draining` before the gateway stops, `subscription.ended` when one run can no longer be
 * watched, or without an error, when it had ended before its watcher came. Other events belong to runs.
 */
export interface NoticeFrame {
  type: 'event';
  event: 'gateway.draining' | 'subscription.ended';
  runId?: string;
  payload: { error?: FrameError };
}

/** Something that happened to a run of the feed that the connection has asked for with `feed.subscribe`. */
export interface FeedFrame {
  type: 'event';
  event: 'run.moved';
  payload: z.output<typeof feedEvent>;
}

/** The payload of `connect`. */
export interface ConnectRequest {
  token: string;
  /** The oldest and the newest version of the frames that the client understands. Default: the gateway's. */
  minProtocol?: number;
  maxProtocol?: number;
  /** A name of the client, for the log. */
  client?: string;
}

/** The response to `connect`. */
export interface Connected {
  protocol: number;
  /** Of Detent. */
  version: string;
  tenantId: number;
  userId: string | null;
  /** How the log names this client. */
  by: string;
  scopes: readonly string[];
  policy: {
    /** Bytes of a frame. */
    maxFrameBytes: number;
    /** Bytes that may wait for a client that reads slowly; beyond them the gateway closes the connection with code 1013. */
    maxBufferedBytes: number;
    /** Runs that one connection may watch. */
    maxSubscriptions: number;
    /** Milliseconds between two pings of the gateway. */
    heartbeatMs: number;
  };
}

/** Close codes of the WebSocket that a client should know. */
export const closeCodes = {
  /** The gateway stops or restarts: connect again. */
  goingAway: 1001,
  /** A frame that is none, or no `connect` first. */
  policy: 1008,
  tooBig: 1009,
  /**
   * Try again: the client reads too slowly, or the gateway could not let it in for now. It resumes after the last whole
   * `seq`.
   */
  tooSlow: 1013,
  unauthorized: 4401,
  /** Of the `connect`: the user has too many connections. Try again when one of them has ended. */
  tooMany: 4429,
} as const;

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
  /** Of one whose status is `error`. */
  error?: unknown;
}
