import type { Caller } from '../../protocol/access.ts';
import type { PendingView, RunView } from '../../protocol/views.ts';
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
  const isOneTheUsers = view.pending.some(({ decides }) => decides === 'user');
  const userId = isOneTheUsers ? (await detent.runs.ownerOf(runId, caller.tenantId)).userId : null;
  const allowed = legal.filter(({ type, callId }) => {
    const asked = view.pending.find((one) => one.runId === undefined && one.callId === callId);
    // Answers to questions, and results of the client's calls, are words of the client.
    const decides = callId !== undefined && asked?.kind !== 'question' && asked?.kind !== 'client';
    if (decides) return caller.scopes.includes('approve') || isTheirs(caller, userId, asked);
    return caller.scopes.includes('write') || (caller.scopes.includes('talk') && talk.has(type));
  });
  return { ...view, allowed };
}

/** Commands that a client who only talks may give, if they decide on no call. */
const talk: ReadonlySet<string> = new Set(['run.message', 'run.cancel', 'confirm.decide']);

/** Whether a client decides on a call though it may not approve: its user has asked for it, and decides. */
function isTheirs(
  { scopes, userId }: Caller,
  owner: string | null,
  asked: Pick<PendingView, 'kind' | 'decides'> | undefined,
): boolean {
  const isUser = userId !== null && userId === owner;
  return isUser && scopes.includes('talk') && asked?.kind === 'confirm' && asked.decides === 'user';
}
