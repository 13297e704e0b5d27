import type { Caller } from '../../protocol/access.ts';
import type { RunView } from '../../protocol/views.ts';
import { byOf, type Call } from './method.ts';

/**
 * The view of a run, with the commands that are legal now and that the caller may give.
 *
 * @param known the view, if it was read already
 */
export async function viewOf(
  call: Pick<Call, 'detent' | 'caller' | 'isLocal'>,
  runId: string,
  known: RunView | null = null,
) {
  const { detent, caller } = call;
  const view = known ?? (await detent.runs.show(runId, caller.tenantId));
  const legal = await detent.runs.allowed(runId, caller.tenantId, byOf(call).by);
  const allowed = legal.filter((command) => mayGive(caller, command, isDecision(view, command)));
  return { ...view, allowed };
}

/** Commands that a client who only talks may give, if they decide on no call. */
const talk: ReadonlySet<string> = new Set(['run.message', 'run.cancel', 'confirm.decide']);

function mayGive({ scopes }: Pick<Caller, 'scopes'>, { type }: { type: string }, decides: boolean): boolean {
  if (decides) return scopes.includes('approve');
  return scopes.includes('write') || (scopes.includes('talk') && talk.has(type));
}

/** Whether a command decides on a call: answers to questions and results of the client's calls are words of the client. */
function isDecision({ pending }: RunView, { callId }: { callId?: string }): boolean {
  if (callId === undefined) return false;
  const asked = pending.find((one) => one.runId === undefined && one.callId === callId);
  return asked?.kind !== 'question' && asked?.kind !== 'client';
}
