import { type ClientOptions, createClient } from '../../client/index.ts';
import type { Backend } from '../backend.ts';

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
