import type * as z from 'zod/mini';
import type { Detent, RunRequest, RunView } from '../../index.ts';
import { type Caller, defaultTenant, nameOfCaller, reachOf, type Scope } from '../../protocol/access.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { Declarations, Declared } from '../../protocol/methods.ts';
import type { MachineDefinition } from '../../protocol/views.ts';
import type { OfRequest } from '../../runs/rows.ts';
import { runIdOf } from '../../runtime/requests.ts';
import type { Scheduler } from '../../schedule/api.ts';
import type { Listed } from '../documents/listed.ts';
import type { NamedRun, OwnRuns } from '../documents/places.ts';
import type { TenantFeeds } from '../feeds/feed.ts';
import type { LiveActors } from '../inspect/live/actors.ts';
import type { LiveLayout } from '../inspect/live/layouts.ts';
import type { Admission } from '../inspect/tickets.ts';

/** The connection of a caller that can be sent events; HTTP requests have none. */
export interface Watching {
  /** Begins to send the events of a run after the transition `afterSeq`. @throws DetentError `TOO_MANY_SUBSCRIPTIONS`. */
  watch(runId: string, afterSeq: number, isCompact: boolean): void;
  /**
   * Reserves a place for a run that has no id yet. @throws DetentError `TOO_MANY_SUBSCRIPTIONS`.
   *
   * @returns gives the place back, for `watch` to take it
   */
  reserve(): () => void;
  /** Returns whether the run was watched. */
  unwatch(runId: string): boolean;
  /**
   * Begins to send the transitions of all the caller's runs after a place in the feed. @throws DetentError
   * `TOO_MANY_SUBSCRIPTIONS`.
   */
  watchFeed(after: number): void;
  /** Returns whether the feed was watched. */
  unwatchFeed(): boolean;
}

/** The folders that a person trusts. A gateway shows and revokes; only that person, at the machine, grants. */
export interface TrustSource {
  folders(): { folder: string; at: string; files: readonly string[]; mine?: boolean }[];
  /** Returns false if the folder was not trusted. */
  revoke(folder: string): boolean;
}

/** What the methods of inspectors need of the gateway. */
interface InspectCalls {
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
  feed: TenantFeeds;
  /** Null without a connection that events could be sent over. */
  watching: Watching | null;
  /**
   * Waits on behalf of the client, until the signal aborts: the client has gone, its token is not valid any more, or the gateway
   * closes.
   *
   * @throws DetentError `UNAUTHORIZED` when the token has become invalid, and what `wait` throws.
   */
  waiting<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Counts the client as one who watches the run for as long as it waits. */
  waitedFor(runId: string, wait: () => Promise<RunView | null>): Promise<RunView | null>;
  /** Throws `DRAINING` when the gateway takes no new runs. */
  refuseNewRuns(): void;
  /** Waits for the caller's turn among its reading requests. Returns the function that ends the turn. */
  readTurn(): Promise<() => void>;
  /** The runs that the caller starts or continues here. */
  runs: OwnRuns;
  /** The folders that the person who runs this program trusts on this machine; null when the program keeps no such records. */
  trust: TrustSource | null;
  inspect: InspectCalls;
  /** How many jobs a user may have. */
  maxJobsPerUser: number;
  /**
   * The call comes from a command of the person at the machine, who has the whole database: nothing is refused, names
   * are used unchanged, and the log has the actor of the Detent.
   */
  isLocal?: true;
  /** The same for each repetition of a request with a key: commits store their results under it. */
  requestId?: string;
}

/** A scope, and the fields of an input that need it. */
export interface Need {
  scope: Scope;
  fields: readonly string[];
}

/** The scope that some of these fields need, if there are any. */
export function needOf(scope: Scope, fields: readonly (string | false)[]): Need[] {
  const named = fields.filter((field) => field !== false);
  return named.length === 0 ? [] : [{ scope, fields: named }];
}

/** To approve all calls is to decide on each. */
export function approvesAll({ approve }: { approve?: unknown }): Need[] {
  return needOf('approve', [approve === 'all' && 'approve']);
}

/** Those of the fields that an input has. */
export function givenOf(input: Readonly<Record<string, unknown>>, fields: readonly string[]): string[] {
  return fields.filter((field) => input[field] !== undefined);
}

