import type { ClientEvent } from '../../client/index.ts';
import { EventOrder } from '../../client/reading.ts';
import type { Detent, RunRequest } from '../../index.ts';
import type { Backend } from '../backend.ts';

/**
 * Runs in this process, without a network. The Detent stays open when the SDK ends.
 *
 * @param detent of `createDetent`
 * @param principal whose runs they are; default: those of the program
 */
export function overDetent(
  detent: Pick<Detent, 'run' | 'runs' | 'sessions'>,
  principal: NonNullable<RunRequest['principal']> = {},
): Backend {
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
export async function* inWholePieces(events: AsyncIterable<ClientEvent>): AsyncGenerator<ClientEvent> {
  const order = new EventOrder(0);
  for await (const event of events) yield* order.take(event);
}
