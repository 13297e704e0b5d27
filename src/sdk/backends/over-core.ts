import { ClientError } from '../../client/index.ts';
import type { Core } from '../../core/index.ts';
import type { Backend } from '../backend.ts';
import { overDetent } from './over-detent.ts';

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
