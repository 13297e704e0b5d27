import { z } from 'zod';
import type { WorkflowAnswer, WorkflowRequest } from '../../runtime/config/workflow-request.ts';
import { principalOf } from '../owners.ts';
import { decided, runId, view } from './fields.ts';
import { byOf, type Call, keyOf, type Method, method } from './method.ts';

const workflow = z.string().min(1).max(200).describe('The id of its chart.');

const summary = view(
  {
    id: z.string(),
    version: z.int(),
    hash: z.string(),
    description: z.string(),
    events: z.array(z.string()).describe('Event types that `workflow.send` takes.'),
    services: z.array(view({ id: z.string(), src: z.string(), kind: z.string() })),
  },
  'Workflow',
);

const amount = z.number().positive().optional();

const startInput = z.strictObject({
  workflow,
  input: z.unknown().optional().describe('As the workflow declares it. Default: null.'),
  limits: z
    .strictObject({ maxTokens: amount, maxCostUsd: amount })
    .optional()
    .describe(
      'What its services may spend together, within what the workflow declares. Needs the scope `admin`.',
    ),
  budget: z.string().max(200).optional().describe('Needs the scope `admin`.'),
});

const text = z.string().max(100_000);
const reason = text.optional();
const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** As `WorkflowAnswer`. */
const answer = z
  .union([
    z.strictObject({
      answer: z
        .union([text, z.array(z.string()).max(1000), z.record(z.string(), value)])
        .describe('Words, the options that were chosen, or the values of a form.'),
    }),
    z.strictObject({ approved: z.boolean(), reason }),
    z.strictObject({ declined: z.literal(true), reason }),
  ])
  .describe('An answer; or a decision, which needs the scope `approve`.');

/** Statecharts of the host's own. Their runs are runs: the methods `run.…` have all else. */
export const workflowMethods: readonly Method[] = [
  method({
    name: 'workflow.list',
    scope: 'read',
    summary: 'The workflows that can be started.',
    input: z.strictObject({}),
    output: z.strictObject({ workflows: z.array(summary) }),
    http: { verb: 'get', path: '/workflows' },
    perform: async ({ detent, caller: { workflows } }) => ({
      workflows: (await detent.workflows.list())
        .filter(({ id }) => workflows?.includes(id) ?? true)
        .map((one) => ({ ...one })),
    }),
  }),
  method({
    name: 'workflow.get',
    scope: 'read',
    summary: 'A workflow: the events that it takes, and its services.',
    input: z.strictObject({ workflow }),
    output: summary,
    http: { verb: 'get', path: '/workflows/{workflow}' },
    perform: async ({ detent }, { workflow }) => ({ ...(await detent.workflows.get(workflow)) }),
  }),
  method({
    name: 'workflow.start',
    scope: 'write',
    summary: 'Starts a run of a workflow.',
    input: startInput,
    output: view({ runId: z.string(), sessionId: z.string() }, 'RunStarted'),
    http: { verb: 'post', path: '/workflows/{workflow}/runs', status: 202 },
    keyed: 'run',
    alsoNeeds: ({ limits, budget }) => (limits === undefined && budget === undefined ? [] : ['admin']),
    perform: startWorkflow,
  }),
  method({
    name: 'workflow.send',
    scope: 'write',
    summary: 'Sends a run of a workflow an event of its chart.',
    input: z.strictObject({
      runId,
      event: z
        .looseObject({ type: z.string().min(1).max(200) })
        .describe('Its other fields are its payload.'),
    }),
    output: z.strictObject({
      taken: z.boolean().describe('False if the chart does not take it in the state that it is in.'),
    }),
    http: { verb: 'post', path: '/runs/{runId}/events' },
    keyed: 'repeated',
    perform: async (call, { runId, event }) => ({
      taken: await call.detent.workflows.send(runId, event, {
        tenantId: call.caller.tenantId,
        ...keyOf(call),
      }),
    }),
  }),
  method({
    name: 'workflow.answer',
    scope: 'write',
    summary:
      'Answers what an invocation of a workflow asks a person, by its id in the chart. The first answer counts.',
    input: z.strictObject({ runId, invocation: z.string().min(1).max(200), answer }),
    output: decided,
    http: { verb: 'post', path: '/runs/{runId}/invocations/{invocation}/answer' },
    keyed: 'repeated',
    // A rejection decides on a call, too.
    alsoNeeds: ({ answer }) => ('answer' in answer ? [] : ['approve']),
    async perform(call, { runId, invocation, answer }) {
      const { detent, caller } = call;
      const options = { tenantId: caller.tenantId, ...byOf(call), ...keyOf(call) };
      return { ...(await detent.workflows.answer(runId, invocation, answer as WorkflowAnswer, options)) };
    },
  }),
];

type Start = z.output<typeof startInput> & { idempotencyKey?: string };

/** Starts the run, which has a place until it rests. */
async function startWorkflow(call: Call, { workflow, input = null, ...rest }: Start) {
  call.refuseNewRuns();
  const { detent, caller, takeRun } = call;
  const principal = principalOf(caller);
  const place = takeRun();
  try {
    const byAdmin = rest.limits !== undefined || rest.budget !== undefined;
    const request = { ...rest, principal, ...byOf(call), ...(byAdmin && { byAdmin }) } as WorkflowRequest;
    const run = detent.workflows.start(workflow, input, request);
    const runId = await run.started;
    place.keep(runId, run.result);
    const { sessionId } = await detent.runs.ownerOf(runId, caller.tenantId);
    return { runId, sessionId };
  } catch (error) {
    place.release();
    throw error;
  }
}
