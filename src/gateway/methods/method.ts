import type { z } from 'zod';
import type { Detent } from '../../index.ts';
import type { Caller, Scope } from '../../protocol/access.ts';
import type { RunPlace } from '../places.ts';

/** The connection of a caller that can be sent events; HTTP requests have none. */
export interface Watching {
  /** Begins to send the events of a run after the transition `afterSeq`. @throws DetentError `TOO_MANY_SUBSCRIPTIONS`. */
  watch(runId: string, afterSeq: number, isCompact: boolean): void;
  /**
   * Takes a place for a run that has no id yet. @throws DetentError `TOO_MANY_SUBSCRIPTIONS`.
   *
   * @returns gives the place back, for `watch` to take it
   */
  reserve(): () => void;
  /** Returns whether the run was watched. */
  unwatch(runId: string): boolean;
}

/** One request of a client that may make it. */
export interface Call {
  detent: Detent;
  caller: Caller;
  /** Null without a connection that events could be sent over. */
  watching: Watching | null;
  /** Aborts when the client has gone, or the gateway closes. */
  signal: AbortSignal;
  /** Throws `DRAINING` when the gateway takes no new runs. */
  refuseNewRuns(): void;
  /** Takes a place for a run that is about to go on here. @throws DetentError `TOO_MANY_RUNS`. */
  takeRun(): RunPlace;
}

/** Where a method is found over HTTP. `{name}` in the path is a field of the input. */
export interface HttpPlace {
  verb: 'get' | 'post' | 'delete';
  path: string;
  /** Of success. Default 200. */
  status?: number;
  /** The answer's `data` is a file in base64: it is sent as that file. */
  isFile?: true;
  /** The body may be a file instead of JSON: its bytes are the field `data`. */
  takesFile?: true;
}

export interface Method {
  name: string;
  /** What the caller must be allowed at least. */
  scope: Scope;
  /** One sentence, for the description of the interface. */
  summary: string;
  /** Strict: unknown fields are refused. Ids in `runId`, `otherRunId`, `after` and `sessionId` are checked to be the caller's. */
  input: z.ZodObject;
  output: z.ZodType;
  http?: HttpPlace;
  /** Whether a `sessionId` that is not there yet is made. */
  makesSessions?: true;
  /** What this very input needs besides `scope`. */
  alsoNeeds?(input: Record<string, unknown>): readonly Scope[];
  perform(call: Call, input: Record<string, unknown>): Promise<unknown>;
}

/** A method whose `perform` knows the types of its schemas. */
export interface TypedMethod<I extends z.ZodObject, O extends z.ZodType>
  extends Omit<Method, 'input' | 'output' | 'perform' | 'alsoNeeds'> {
  input: I;
  output: O;
  alsoNeeds?(input: z.output<I>): readonly Scope[];
  perform(call: Call, input: z.output<I>): Promise<z.input<O>>;
}

/** Gives a method's functions the types of its schemas. */
export function method<I extends z.ZodObject, O extends z.ZodType>(typed: TypedMethod<I, O>): Method {
  return typed as unknown as Method;
}
