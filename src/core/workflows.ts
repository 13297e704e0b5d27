import './globals.ts';
import { createCallHost } from '../call/call-host.ts';
import type { MachineHost } from '../engine/machine.ts';
import { defaultTenant } from '../protocol/access.ts';
import { DetentError } from '../protocol/error.ts';
import { shown } from '../protocol/json.ts';
import { workflowsApi } from '../runtime/api.ts';
import { type FlowParts, findAgent, type ServiceStarter } from '../runtime/config.ts';
import { resolveFor, startChart, startServiceBy } from '../runtime/requests.ts';
import { Workflows } from '../workflow/registry.ts';
import { isWorkflow, type Workflow } from '../workflow/workflow.ts';
import type { CoreWorkflows } from './options.ts';

/**
 * What an app needs that runs statecharts of its own: pass it to `createCore`, then `core.workflows` is there. Charts are not
 * checked here: run each once on Node, where `createDetent` and `detent workflow check` name their faults.
 *
 * @param declared the workflows of the app, made by `workflow(chart)`
 * @throws DetentError `INVALID_WORKFLOW` for what `workflow()` has not made, and for two of one id.
 * @example
 * ```ts
 * const core = createCore({ host: { storage }, models, workflows: workflows([refund]) });
 * const run = core.workflows?.start(refund, { order: 'A7' });
 * ```
 */
export function workflows(declared: readonly Workflow[]): CoreWorkflows {
  const other = declared.find((one) => !isWorkflow(one));
  if (other !== undefined)
    throw new DetentError(
      'INVALID_WORKFLOW',
      `workflows() takes what workflow(chart) makes, not ${shown(other)}`,
    );
  const charts = new Workflows(declared);
  return {
    open({ parts, calls, options, handles, opened, run }) {
      const { partsOf, redact } = calls;
      const flows: FlowParts = {
        ...parts,
        workflows: charts,
        redact,
        async tenants(tenant) {
          if (tenant === defaultTenant) return partsOf(tenant);
          throw new DetentError('INVALID_REQUEST', 'a core has one tenant: leave out tenantId');
        },
      };
      const starter: ServiceStarter = {
        parts: flows,
        config: options,
        run,
        resolve(request, runId) {
          const agent = findAgent(request.agent, options.agents);
          const { start } = resolveFor(agent, request, options, {
            model: options.model ?? '',
            endpoint: null,
          });
          return { ...start, runId, prompt: '' };
        },
      };
      parts.hosts.add([
        createCallHost(calls) as MachineHost,
        ...charts.hosts({
          ...flows,
          toolboxOf: async (tenant) => (await partsOf(tenant)).toolbox,
          start: (request) => startServiceBy(starter, request),
          startChart: (request) => startChart(flows, request),
        }),
      ]);
      return workflowsApi(
        async () => {
          await opened();
          return flows;
        },
        options,
        handles,
      );
    },
  };
}

export { isWorkflowView, type WorkflowRunView } from '../protocol/views.ts';
export type { DetentWorkflows, WorkflowHandle } from '../runtime/api.ts';
export {
  agent,
  ask,
  model,
  type ServiceLogic,
  type StepContext,
  step,
  tool,
  type Workflow,
  workflow,
} from '../workflow/index.ts';
export type { CoreWorkflows } from './options.ts';
