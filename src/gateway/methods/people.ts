import { z } from 'zod';
import type { ConfirmDecision, PendingView, ReconcileDecision } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import { ofCaller } from '../owners.ts';
import { callId, decided, hash, runId, sessionId, view } from './fields.ts';
import { byOf, type Call, keyOf, type Method, method, rightsOf } from './method.ts';

const text = z.string().max(100_000);
const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const peopleMethods: readonly Method[] = [
  method({
    name: 'tool.confirm',
    scope: 'approve',
    summary: 'Decides on a call that waits for a person. The first decision counts.',
    input: z.strictObject({
      runId,
      callId,
      verdict: z.enum(['approve', 'reject', 'modify']),
      reason: text.optional().describe('Of `reject`: the model gets it.'),
      arguments: z.record(z.string(), z.unknown()).optional().describe('Of `modify`: the new arguments.'),
      grant: z
        .strictObject({
          tool: z.string().max(200).optional(),
          pattern: z.record(z.string(), z.unknown()).optional(),
        })
        .optional()
        .describe('Of `approve`: also approves calls like this one for the rest of the session.'),
      hash: hash.optional(),
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/confirmations/{callId}' },
    keyed: 'repeated',
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
      return decide(call, runId, callId, decision);
    },
  }),
  method({
    name: 'question.answer',
    scope: 'write',
    summary: 'Answers a question of the run, or closes it unanswered.',
    input: z.strictObject({
      runId,
      callId,
      answer: z
        .union([z.string().max(100_000), z.array(z.string()).max(1000), z.record(z.string(), value)])
        .optional()
        .describe('Words, the options that were chosen, or the values of a form. Left out: no answer.'),
      hash: hash.optional(),
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/answers/{callId}' },
    keyed: 'repeated',
    async perform(call, { runId, callId, answer, hash }) {
      const common = { ...byOf(call), ...rightsOf(call), ...(hash !== undefined && { hash }) };
      await refuseUnless(call, runId, callId, 'question');
      const decision =
        answer === undefined
          ? ({ verdict: 'reject', ...common } as const)
          : ({ verdict: 'answer', answer, ...common } as ConfirmDecision);
      return decide(call, runId, callId, decision);
    },
  }),
  method({
    name: 'client.result',
    scope: 'write',
    summary:
      'Gives the result of a call of a client’s own tool, or closes it without one. The first result counts.',
    input: z.strictObject({
      runId,
      callId,
      result: z
        .string()
        .max(16_000_000)
        .optional()
        .describe('Any text, also none. Left out: the call is closed without a result.'),
      isError: z.boolean().optional().describe('Of `result`: the call failed. Default false.'),
      reason: text.optional().describe('Without `result`: why, for the model.'),
      hash: hash.optional(),
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/results/{callId}' },
    keyed: 'repeated',
    async perform(call, { runId, callId, result, isError, reason, hash }) {
      const common = { ...byOf(call), ...rightsOf(call), ...(hash !== undefined && { hash }) };
      if (result === undefined ? isError !== undefined : reason !== undefined)
        throw new DetentError('INVALID_REQUEST', '"isError" goes with a "result", and "reason" with none', {
          details: { field: result === undefined ? 'isError' : 'reason' },
        });
      await refuseUnless(call, runId, callId, 'client');
      const decision =
        result === undefined
          ? ({ verdict: 'reject', ...common, ...(reason !== undefined && { reason }) } as const)
          : ({ verdict: 'result', result, ...(isError && { isError }), ...common } as const);
      return decide(call, runId, callId, decision);
    },
  }),
  method({
    name: 'run.reconcile',
    scope: 'approve',
    summary:
      'Says what became of a call whose process died while it ran, or that the original of a fork may have made.',
    input: z.strictObject({
      runId,
      callId,
      verdict: z.enum(['ran', 'retry', 'skip']),
      result: text.optional().describe('Of `ran`: what it returned.'),
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/reconciliations/{callId}' },
    keyed: 'repeated',
    async perform(call, { runId, callId, verdict, result }) {
      refuseField(result === undefined || verdict === 'ran', 'result', 'ran');
      const decision = {
        verdict,
        ...byOf(call),
        ...(result !== undefined && { result }),
      } as ReconcileDecision;
      const { detent, caller } = call;
      return { ...(await detent.runs.reconcile(runId, callId, decision, caller.tenantId, keyOf(call))) };
    },
  }),
  method({
    name: 'grant.list',
    scope: 'read',
    summary: 'What people approved for the rest of the session.',
    input: z.strictObject({ sessionId }),
    output: z.strictObject({ grants: z.array(view({})) }),
    http: { verb: 'get', path: '/sessions/{sessionId}/grants' },
    perform: async ({ detent, caller }, { sessionId }) => ({
      grants: (await detent.sessions.grants(sessionId, caller.tenantId)).map((grant) => ({ ...grant })),
    }),
  }),
  method({
    name: 'grant.search',
    scope: 'read',
    summary: 'What people approved for the rest of a session, in all sessions that the caller sees.',
    input: z.strictObject({}),
    output: z.strictObject({ grants: z.array(view({ sessionId: z.string() })) }),
    http: { verb: 'get', path: '/grants' },
    perform: async ({ detent, caller }) => ({
      grants: (await detent.sessions.allGrants(ofCaller(caller))).map((grant) => ({ ...grant })),
    }),
  }),
  method({
    name: 'grant.revoke',
    scope: 'approve',
    summary: 'Takes one of them back.',
    input: z.strictObject({ sessionId, grant: z.int().min(1) }),
    output: z.strictObject({ revoked: z.literal(true) }),
    http: { verb: 'delete', path: '/sessions/{sessionId}/grants/{grant}' },
    keyed: 'refused',
    async perform({ detent, caller }, { sessionId, grant }) {
      await detent.sessions.revokeGrant(sessionId, grant, caller.tenantId);
      return { revoked: true as const };
    },
  }),
];

async function decide(call: Call, runId: string, callId: string, decision: ConfirmDecision) {
  const { detent, caller } = call;
  return { ...(await detent.runs.confirm(runId, callId, decision, caller.tenantId, keyOf(call))) };
}

/** What settles the calls of each kind. */
const methodFor: Readonly<Record<PendingView['kind'], string>> = {
  confirm: 'decide on it with tool.confirm',
  question: 'answer it with question.answer',
  client: 'give its result with client.result',
  reconcile: 'say what became of it with run.reconcile',
};

/** A caller that may answer questions, or give results, must not reject calls with that. */
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
