import {
  type Answer,
  ClientError,
  type ClientEvent,
  type ClientOptions,
  createClient,
} from '../client/index.ts';
import { EventOrder } from '../client/reading.ts';
import type { Core } from '../core/index.ts';
import type { Detent, RunRequest } from '../index.ts';

/** What an engine asks for when its user says something. */
export interface SdkStart {
  prompt: string;
  sessionId: string;
  /** Repeated requests with this key make one run. */
  idempotencyKey: string;
  agent?: string;
  tools?: string[];
  clientTools?: { name: string; description: string; parameters: Record<string, never> }[];
  attachments?: { id: string }[];
}

/** What a person decides about a call. `modify` has new arguments in place of those of the model. */
export type Decision =
  | { verdict: 'approve' }
  | { verdict: 'reject'; reason?: string }
  | { verdict: 'modify'; arguments: Record<string, unknown> };

/** The result of a decision. `stands` is false when an earlier decision won. */
export interface Decided {
  stands: boolean;
  verdict: string;
}

export type Thumb = 'up' | 'down';

/**
 * Where an SDK runs agents. `overGateway`, `overDetent` and `overCore` make one; your own needs only these functions. Each rejects
 * with an error that has a `code`.
 */
export interface Backend {
  /** Resolves when the run is durable. */
  start(start: SdkStart): Promise<{ runId: string }>;
  /** The events of a run from its first one: each once and in order, with whole answers in pieces. Ends with the run. */
  watch(runId: string): AsyncIterable<ClientEvent>;
  /** The runs of a conversation, newest first. */
  runs(sessionId: string): Promise<{ runId: string }[]>;
  confirm(runId: string, callId: string, decision: Decision & { hash: string }): Promise<Decided>;
  /** Without an answer, closes the question. */
  answer(runId: string, callId: string, answer: Answer | undefined, hash: string): Promise<Decided>;
  /** Claims a call of a tool of the app. @throws an error with the code `CALL_CLAIMED` when another installation has claimed it */
  claim(runId: string, callId: string, installation: string): Promise<unknown>;
  result(
    runId: string,
    callId: string,
    given: { result: string; isError: boolean; installation: string },
  ): Promise<unknown>;
  steer(runId: string, message: string): Promise<unknown>;
  cancel(runId: string, reason: string | undefined): Promise<unknown>;
  clear(sessionId: string): Promise<unknown>;
  rate(sessionId: string, rating: { runId: string; thumb: Thumb; reason?: string }): Promise<unknown>;
  /** Closes what the backend opened itself. */
  close(): void;
}

/**
 * Runs at a gateway, over one WebSocket. It needs nothing of Node.
 *
 * @param options as of `createClient`: `url` and `token`
 * @throws ClientError `INVALID_CLIENT`
 */
export function overGateway(options: ClientOptions): Backend {
  const client = createClient(options);
  return {
    start: (start) => client.request('agent.run', start),
    watch: (runId) => client.watch(runId),
    runs: (sessionId) => client.runs({ sessionId, limit: 20 }),
    confirm: (runId, callId, decision) => client.confirm(runId, callId, decision),
    answer: (runId, callId, answer, hash) => client.answer(runId, callId, answer, hash),
    claim: (runId, callId, installation) => client.request('client.claim', { runId, callId, installation }),
    result: (runId, callId, given) => client.request('client.result', { runId, callId, ...given }),
    steer: (runId, message) => client.steer(runId, message),
    cancel: (runId, reason) => client.cancel(runId, reason),
    clear: (sessionId) => client.request('session.clear', { sessionId }),
    rate: (sessionId, rating) => client.request('session.rate', { sessionId, ...rating }),
    close: () => client.close(),
  };
}

type Principal = NonNullable<RunRequest['principal']>;
type OfTenant = Pick<Principal, 'tenantId'>;

/** What a Detent does for conversations. */
interface InProcess {
  run(prompt: string, request: RunRequest): { started: Promise<string> };
  runs: Pick<Detent['runs'], 'confirm' | 'steer' | 'cancel' | 'subscribe' | 'claim'> & {
    list(filter: OfTenant & { sessionId: string; limit: number }): Promise<{ runId: string }[]>;
  };
  sessions: {
    clear(sessionId: string, of: OfTenant): Promise<unknown>;
    rate(...asked: Parameters<Detent['sessions']['rate']>): Promise<unknown>;
  };
}

/**
 * Runs in this process, without a network. The Detent stays open when the SDK ends.
 *
 * @param detent of `createDetent`
 * @param principal whose runs they are; default: those of the program
 */
export function overDetent(detent: InProcess, principal: Principal = {}): Backend {
  const { tenantId } = principal;
  const ofTenant = tenantId === undefined ? {} : { tenantId };
  const by = principal.userId === undefined ? {} : { by: principal.userId };
  const { runs, sessions } = detent;
  return {
    start: async ({ prompt, ...request }) => ({
      runId: await detent.run(prompt, { ...request, principal, ...by }).started,
    }),
    watch: (runId) => inWholePieces(runs.subscribe(runId, ofTenant)),
    runs: (sessionId) => runs.list({ sessionId, limit: 20, ...ofTenant }),
    confirm: (runId, callId, decision) => runs.confirm(runId, callId, { ...decision, ...by }, tenantId),
    answer: (runId, callId, answer, hash) =>
      answer === undefined
        ? runs.confirm(runId, callId, { verdict: 'reject', hash, ...by }, tenantId)
        : runs.confirm(runId, callId, { verdict: 'answer', answer, hash, ...by }, tenantId),
    claim: (runId, callId, installation) => runs.claim(runId, callId, { installation }, tenantId),
    result: (runId, callId, given) =>
      runs.confirm(runId, callId, { verdict: 'result', ...given, ...by }, tenantId),
    steer: (runId, message) => runs.steer(runId, message, tenantId, by),
    cancel: (runId, reason) => runs.cancel(runId, reason, tenantId, by),
    clear: (sessionId) => sessions.clear(sessionId, ofTenant),
    rate: (sessionId, rating) => sessions.rate(sessionId, { ...rating, ...ofTenant, ...by }),
    close() {},
  };
}

/** An answer of which no piece came is given as one, as a gateway's client does. */
async function* inWholePieces(events: AsyncIterable<ClientEvent>): AsyncGenerator<ClientEvent> {
  const order = new EventOrder(0);
  for await (const event of events) yield* order.take(event);
}

/**
 * Runs in the app itself, over `detent/core`. The core stays open when the SDK ends.
 *
 * @param core of `createCore`, with `conversations` of `detent/core/conversations`
 * @param principal whose runs they are; default: those of the program
 * @throws ClientError `INVALID_CLIENT` for a core without conversations
 */
export function overCore(
  core: Pick<Core, 'run' | 'runs' | 'sessions'>,
  principal: { userId?: string } = {},
): Backend {
  const { sessions } = core;
  if (!sessions)
    throw new ClientError(
      'INVALID_CLIENT',
      'overCore needs a core with conversations: createCore({ conversations }) of detent/core/conversations',
    );
  return overDetent(
    {
      run: (prompt, { by: _, ...request }) => core.run(prompt, request),
      runs: {
        ...core.runs,
        subscribe: (runId) => sessions.subscribe(runId),
        list: ({ sessionId, limit }) => sessions.runs(sessionId, { limit }),
        // The app itself is the only installation, and has each call for good.
        claim: async () => Number.POSITIVE_INFINITY,
      },
      sessions,
    },
    principal,
  );
}
