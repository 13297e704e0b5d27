import { z } from 'zod';
import type { Detent } from '../../index.ts';
import { type Caller, nameOfCaller, reachOf, type Scope } from '../../protocol/access.ts';
import type { MachineDefinition } from '../../protocol/chart.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import type { Scheduler } from '../../schedule/api.ts';
import type { LiveActors } from '../inspect/live/actors.ts';
import type { LiveLayout } from '../inspect/live/layouts.ts';
import type { Admission } from '../inspect/tickets.ts';
import type { Listed } from '../listed.ts';
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

/** The folders that a person trusts. A gateway shows and revokes; only that person, at the machine, grants. */
export interface TrustSource {
  folders(): { folder: string; at: string; files: readonly string[] }[];
  /** Returns false if the folder was not trusted. */
  revoke(folder: string): boolean;
}

/** What the methods of inspectors need of the gateway. */
export interface InspectCalls {
  /** A ticket of the caller, and the path with it. */
  ticket(admission: Admission): { ticket: string; path: string; expiresAt: number };
  /** The actors that programs of users show here. */
  actors: LiveActors;
  /** Where a page draws the chart of one of them; null, and why, for one that takes too long. */
  layout(definition: MachineDefinition): Promise<LiveLayout>;
}

/** One request of a client that may make it. */
export interface Call {
  detent: Detent;
  /** Scheduled jobs of the Detent; this process need not run them. */
  scheduler: Scheduler;
  caller: Caller;
  /** Null without a connection that events could be sent over. */
  watching: Watching | null;
  /** Aborts when the client has gone, or the gateway closes. */
  signal: AbortSignal;
  /** Throws `DRAINING` when the gateway takes no new runs. */
  refuseNewRuns(): void;
  /** Waits for the caller's turn among its requests that read. Returns the function that gives it on. */
  readTurn(): Promise<() => void>;
  /** Takes a place for a run that is about to go on here. @throws DetentError `TOO_MANY_RUNS`. */
  takeRun(): RunPlace;
  /** What the person who runs this program trusts on this machine; null when the program keeps no such records. */
  trust: TrustSource | null;
  inspect: InspectCalls;
  /** How many jobs a user may have. */
  maxJobsPerUser: number;
  /** The same for each repetition of a request with a key: its commands to runs carry it. */
  commandKey?: string;
}

/** Where a method is found over HTTP. `{name}` in the path is a field of the input. */
export interface HttpPlace {
  verb: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  /** `/v1` has the interface of OpenAI, with its form of errors. Default `/api/v1`. */
  root?: '/v1';
  /** Whether the answer is a stream of server-sent events: always, or when the request asks for one. */
  streams?: 'always' | 'asked';
  /** Takes the header `Idempotency-Key`, though no field of its input. */
  takesKey?: true;
  /** Of success. Default 200. */
  status?: number;
  /** The answer's `data` is a file in base64: it is sent as that file. */
  isFile?: true;
  /** The body may be a file instead of JSON: its bytes are the field `data`. */
  takesFile?: true;
}

/**
 * What a second request with the same idempotency key gets when the process that performed the first one died within it. In all
 * other cases it gets the answer of the first one.
 *
 * - `run`: the run itself keeps the key, so it gets that run, for as long as that is kept
 * - `repeated`: the method is performed again; it does nothing the second time
 * - `refused`: `OUTCOME_UNKNOWN`, because a repetition might do more than was asked
 */
export type Keyed = 'run' | 'repeated' | 'refused';

export interface Method {
  name: string;
  /** What the caller must be allowed at least. */
  scope: Scope;
  /** One sentence, for the description of the interface. */
  summary: string;
  /** Strict: unknown fields are refused. Ids in `runId`, `otherRunId`, `after`, `sessionId` and `jobId` are checked to be the caller's. */
  input: z.ZodObject;
  output: z.ZodType;
  http?: HttpPlace;
  /** What it does with a client's idempotency key; left out by a method that changes nothing, and takes none. */
  keyed?: Keyed;
  /** Is performed beside other requests that read: its answer is short, or it waits for something. */
  beside?: true;
  /** Whether a `sessionId` that is not there yet is made. */
  makesSessions?: true;
  /** Whether the `jobId` is that of a new job. */
  makesJobs?: true;
  /** Whether it starts runs of the default agent when its input names neither an agent nor a workflow. */
  startsAgents?: true;
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
  perform(call: Call, input: z.output<I>): Promise<z.input<O> | Listed>;
}

/** Whether a method only reads, and may answer at length: one at a time is performed for a connection. */
export function onlyReads({ scope, keyed, beside }: Method): boolean {
  return scope === 'read' && keyed === undefined && beside === undefined;
}

/** Gives a method's functions the types of its schemas, and its input the field of the key that it takes. */
export function method<I extends z.ZodObject, O extends z.ZodType>(typed: TypedMethod<I, O>): Method {
  const made = typed as unknown as Method;
  return made.keyed === undefined ? made : { ...made, input: made.input.extend({ idempotencyKey }) };
}

const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe(
    'A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`.',
  );

/** What a command to a run carries, so that its repetition does nothing. */
export function keyOf({ commandKey }: Call): { idempotencyKey?: string } {
  return commandKey === undefined ? {} : { idempotencyKey: commandKey };
}

/** For words that reach a run of another caller: whether this one may approve what they lead to. */
export function rightsOf({ caller }: Pick<Call, 'caller'>): { mayApprove: boolean } {
  return { mayApprove: caller.scopes.includes('approve') };
}

/**
 * Whether the caller works for the host: what the machine and its configuration are is nothing to other tenants, nor to who is bound
 * to agents or workflows.
 */
export function isOfHost(caller: Caller): boolean {
  return caller.tenantId === defaultTenant && reachOf(caller) === undefined;
}

/** Who decided, for the log. The client cannot say it. */
export function byOf({ caller }: Pick<Call, 'caller'>): { by: string } {
  return { by: nameOfCaller(caller) };
}
