import type { ClientEvent } from '../../client/index.ts';
import { EventOrder } from '../../client/reading.ts';
import type { Detent, RunRequest } from '../../index.ts';
import type { Backend } from '../backend.ts';

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