/** A method of the gateway. */
export interface Method extends Declared {
  name: string;
  /** The scopes that this input needs besides `scope`. */
  alsoNeeds?(input: Record<string, unknown>): readonly Need[];
  perform(call: Call, input: Record<string, unknown>): Promise<unknown>;
  /**
   * Answers the repetition of a request when the gateway that performed it died before it answered. Default: the result
   * that the commit stored is the answer.
   *
   * @param input as the client sent it, without the key
   */
  answerOf?(call: Call, effect: JsonValue, input: Record<string, unknown>): Promise<unknown>;
}

/** The return value of a method: its output, which is not changed afterwards. */
type Given<T> = [JsonValue] extends [T] ? T : T extends object ? { readonly [K in keyof T]: Given<T[K]> } : T;

type Perform<D extends { input: z.core.$ZodType; output: z.core.$ZodType }> = (
  call: Call,
  input: z.output<D['input']>,
) => Promise<Given<z.input<D['output']>> | Listed>;

/** The function that performs a method, alone or with the other functions of {@link Method}. */
type Performer<D extends Declared> =
  | Perform<D>
  | {
      alsoNeeds?(input: z.output<D['input']>): readonly Need[];
      perform: Perform<D>;
      answerOf?(
        call: Call,
        effect: JsonValue,
        input: z.output<D['input']>,
      ): Promise<Given<z.input<D['output']>>>;
    };

type Own = Pick<Method, 'alsoNeeds' | 'perform' | 'answerOf'>;

/** Whether a method only reads, and may answer at length: one at a time is performed for a connection. */
export function onlyReads({ scope, keyed, beside }: Method): boolean {
  return scope === 'read' && keyed === undefined && beside === undefined;
}

/**
 * The functions that perform the methods of a subject. They are separate from the declarations, because the command
 * line loads no schemas.
 */
export type Performers<D extends Declarations> = { readonly [Name in keyof D]: Performer<D[Name]> };

/** Joins the declarations of a subject's methods with the functions that perform them. */
export function performed<const D extends Declarations>(
  declared: D,
  performers: Performers<D>,
): readonly Method[];
export function performed(
  declared: Declarations,
  performers: Readonly<Record<string, Method['perform'] | Own>>,
): readonly Method[] {
  return Object.entries(declared).map(([name, about]) => {
    const performer = performers[name] as Method['perform'] | Own;
    return { name, ...about, ...(typeof performer === 'function' ? { perform: performer } : performer) };
  });
}

/** A method that has a place of its own outside of the table. */
export function method<I extends z.core.$ZodObject, O extends z.core.$ZodType>(
  made: Omit<Declared, 'input' | 'output'> & {
    name: string;
    input: I;
    output: O;
    perform: Perform<{ input: I; output: O }>;
  },
): Method;
export function method(made: Method): Method {
  return made;
}

/** The request id for an operation whose commit stores its result under that id. */
export function requestOf({
  requestId,
  isLocal,
}: Pick<Call, 'requestId' | 'isLocal'>): OfRequest & { idempotencyKey?: string } {
  if (requestId === undefined) return {};
  // The key of a command is a program's key, which is stored with the run alone.
  return isLocal ? { idempotencyKey: requestId } : { requestId };
}

/** The run that the key of a request names; none without a key. */
export function namedRun(
  { detent }: Pick<Call, 'detent'>,
  request: Pick<RunRequest, 'idempotencyKey' | 'principal'>,
): NamedRun | undefined {
  if (request.idempotencyKey === undefined) return undefined;
  const runId = runIdOf(request);
  const isThere = () =>
    detent.runs.ownerOf(runId, request.principal?.tenantId).then(
      () => true,
      () => false,
    );
  return { runId, isThere };
}

/** For a message to another caller's run: whether the sender may approve the calls that it leads to. */
export function rightsOf({ caller }: Pick<Call, 'caller'>): { mayApprove: boolean } {
  return { mayApprove: caller.scopes.includes('approve') };
}

/**
 * Whether the caller works for the host. The machine and its configuration are hidden from other tenants, and from
 * callers that are bound to agents or workflows.
 */
export function isOfHost(caller: Caller): boolean {
  return caller.tenantId === defaultTenant && reachOf(caller) === undefined;
}

/** The name of the person who decided, for the log. The client cannot choose it. */
export function byOf({ caller, isLocal }: Pick<Call, 'caller' | 'isLocal'>): { by?: string } {
  return isLocal ? {} : { by: nameOfCaller(caller) };
}
