import { Exists } from '../../engine/commit.ts';
import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { type JsonValue, refuseUnknownFields } from '../../protocol/json.ts';
import type { ToolSchema } from '../../protocol/tool.ts';
import type { RunRow } from '../../store/rows.ts';
import { type FlowLimits, isWorkflowRun, workflowOptionsOf } from '../../store/stored-run.ts';
import { hex, sha256 } from '../../text/ids.ts';
import {
  ChartFault,
  chartHash,
  plainJson,
  type WorkflowStart,
  workflowCreation,
} from '../../workflow/facade.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { findBudget } from '../config/find-budget.ts';
import type { FlowParts } from '../config/flow-parts.ts';
import type { WorkflowRequest } from '../config/workflow-request.ts';
import { canonical } from './request-digest.ts';
import { least } from './run-limits.ts';
import { askerOf } from './run-request.ts';

interface Start {
  workflow: string | Workflow;
  input: unknown;
  request: WorkflowRequest;
  runId: string;
}

const requestFields: readonly string[] = [
  'idempotencyKey',
  'limits',
  'budget',
  'byAdmin',
  'isLeft',
  'principal',
  'by',
] satisfies (keyof WorkflowRequest)[];

/** Starts a run of a workflow. @throws DetentError as `DetentWorkflows.start` says. */
export async function startWorkflow(
  parts: () => Promise<FlowParts>,
  config: Pick<DetentOptions, 'budgets'>,
  { workflow: asked, input, request, runId }: Start,
): Promise<string> {
  refuseUnknownFields(request, requestFields, 'a run of a workflow', 'INVALID_REQUEST');
  const opened = await parts();
  const { engine, workflows, tenants, redact } = opened;
  const workflow = workflows.find(typeof asked === 'string' ? asked : asked.id);
  const {
    limits = {},
    budget = workflow.options.budget,
    principal = {},
    idempotencyKey: key,
    byAdmin,
    isLeft,
  } = request;
  const { tenantId: tenant = defaultTenant, userId = null, claims = {} } = principal;
  await tenants(tenant);
  const shared = budget === undefined ? null : findBudget(budget, config.budgets);
  if (shared) await opened.declareBudget(tenant, shared, userId);
  const given = await fittedInput(workflow, input);
  const plain = JSON.parse(redact(JSON.stringify(given))) as JsonValue;
  const digest = key === undefined ? {} : { requestDigest: digestOf(workflow.id, plain, request) };
  const creation = workflowCreation({
    workflow: workflow.id,
    hash: workflow.hash,
    runId,
    tenant,
    user: userId,
    principal: { tenantId: tenant, userId, claims },
    ...askerOf(request),
    input: plain,
    limits: lesserOf(workflow.options.limits, limits),
    budget: budget ?? null,
    byAdmin,
    ...digest,
  });
  try {
    return (await engine.create({ ...creation, ...(isLeft && { isLeft }) })).row.id;
  } catch (error) {
    if (error instanceof Exists) return repeated(error.row, digest.requestDigest);
    throw error;
  }
}

/** Checks the input of a workflow without a start. @throws DetentError `UNKNOWN_WORKFLOW`, `INVALID_INPUT`. */
export async function checkInput(
  { workflows }: Pick<FlowParts, 'workflows'>,
  id: string,
  input: JsonValue,
): Promise<void> {
  await fittedInput(workflows.find(id), input);
}

function fittedInput({ id, options }: Workflow, input: unknown): Promise<JsonValue> {
  return fitted(options.input, input, 'INVALID_INPUT', `the input of workflow "${id}"`);
}

function digestOf(id: string, input: JsonValue, { limits, budget, principal }: WorkflowRequest): string {
  return hex(sha256(canonical({ id, input, limits, budget, principal })));
}

/** @throws DetentError `IDEMPOTENCY_CONFLICT` when another request has made the run. */
function repeated(row: RunRow, digest: string | undefined): string {
  if (isWorkflowRun(row) && digest !== undefined && workflowOptionsOf(row).requestDigest === digest)
    return row.id;
  throw new DetentError(
    'IDEMPOTENCY_CONFLICT',
    `run ${row.id} was made with the same idempotencyKey by another request; use a new key for another request`,
    { details: { runId: row.id } },
  );
}

function lesserOf(
  own: { maxTokens?: number; maxCostUsd?: number } = {},
  asked: { maxTokens?: number; maxCostUsd?: number },
): FlowLimits {
  return { tokens: least(own.maxTokens, asked.maxTokens), costUsd: least(own.maxCostUsd, asked.maxCostUsd) };
}

/** A value that fits its schema, as the schema makes it; and is plain JSON. @throws DetentError of that code. */
export async function fitted(
  schema: ToolSchema<unknown> | undefined,
  value: unknown,
  code: 'INVALID_INPUT' | 'INVALID_EVENT' | 'INVALID_SAMPLE',
  where: string,
): Promise<JsonValue> {
  const checked = schema ? await schema['~standard'].validate(value) : { value };
  if (checked.issues) {
    const problems = checked.issues.map(({ message, path = [] }) => {
      const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
      return at === '' ? message : `${at}: ${message}`;
    });
    throw new DetentError(code, `${where} does not fit its schema: ${problems.join('; ')}`, {
      details: { problems },
    });
  }
  try {
    return plainJson(checked.value, where);
  } catch (error) {
    if (error instanceof ChartFault) throw new DetentError(code, error.message);
    throw error;
  }
}

/** Starts the run of a chart within a chart. */
export async function startChart(
  { engine }: Pick<FlowParts, 'engine'>,
  {
    chart,
    workflow,
    runId,
    parent,
    parentCall,
    depth,
    principal,
    input,
    left,
    budget,
    tainted,
    byAdmin,
    again,
  }: WorkflowStart,
): Promise<void> {
  const creation = workflowCreation({
    workflow,
    hash: chartHash(chart),
    runId,
    tenant: parent.tenant,
    user: parent.user,
    principal,
    input,
    limits: left,
    budget,
    byAdmin,
    parent: { runId: parent.id, call: parentCall, depth, tainted, again },
  });
  try {
    await engine.create(creation);
  } catch (error) {
    // Another process has begun it.
    if (!(error instanceof Exists)) throw error;
  }
}
