import type { LimitsConfig } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import { type ChartQuestion, chartQuestionTool } from '../../store/run-options.ts';
import { subRunSession } from '../../store/stored-run.ts';
import { type FormSchema, fieldsOf, outputJsonSchema } from '../../tools/registry.ts';
import type { AgentService, AskService, ModelService, ServiceStart } from '../../workflow/facade.ts';
import type { Parts } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { Inherited, ServiceStarter } from '../config/flow-parts.ts';
import type { RunRequest } from '../config/request.ts';
import { least, limitsOf } from './run-limits.ts';
import { startRequest } from './run-request.ts';
import { startCall } from './start-call.ts';
import { startRun } from './start-run.ts';

/** How long a chart's question waits for its answer by default. */
const defaultExpiryMs = 7 * 86_400_000;

/** Starts the run of a service in a whole Detent. See {@link startServiceBy}. */
export async function startService(
  parts: Parts,
  config: DetentOptions,
  request: ServiceStart,
): Promise<void> {
  const { tenant, id } = request.parent;
  const place = await parts.placed?.of(tenant, id);
  const starter: ServiceStarter = {
    parts,
    config,
    ...(place && { place }),
    run: (prompt, asked, runId, inherited) =>
      startRun(async () => parts, config, prompt, asked, runId, inherited),
    resolve: (asked, runId) => startRequest('call', asked, config, runId),
  };
  return startServiceBy(starter, request);
}

/**
 * Starts the run that performs a service of a chart. Its id is its key: two processes that start it make one run.
 *
 * @throws DetentError as any start, and what the functions of the service throw.
 */
export async function startServiceBy(starter: ServiceStarter, request: ServiceStart): Promise<void> {
  const { service, runId } = request;
  const inherited = { ...inheritedBy(request), ...starter.place };
  if (service.kind === 'tool' || service.kind === 'ask') return callFor(starter, request, inherited);
  const asked = service.kind === 'agent' ? askAgent(service, request) : askModel(service, request);
  const limits = narrowed(limitsOf(asked, starter.config), request);
  const prompt = service.prompt(request.input);
  await starter.run(prompt, { ...asked, limits }, runId, inherited);
}

function inheritedBy({ parent, parentCall, depth, tainted }: ServiceStart): Inherited {
  return {
    linked: true,
    parentRunId: parent.id,
    parentCall,
    depth,
    ...(tainted.length > 0 && { tainted: [...tainted] }),
  };
}

function requestOf({ runId, principal, budget, byAdmin }: ServiceStart): RunRequest {
  const { tenantId, userId, claims } = principal;
  return {
    sessionId: subRunSession(runId),
    idempotencyKey: runId,
    principal: { tenantId, ...(userId !== null && { userId }), claims: claims as Record<string, string> },
    ...(budget !== null && { budget }),
    ...(byAdmin && { byAdmin }),
  };
}

function askAgent(service: AgentService<unknown, unknown>, request: ServiceStart): RunRequest {
  const { agent, output, tools } = service;
  return {
    ...requestOf(request),
    ...(agent !== undefined && { agent }),
    ...(output && { output }),
    ...(tools && { tools: [...tools] }),
  };
}

function askModel(service: ModelService<unknown, unknown>, request: ServiceStart): RunRequest {
  const { model, system = '', output } = service;
  return {
    ...requestOf(request),
    ...(model !== undefined && { model }),
    ...(output && { output }),
    system,
    tools: [],
    skills: [],
  };
}

/** No service gets more than its own limits, those of its agent, and what the workflow has left. */
function narrowed(limits: LimitsConfig, { service, left }: ServiceStart): LimitsConfig {
  const own = 'limits' in service ? (service.limits ?? {}) : {};
  const tokens = least(limits.maxTokens, own.maxTokens, left.tokens);
  const costUsd = least(limits.maxCostUsd, own.maxCostUsd, left.costUsd);
  const timeoutMs = least(limits.timeoutMs, own.timeoutMs);
  return {
    ...limits,
    ...(tokens !== null && { maxTokens: tokens }),
    ...(costUsd !== null && { maxCostUsd: costUsd }),
    ...(timeoutMs !== null && { timeoutMs }),
  };
}

/** The run of one call: of a tool, or of a question to a person. */
async function callFor(
  { parts, config, resolve }: ServiceStarter,
  request: ServiceStart,
  inherited: Inherited,
): Promise<void> {
  const { service, runId, input, idempotencyKey } = request;
  const asked = requestOf(request);
  const own = { ...asked, limits: narrowed(limitsOf(asked, config), request) };
  const { limits, ...start } = resolve(own, runId);
  const question = service.kind === 'ask' ? questionOf(service, request) : null;
  const name = service.kind === 'tool' ? service.tool : chartQuestionTool;
  const confirmMs = service.kind === 'ask' ? (service.expiresMs ?? defaultExpiryMs) : limits.confirmMs;
  await startCall(
    parts,
    { ...start, runId, limits: { ...limits, confirmMs } },
    {
      ...inherited,
      call: {
        name,
        arguments: JSON.stringify(input ?? {}),
        idempotencyKey,
        ...(request.again && { again: true }),
      },
      ...(question && { ask: question }),
    },
  );
}

/** @throws DetentError `INVALID_SERVICE` for a form that a person cannot fill in. */
function questionOf(service: AskService<unknown, unknown>, { name, input }: ServiceStart): ChartQuestion {
  const text = String(service.question(input));
  if (service.options) return { question: { text, options: [...service.options] } };
  if (!service.form) return { approval: { text } };
  const schema = outputJsonSchema(service.form) as Partial<FormSchema> & { type?: string };
  const { type, properties = {}, required } = schema;
  const isFlat = Object.values(properties).every(
    (field) => typeof field.type === 'string' && field.type !== ('object' as string),
  );
  if (type !== 'object' || !isFlat)
    throw new DetentError(
      'INVALID_SERVICE',
      `the form of "${name}" is a flat object of texts, numbers, choices and booleans; a person cannot fill in what is nested`,
    );
  return { question: { text, fields: fieldsOf({ properties, required }) } };
}
