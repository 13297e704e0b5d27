import { ClientError } from '../../client/index.ts';
import type { Core } from '../../core/index.ts';
import type { Backend } from '../backend.ts';
import { inWholePieces } from './over-detent.ts';

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
  const { runs, sessions } = core;
  if (!sessions)
    throw new ClientError(
      'INVALID_CLIENT',
      'overCore needs a core with conversations: createCore({ conversations }) of detent/core/conversations',
    );
  const by = principal.userId === undefined ? {} : { by: principal.userId };
  return {
    start: async ({ prompt, ...request }) => ({
      runId: await core.run(prompt, { ...request, principal }).started,
    }),
    watch: (runId) => inWholePieces(sessions.subscribe(runId)),
    runs: (sessionId) => sessions.runs(sessionId),
    confirm: (runId, callId, decision) => runs.confirm(runId, callId, { ...decision, ...by }),
    answer: (runId, callId, answer, hash) =>
      answer === undefined
        ? runs.confirm(runId, callId, { verdict: 'reject', hash, ...by })
        : runs.confirm(runId, callId, { verdict: 'answer', answer, hash, ...by }),
    // There is one installation: the app itself.
    claim: async () => {},
    result: (runId, callId, given) => runs.confirm(runId, callId, { verdict: 'result', ...given, ...by }),
    steer: (runId, message) => runs.steer(runId, message, undefined, by),
    cancel: (runId, reason) => runs.cancel(runId, reason, undefined, by),
    clear: (sessionId) => sessions.clear(sessionId),
    rate: (sessionId, rating) => sessions.rate(sessionId, { ...rating, ...by }),
    close() {},
  };
}
