import type { AnyStateMachine } from 'xstate';
import type { EffectJob, Fact } from '../../engine/machine.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import type { Principal } from '../../protocol/tool.ts';
import type { Store as RunsStore } from '../../runs/rows.ts';
import type { Runs } from '../../runs/runs.ts';
import type { RunRow } from '../../store/rows.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import type { FlowContext, FlowLimits, WorkflowRunOptions } from '../../store/stored-run.ts';
import { ChartFault, plainJson, TooLarge } from '../facade/plain-json.ts';
import type { ServiceError } from '../facade/service-failure.ts';
import type { Service } from '../services.ts';
import type { Store } from './statements.ts';

/** The types of workflows' runs, for the engine. */
export interface WorkflowRun {
  context: FlowContext;
  options: WorkflowRunOptions;
  cache: null;
}

export type WorkflowJob = EffectJob<WorkflowRun>;

/** A service that is a run of its own. */
type RunService = Exclude<Service, { kind: 'step' }>;

/** What the run of a service is started with. */
export interface ServiceStart {
  service: RunService;
  /** The invocation's id. */
  name: string;
  input: JsonValue;
  /** The id that the run gets. */
  runId: string;
  parent: Pick<RunRow, 'id' | 'tenant' | 'user' | 'sessionKey'>;
  parentCall: string;
  depth: number;
  principal: Principal;
  /** The same for every attempt of the invocation. */
  idempotencyKey: string;
  /** What the workflow has left. */
  left: FlowLimits;
  budget: string | null;
  tainted: readonly StoredTaint[];
  /** As of the parent. */
  byAdmin: boolean;
  /** See `isMadeAgain`. */
  again: boolean;
}

/** Starts the run of a child chart. */
export type WorkflowStart = Omit<ServiceStart, 'service' | 'name' | 'idempotencyKey'> & {
  chart: AnyStateMachine;
  /** Its name among the workflows of the program. */
  workflow: string;
};

export interface WorkflowParts {
  store: Store & RunsStore;
  runs: Pick<Runs, 'view'>;
  /** The toolbox of a tenant, which knows whose results are untrusted. */
  toolboxOf(tenant: number): Promise<Pick<Toolbox, 'isUntrusted'>>;
  /** @throws DetentError as any start of a run. */
  start(request: ServiceStart): Promise<void>;
  startChart(request: WorkflowStart): Promise<void>;
  redact(text: string): string;
}

/** The fact of a service's output. @throws ChartFault for an output that no row can hold. */
export function doneFact(
  { redact }: Pick<WorkflowParts, 'redact'>,
  effectId: number,
  output: unknown,
  more: { spent?: FlowContext['spent']; tainted?: readonly StoredTaint[] } = {},
): Fact {
  const plain = output === undefined ? undefined : JSON.stringify(plainJson(output, 'the output'));
  const own = plain === undefined ? {} : { output: JSON.parse(redact(plain)) };
  return { event: { type: 'service.done', effectId, ...own, ...more } };
}

export function failedFact(
  { redact }: Pick<WorkflowParts, 'redact'>,
  effectId: number,
  error: ServiceError,
  more: { spent?: FlowContext['spent']; tainted?: readonly StoredTaint[] } = {},
): Fact {
  const { code, message, retryable, name, fields, thrown } = error;
  const said = {
    code,
    message: redact(message),
    ...(retryable !== undefined && { retryable }),
    ...(name !== undefined && { name }),
    ...(fields && { fields: JSON.parse(redact(JSON.stringify(fields))) }),
    ...(thrown && { thrown: JSON.parse(redact(JSON.stringify(thrown))) }),
  };
  return { event: { type: 'service.failed', effectId, error: said, ...more } };
}

/**
 * A thrown value for `onError`: its code, its message and its own fields that a row can hold, or the whole value if it
 * is not an error.
 */
export function serviceError(error: unknown): ServiceError {
  if (error instanceof ChartFault)
    return {
      code: error instanceof TooLarge ? 'OUTPUT_TOO_LARGE' : 'OUTPUT_NOT_JSON',
      message: error.message,
      retryable: false,
    };
  if (DetentError.is(error))
    return { code: error.code, message: messageOf(error), retryable: error.retryable };
  const { code, message, retryable } = (error ?? {}) as Record<string, unknown>;
  const fields = fieldsOf(error);
  const thrown = thrownOf(error);
  return {
    code: typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'SERVICE_FAILED',
    message: error instanceof Error || typeof message !== 'string' ? errorMessage(error, fields) : message,
    ...(typeof retryable === 'boolean' && { retryable }),
    ...errorName(error),
    ...(thrown ? { thrown } : fields && { fields }),
  };
}

/** Null for an error, and for a value that no row can hold: then the chart gets an error. */
function thrownOf(value: unknown): JsonValue[] | null {
  if (value instanceof Error) return null;
  const kept = jsonOrNothing(value);
  if (kept === undefined) return value === undefined ? [] : null;
  return [kept];
}

/** Only for an error, so that a chart that reads the name gets one. */
function errorName(error: unknown): { name?: string } {
  const name = error instanceof Error ? error.name : 'Error';
  return typeof name === 'string' && name !== 'Error' && name.length <= 100 ? { name } : {};
}

function errorMessage(error: unknown, fields: JsonObject | null): string {
  return error instanceof Error || !fields ? messageOf(error) : JSON.stringify(fields);
}

/** Characters of all fields of an error; one with more loses them. */
const maxFields = 4_096;

function fieldsOf(error: unknown): JsonObject | null {
  if (typeof error !== 'object' || error === null) return null;
  const fields: JsonObject = {};
  for (const [key, value] of Object.entries(error)) {
    if (['code', 'message', 'retryable', 'stack', 'cause', '__proto__'].includes(key)) continue;
    const kept = jsonOrNothing(value);
    if (kept !== undefined) fields[key] = kept;
  }
  const isTooLarge = JSON.stringify(fields).length > maxFields;
  return Object.keys(fields).length === 0 || isTooLarge ? null : fields;
}

function jsonOrNothing(value: unknown): JsonValue | undefined {
  try {
    return value === undefined ? undefined : plainJson(value, 'a field');
  } catch {
    return undefined;
  }
}
