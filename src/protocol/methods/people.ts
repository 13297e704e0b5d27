import * as z from 'zod/mini';
import { confirmVerdicts, reconcileVerdicts } from '../../../machines/run.types.ts';
import { installationName, longestHoldMs } from '../enums.ts';
import { fieldValue } from './answers/run-values.ts';
import { about, idempotencyKey, named, runId, sessionId, text, word } from './fields.ts';
import type { Declarations } from './method.ts';

const hash = about(word(), '`argumentsHash` of what the person saw.');

const callId = about(
  z.string().check(z.regex(/^c[1-9][0-9]{0,8}$/, 'is the id of a call, such as c7')),
  'Id of a call within its run, such as `c7`.',
);

/** What a person answers: words, options, or the values of a form. */
export const givenAnswer = z.union([
  text(),
  z.array(z.string()).check(z.maxLength(1000)),
  z.record(z.string(), fieldValue),
]);

export const decided = named(
  'Decided',
  z.strictObject({
    applied: about(z.boolean(), 'False when an earlier decision won.'),
    verdict: about(z.string(), 'The one that counts.'),
    stands: about(z.boolean(), 'Whether it is the requested one.'),
  }),
);

/** Of an app on a device, in its own words. */
const installation = z.string().check(z.regex(installationName));

/** The very value, a text that a pattern with `*` fits, or anything. */
const grantTest = z.union([
  z.strictObject({ is: z.unknown() }),
  z.strictObject({ like: z.string() }),
  z.strictObject({ any: z.literal(true) }),
]);

const grant = {
  n: z.int(),
  tool: z.string(),
  pattern: about(z.record(z.string(), grantTest), 'What the arguments of a call must fit, by field.'),
  by: about(z.nullable(z.string()), 'Who granted it; null when unknown.'),
  at: z.number(),
  /** The call that was approved with it. */
  runId: z.string(),
  callId: z.string(),
};

export const peopleMethods = {
  'tool.confirm': {
    scope: 'approve',
    talk: true,
    summary: 'Decides on a call that waits for a person. The first decision counts.',
    input: z.strictObject({
      runId,
      callId,
      verdict: z.enum(confirmVerdicts),
      reason: about(z.optional(text()), 'Of `reject`: the model reads it.'),
      arguments: about(z.optional(z.record(z.string(), z.unknown())), 'Of `modify`: the new arguments.'),
      grant: about(
        z.optional(
          z.strictObject({
            tool: z.optional(text(200)),
            pattern: z.optional(z.record(z.string(), z.unknown())),
          }),
        ),
        'Of `approve`: also approves calls like this one for the rest of the session.',
      ),
      hash: z.optional(hash),
      idempotencyKey,
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/confirmations/{callId}' },
    keyed: 'noted',
  },
  'question.answer': {
    scope: 'write',
    talk: true,
    summary: 'Answers a question of the run, or closes it unanswered.',
    input: z.strictObject({
      runId,
      callId,
      answer: about(
        z.optional(givenAnswer),
        'Words, the options that were chosen, or the values of a form. Left out: no answer.',
      ),
      hash: z.optional(hash),
      idempotencyKey,
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/answers/{callId}' },
    keyed: 'repeated',
  },
  'client.result': {
    scope: 'write',
    talk: true,
    summary:
      'Gives the result of a call of a client’s own tool, or closes it without one. The first result counts.',
    input: z.strictObject({
      runId,
      callId,
      result: about(
        z.optional(text(16_000_000)),
        'Any text, also none. Left out: the call is closed without a result.',
      ),
      isError: about(z.optional(z.boolean()), 'Of `result`: the call failed. Default false.'),
      reason: about(z.optional(text()), 'Without `result`: why, for the model.'),
      installation: about(z.optional(installation), 'The one that claimed the call. Left out: none did.'),
      hash: z.optional(hash),
      idempotencyKey,
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/results/{callId}' },
    keyed: 'repeated',
  },
  'client.claim': {
    scope: 'write',
    talk: true,
    summary:
      'Says which installation of an app performs a call of its own tool: no other one may claim the call, or give its result, before it is released or the time is over.',
    input: z.strictObject({
      runId,
      callId,
      installation,
      holdMs: about(
        z._default(z.int().check(z.gte(1_000), z.lte(longestHoldMs)), 300_000),
        'How long the claim holds. The same installation may claim again, which starts the time again.',
      ),
      idempotencyKey,
    }),
    output: z.strictObject({ heldUntil: about(z.number(), 'Milliseconds since the epoch.') }),
    http: { verb: 'post', path: '/runs/{runId}/claims/{callId}' },
    keyed: 'repeated',
  },
  'client.release': {
    scope: 'write',
    talk: true,
    summary: 'Gives a claimed call back, so that another installation may claim it.',
    input: z.strictObject({ runId, callId, installation, idempotencyKey }),
    output: z.strictObject({ released: about(z.boolean(), 'False if this installation did not hold it.') }),
    http: { verb: 'post', path: '/runs/{runId}/releases/{callId}' },
    keyed: 'repeated',
  },
  'run.reconcile': {
    scope: 'approve',
    summary:
      'Says what became of a call whose process died while it ran, or that the original of a fork may have made.',
    input: z.strictObject({
      runId,
      callId,
      verdict: z.enum(reconcileVerdicts),
      result: about(z.optional(text()), 'Of `ran`: what it returned.'),
      idempotencyKey,
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/reconciliations/{callId}' },
    keyed: 'repeated',
  },
  'grant.list': {
    scope: 'read',
    summary: 'What people approved for the rest of the session.',
    input: z.strictObject({ sessionId }),
    output: z.strictObject({ grants: z.array(z.strictObject(grant)) }),
    http: { verb: 'get', path: '/sessions/{sessionId}/grants' },
  },
  'grant.search': {
    scope: 'read',
    summary: 'What people approved for the rest of a session, in all sessions that the caller sees.',
    input: z.strictObject({}),
    output: z.strictObject({ grants: z.array(z.strictObject({ ...grant, sessionId: z.string() })) }),
    http: { verb: 'get', path: '/grants' },
  },
  'grant.revoke': {
    scope: 'approve',
    summary: 'Revokes one of them.',
    input: z.strictObject({ sessionId, grant: z.int().check(z.gte(1)), idempotencyKey }),
    output: z.strictObject({ revoked: z.literal(true) }),
    http: { verb: 'delete', path: '/sessions/{sessionId}/grants/{grant}' },
    keyed: 'noted',
  },
} satisfies Declarations;
