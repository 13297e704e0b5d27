import * as z from 'zod/mini';
import { runStarted } from './agent.ts';
import { about, idempotencyKey, jsonObject, named, runId, text, word } from './fields.ts';
import type { Declarations } from './method.ts';
import { decided, givenAnswer } from './people.ts';

const workflow = about(word(), 'The id of its chart.');

const summary = named(
  'Workflow',
  z.strictObject({
    id: z.string(),
    version: z.int(),
    /** Of the chart's structure. */
    hash: z.string(),
    description: z.string(),
    input: about(
      z.exactOptional(jsonObject),
      'What its input must fit, as JSON Schema; absent if any JSON fits, or if the schema cannot be printed.',
    ),
    events: about(z.array(z.string()), 'Event types that `workflow.send` takes.'),
    payloads: about(
      z.exactOptional(z.record(z.string(), jsonObject)),
      'What the events must bring besides their type, as JSON Schema, by their type; of events that no schema checks, nothing.',
    ),
    /** The ids of all invocations, each with its service. */
    services: z.array(z.strictObject({ id: z.string(), src: z.string(), kind: z.string() })),
  }),
);

const amount = z.optional(z.number().check(z.positive()));
const reason = z.optional(text());

/** Statecharts of the host's own. Their runs are runs: the methods `run.…` have all else. */
export const workflowMethods = {
  'workflow.list': {
    scope: 'read',
    summary: 'The workflows that can be started.',
    input: z.strictObject({}),
    output: z.strictObject({ workflows: z.array(summary) }),
    http: { verb: 'get', path: '/workflows' },
  },
  'workflow.get': {
    scope: 'read',
    summary: 'A workflow: the events that it takes, and its services.',
    input: z.strictObject({ workflow }),
    output: summary,
    http: { verb: 'get', path: '/workflows/{workflow}' },
  },
  'workflow.start': {
    scope: 'write',
    talk: true,
    summary: 'Starts a run of a workflow.',
    input: z.strictObject({
      workflow,
      input: about(z.optional(z.unknown()), 'As the workflow declares it. Default: null.'),
      limits: about(
        z.optional(z.strictObject({ maxTokens: amount, maxCostUsd: amount })),
        'What its services may spend together, within what the workflow declares. Needs the scope `admin`.',
      ),
      budget: about(z.optional(text(200)), 'Needs the scope `admin`.'),
      idempotencyKey,
    }),
    output: runStarted,
    http: { verb: 'post', path: '/workflows/{workflow}/runs', status: 202 },
    keyed: 'run',
  },
  'workflow.send': {
    scope: 'write',
    summary: 'Sends a run of a workflow an event of its chart.',
    input: z.strictObject({
      runId,
      event: about(z.looseObject({ type: word() }), 'Its other fields are its payload.'),
      idempotencyKey,
    }),
    output: z.strictObject({
      taken: about(z.boolean(), 'False if the chart does not take it in the state that it is in.'),
    }),
    http: { verb: 'post', path: '/runs/{runId}/events' },
    keyed: 'repeated',
  },
  'workflow.answer': {
    scope: 'write',
    talk: true,
    summary:
      'Answers what an invocation of a workflow asks a person, by its id in the chart. The first answer counts.',
    input: z.strictObject({
      runId,
      invocation: word(),
      /** As `WorkflowAnswer`. */
      answer: about(
        z.union([
          z.strictObject({
            answer: about(givenAnswer, 'Words, the options that were chosen, or the values of a form.'),
          }),
          z.strictObject({ approved: z.boolean(), reason }),
          z.strictObject({ declined: z.literal(true), reason }),
        ]),
        'An answer; or a decision, which needs the scope `approve`.',
      ),
      idempotencyKey,
    }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/invocations/{invocation}/answer' },
    keyed: 'repeated',
  },
} satisfies Declarations;
