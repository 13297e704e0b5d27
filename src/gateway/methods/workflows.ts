import type { workflowMethods as declared, MethodInput } from '../../protocol/methods.ts';
import type { WorkflowAnswer, WorkflowRequest } from '../../runtime/config.ts';
import { principalOf } from '../feeds/sight.ts';
import { byOf, type Call, givenOf, namedRun, needOf, type Performers, requestOf } from './method.ts';

export const workflowPerformers = {
  'workflow.list': async ({ detent, caller: { workflows } }) => ({
    workflows: (await detent.workflows.list()).filter(({ id }) => workflows?.includes(id) ?? true),
  }),
  'workflow.get': async ({ detent }, { workflow }) => ({ ...(await detent.workflows.get(workflow)) }),
  'workflow.start': {
    alsoNeeds: (input) => needOf('admin', givenOf(input, ['limits', 'budget'])),
    perform: startWorkflow,
  },
  'workflow.send': async (call, { runId, event }) => ({
    taken: await call.detent.workflows.send(runId, event, {
      tenantId: call.caller.tenantId,
      ...byOf(call),
      ...requestOf(call),
    }),
  }),
  'workflow.answer': {
    // A rejection decides on a call, too.
    alsoNeeds: ({ answer }) => needOf('approve', givenOf({ ...answer }, ['approved', 'declined'])),
    async perform(call, { runId, invocation, answer }) {
      const { detent, caller } = call;
      const options = { tenantId: caller.tenantId, ...byOf(call), ...requestOf(call) };
      return { ...(await detent.workflows.answer(runId, invocation, answer as WorkflowAnswer, options)) };
    },
  },
} satisfies Performers<typeof declared>;

async function startWorkflow(call: Call, { workflow, input = null, ...rest }: MethodInput<'workflow.start'>) {
  call.refuseNewRuns();
  const { detent, caller } = call;
  const principal = principalOf(caller);
  const byAdmin = rest.limits !== undefined || rest.budget !== undefined;
  const request = { ...rest, principal, ...byOf(call), ...(byAdmin && { byAdmin }) } as WorkflowRequest;
  const make = () => detent.workflows.start(workflow, input, request);
  const runId = await call.runs.make(make, namedRun(call, request));
  const { sessionId } = await detent.runs.ownerOf(runId, caller.tenantId);
  return { runId, sessionId };
}
