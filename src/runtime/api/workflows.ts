import { defaultTenant, someProgram } from '../../protocol/access.ts';
import type { WorkflowRunView } from '../../protocol/views.ts';
import type { OfRequest } from '../../runs/rows.ts';
import type { DecisionResult } from '../../runs/runs.ts';
import type { Workflow, WorkflowEvent, WorkflowInput, WorkflowOutput } from '../../workflow/workflow.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { FlowParts } from '../config/flow-parts.ts';
import type { WorkflowAnswer, WorkflowRequest, WorkflowSummary } from '../config/workflow-request.ts';
import { runIdOf } from '../requests/keyed-run.ts';
import type { RunHandle, RunHandles } from './run-handle.ts';

/** The options of a client's command. */
interface CommandOptions extends OfRequest {
  tenantId?: number;
  /** A second command to the run with this key does nothing. */
  idempotencyKey?: string;
  /** Who sends the event, for the log. Default: the `actor` of this Detent. */
  by?: string;
}

/** A handle on a run of a workflow. */
export interface WorkflowHandle<W extends Workflow = Workflow> extends Omit<RunHandle, 'result'> {
  /**
   * Resolves when the run has ended, or waits for people, events and timers alone (`status` `waiting`). Each access waits for
   * the next such moment. `workflow` has the chart's state, context, open services and timers; `output` is the chart's own.
   */
  readonly result: Promise<WorkflowRunView<WorkflowOutput<W>>>;
  /** {@link DetentWorkflows.send} */
  send(event: WorkflowEvent<W>, options?: Pick<CommandOptions, 'idempotencyKey' | 'by'>): Promise<boolean>;
  /** {@link DetentWorkflows.answer} */
  answer(
    invocation: string,
    answer: WorkflowAnswer,
    options?: Pick<CommandOptions, 'idempotencyKey' | 'by'>,
  ): Promise<DecisionResult>;
}

/**
 * Statecharts of your own, run durably; see docs/workflows.md. A run of a workflow is an ordinary run: `detent.runs`
 * has all other operations.
 */
export interface DetentWorkflows {
  /**
   * Starts a run of a workflow. Its `result` resolves when it has ended, or waits for people, events and timers alone.
   *
   * `started` rejects with `INVALID_REQUEST` for a field that there is not, `UNKNOWN_WORKFLOW`, `INVALID_INPUT`, `UNKNOWN_BUDGET`, `IDEMPOTENCY_CONFLICT`.
   *
   * @param workflow one of `createDetent({ workflows })`, or its id
   */
  start<W extends Workflow>(
    workflow: W,
    input: WorkflowInput<W>,
    request?: WorkflowRequest,
  ): WorkflowHandle<W>;
  start(workflow: string, input?: unknown, request?: WorkflowRequest): WorkflowHandle;
  /**
   * Sends a run an event from outside. Returns false if the chart does not accept the event in its state.
   *
   * Throws `NOT_FOUND`, `NOT_A_WORKFLOW`, `RESERVED_EVENT`, `UNKNOWN_COMMAND` for an event that the chart does not have,
   * `INVALID_EVENT` for one that does not fit its schema.
   */
  send<W extends Workflow>(
    runId: string,
    event: WorkflowEvent<W>,
    options?: CommandOptions,
  ): Promise<boolean>;
  /**
   * Answers what an invocation asks a person. The first answer wins.
   *
   * Throws `NOT_FOUND`, `NOT_A_WORKFLOW`, `NOT_WAITING`, `INVALID_ANSWER`, `WRONG_VERDICT`.
   *
   * @param invocation its id in the chart
   */
  answer(
    runId: string,
    invocation: string,
    answer: WorkflowAnswer,
    options?: CommandOptions,
  ): Promise<DecisionResult>;
  list(): Promise<WorkflowSummary[]>;
  /** Throws `UNKNOWN_WORKFLOW`. */
  get(id: string): Promise<WorkflowSummary>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function workflowsApi(
  core: () => Promise<FlowParts>,
  options: Pick<DetentOptions, 'actor' | 'budgets'>,
  handles: Pick<RunHandles, 'handle'>,
): DetentWorkflows {
  const api: DetentWorkflows = {
    start(workflow: string | Workflow, input: unknown = null, request: WorkflowRequest = {}) {
      const runId = runIdOf(request);
      const tenant = request.principal?.tenantId ?? defaultTenant;
      const started = import('../requests/start-workflow.ts').then(({ startWorkflow }) =>
        startWorkflow(core, options, { workflow, input, request, runId }),
      );
      const handle = handles.handle(tenant, runId, started);
      const own: Pick<WorkflowHandle, 'send' | 'answer'> = {
        send: async (event, more) => api.send(await started, event, { tenantId: tenant, ...more }),
        answer: async (invocation, answer, more) =>
          api.answer(await started, invocation, answer, { tenantId: tenant, ...more }),
      };
      // The getter `result` is kept: each access waits for the next rest.
      return Object.defineProperties(handle, Object.getOwnPropertyDescriptors(own)) as WorkflowHandle;
    },
    async send(runId, event, { tenantId: tenant = defaultTenant, ...more } = {}) {
      const { sendToWorkflow } = await import('./workflow-operations.ts');
      const { idempotencyKey: key, requestId, by = options.actor ?? someProgram } = more;
      return sendToWorkflow(await core(), { tenant, runId, event, key, requestId, by });
    },
    async answer(runId, invocation, answer, { tenantId: tenant = defaultTenant, ...options } = {}) {
      const { answerWorkflow } = await import('./workflow-operations.ts');
      const { idempotencyKey: key, requestId, by } = options;
      return answerWorkflow(await core(), { tenant, runId, invocation, answer, key, requestId, by });
    },
    async list() {
      const { summaryOf } = await import('./workflow-operations.ts');
      return (await core()).workflows.declared.map(summaryOf);
    },
    async get(id) {
      const { summaryOf } = await import('./workflow-operations.ts');
      return summaryOf((await core()).workflows.find(id));
    },
  };
  return api;
}
