import type { ConfirmDecision, PendingView, ReconcileDecision } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import type { peopleMethods as declared } from '../../protocol/methods.ts';
import { ofCaller } from '../feeds/sight.ts';
import { byOf, type Call, givenOf, needOf, type Performers, requestOf, rightsOf } from './method.ts';

export const peoplePerformers = {
  'tool.confirm': {
    alsoNeeds: (input) => needOf('approve', givenOf(input, ['grant'])),
    async perform(call, { runId, callId, verdict, reason, arguments: args, grant, hash }) {
      const common = { ...byOf(call), ...rightsOf(call), ...(hash !== undefined && { hash }) };
      refuseField(reason === undefined || verdict === 'reject', 'reason', 'reject');
      refuseField(grant === undefined || verdict === 'approve', 'grant', 'approve');
      refuseField((args !== undefined) === (verdict === 'modify'), 'arguments', 'modify');
      const decision = {
        ...common,
        verdict,
        ...(reason !== undefined && { reason }),
        ...(args !== undefined && { arguments: args }),
        ...(grant !== undefined && { grant }),
      } as ConfirmDecision;
      const { detent, caller } = call;
      return { ...(await detent.runs.confirm(runId, callId, decision, caller.tenantId, requestOf(call))) };
    },
  },
  async 'question.answer'(call, { runId, callId, answer, hash }) {
    const common = { ...byOf(call), ...rightsOf(call), ...(hash !== undefined && { hash }) };
    await refuseUnless(call, runId, callId, 'question');
    const decision =
      answer === undefined
        ? ({ verdict: 'reject', ...common } as const)
        : ({ verdict: 'answer', answer, ...common } as ConfirmDecision);
    const { detent, caller } = call;
    return { ...(await detent.runs.confirm(runId, callId, decision, caller.tenantId, requestOf(call))) };
  },
  async 'client.result'(call, { runId, callId, result, isError, reason, installation, hash }) {
    const common = {
      ...byOf(call),
      ...rightsOf(call),
      ...(installation !== undefined && { installation }),
      ...(hash !== undefined && { hash }),
    };
    if (result === undefined ? isError !== undefined : reason !== undefined)
      throw new DetentError('INVALID_REQUEST', '"isError" goes with a "result", and "reason" with none', {
        details: { field: result === undefined ? 'isError' : 'reason' },
      });
    await refuseUnless(call, runId, callId, 'client');
    const decision =
      result === undefined
        ? ({ verdict: 'reject', ...common, ...(reason !== undefined && { reason }) } as const)
        : ({ verdict: 'result', result, ...(isError && { isError }), ...common } as const);
    const { detent, caller } = call;
    return { ...(await detent.runs.confirm(runId, callId, decision, caller.tenantId, requestOf(call))) };
  },
  'client.claim': async ({ detent, caller }, { runId, callId, installation, holdMs }) => ({
    heldUntil: await detent.runs.claim(runId, callId, { installation, holdMs }, caller.tenantId),
  }),
  'client.release': async ({ detent, caller }, { runId, callId, installation }) => ({
    released: await detent.runs.release(runId, callId, installation, caller.tenantId),
  }),
  async 'run.reconcile'(call, { runId, callId, verdict, result }) {
    refuseField(result === undefined || verdict === 'ran', 'result', 'ran');
    const decision = {
      verdict,
      ...byOf(call),
      ...(result !== undefined && { result }),
    } as ReconcileDecision;
    const { detent, caller } = call;
    return { ...(await detent.runs.reconcile(runId, callId, decision, caller.tenantId, requestOf(call))) };
  },
  'grant.list': async ({ detent, caller }, { sessionId }) => ({
    grants: await detent.sessions.grants(sessionId, caller.tenantId),
  }),
  'grant.search': async ({ detent, caller }) => ({
    grants: await detent.sessions.allGrants(ofCaller(caller)),
  }),
  async 'grant.revoke'(call, { sessionId, grant }) {
    await call.detent.sessions.revokeGrant(sessionId, grant, call.caller.tenantId, requestOf(call));
    return { revoked: true as const };
  },
} satisfies Performers<typeof declared>;

/** What settles the calls of each kind. */
const methodFor: Readonly<Record<PendingView['kind'], string>> = {
  confirm: 'decide on it with tool.confirm',
  question: 'answer it with question.answer',
  client: 'give its result with client.result',
  reconcile: 'say whether it ran with run.reconcile',
};

/** A scope for answering questions or giving results does not allow rejecting calls. */
async function refuseUnless(
  call: Call,
  runId: string,
  callId: string,
  kind: 'question' | 'client',
): Promise<void> {
  const { pending } = await call.detent.runs.show(runId, call.caller.tenantId);
  const open = pending.find((asked) => asked.runId === undefined && asked.callId === callId);
  if (!open || open.kind === kind) return;
  const what = kind === 'question' ? 'a question' : 'one that its client performs';
  throw new DetentError(
    'WRONG_VERDICT',
    `call ${callId} of run ${runId} is not ${what}: ${methodFor[open.kind]}`,
    { details: { callId, kind: open.kind } },
  );
}

function refuseField(isFine: boolean, field: string, verdict: string): void {
  if (isFine) return;
  throw new DetentError(
    'INVALID_REQUEST',
    `"${field}" goes with the verdict "${verdict}", and only with it`,
    {
      details: { field },
    },
  );
}
