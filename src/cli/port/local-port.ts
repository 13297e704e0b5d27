import { type LocalCaller, localMethods } from '../../gateway/local.ts';
import type { Detent } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Port } from './port.ts';

/** A Detent of this process. @param caller for whom its methods are asked; a command that begins a run names no tenant */
export function localPort(detent: Detent, caller: LocalCaller = {}): Port {
  const { tenantId } = caller;
  return {
    ask: localMethods(detent, caller),
    show: (runId) => detent.runs.show(runId, tenantId),
    run: (prompt, request) => detent.run(prompt, request),
    startWorkflow: (id, input, request) => detent.workflows.start(id, input, request),
    attach: (runId) => detent.runs.attach(runId, tenantId),
    on: (runId, listener) => detent.on(runId, listener, tenantId),
    resume: (scope, address) => detent.runs.resume(scope, tenantId, address),
    async continuing(session, asked) {
      const request = await detent.sessions.continuing(session, asked);
      // Who types here may open the whole database: in a session of a user the run is for that user.
      const userId = await userOf(detent, session);
      return { ...request, ...(userId !== null && { principal: { userId } }) };
    },
    detent,
  };
}

async function userOf({ sessions }: Detent, session: string): Promise<string | null> {
  try {
    return (await sessions.ownerOf(session)).userId;
  } catch (error) {
    // The run makes the session.
    if (DetentError.is(error) && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
