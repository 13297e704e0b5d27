import type { AnyStateMachine, EventFromLogic, InputFrom, OutputFrom, StateValue } from 'xstate';
import { DetentError, messageOf } from '../protocol/error.ts';
import { isObject, shown } from '../protocol/json.ts';
import type { ToolSchema } from '../protocol/tool.ts';
import { chartHash } from './facade/chart-hash.ts';
import { isChart } from './facade/chart-services.ts';

/** Leads a parked run of an earlier version of a chart to the next one. */
export interface WorkflowMigration {
  /** The version that it starts from. */
  from: number;
  /** Must be pure: a replay calls it again. */
  snapshot(old: { value: StateValue; context: unknown }): MigratedWorkflow;
}

/** A state in which the newer chart can rest. All that is not named stays as it is. */
export interface MigratedWorkflow {
  value: StateValue;
  context: unknown;
  /**
   * Timers by their new id, the event type of an `after` or the id of a delayed `raise`: the old id, whose due time is kept;
   * a new timer from now on; or null to clear it.
   */
  timers?: Readonly<Record<string, string | { delayMs: number } | null>>;
  /** Invocations by their new id: the old id, and `src` if the service was renamed. */
  services?: Readonly<Record<string, { was: string; src?: string }>>;
}

type EventOf<Chart extends AnyStateMachine, Type> = Extract<EventFromLogic<Chart>, { type: Type }>;

export interface WorkflowOptions<Chart extends AnyStateMachine = AnyStateMachine> {
  /** What its runs and the commands know it by: letters, digits, `_`, `-` and `.`. Default: the id of the chart. */
  id?: string;
  /** What the input must fit when a run is started. Default: any JSON. */
  input?: ToolSchema<InputFrom<Chart>>;
  /**
   * What events from outside must fit, by their type. For one that is not named here, the chart's own `schemas.events` count, if
   * they are Standard Schemas; without them it may have any JSON.
   */
  events?: { readonly [T in EventFromLogic<Chart>['type']]?: ToolSchema<EventOf<Chart, T>> };
  /** Charts of earlier versions, whose parked runs go on under them, unless a migration starts from theirs. */
  earlier?: readonly AnyStateMachine[];
  migrate?: readonly WorkflowMigration[];
  /** What the services of a run may spend together. */
  limits?: { maxTokens?: number; maxCostUsd?: number };
  /** Name of a configured budget, which all its runs share. */
  budget?: string;
}

/** A statechart as Detent runs it. Made by {@link workflow}. */
export interface Workflow<Chart extends AnyStateMachine = AnyStateMachine> {
  readonly kind: 'workflow';
  /** Of the chart, unless the options have another one. */
  readonly id: string;
  readonly version: number;
  /** Of the chart's structure. */
  readonly hash: string;
  readonly chart: Chart;
  readonly options: WorkflowOptions<Chart>;
}

export type WorkflowInput<W extends Workflow> = InputFrom<W['chart']>;
export type WorkflowOutput<W extends Workflow> = OutputFrom<W['chart']>;
export type WorkflowEvent<W extends Workflow> = EventFromLogic<W['chart']>;

/**
 * Makes a workflow of a plain XState v5 chart: `createDetent({ workflows: [refund] })` runs it durably. The chart stays valid
 * for `createActor` and Stately Studio.
 *
 * @throws DetentError `INVALID_WORKFLOW` when neither the chart nor the options have an id, for a version that is not a whole number,
 * and for an initial state that does not exist.
 *
 * @example
 * ```ts
 * export default workflow(refundChart, { input: z.object({ order: z.string() }) });
 * ```
 */
export function workflow<Chart extends AnyStateMachine>(
  chart: Chart,
  options: WorkflowOptions<Chart> = {},
): Workflow<Chart> {
  const id = idOf(chart, options.id);
  return Object.freeze({
    kind: 'workflow' as const,
    id,
    version: versionOf(chart),
    hash: hashOf(chart, id),
    chart,
    options: Object.freeze({ ...options }),
  });
}

/** XState finds out here that the initial state of a chart does not exist. @throws DetentError `INVALID_WORKFLOW`. */
function hashOf(chart: AnyStateMachine, id: string): string {
  try {
    return chartHash(chart);
  } catch (cause) {
    throw invalidWorkflow(id, messageOf(cause), cause);
  }
}

/** Whether a value was made by {@link workflow}, also by another copy of this package. */
export function isWorkflow(value: unknown): value is Workflow {
  if (!isObject(value)) return false;
  const { kind, id, hash, chart, options } = value as Partial<Workflow>;
  return (
    kind === 'workflow' &&
    typeof hash === 'string' &&
    isObject(options) &&
    isChart(chart) &&
    typeof id === 'string'
  );
}

/** The version of a chart: 1 if it has none. @throws DetentError `INVALID_WORKFLOW`. */
export function versionOf({ id, version }: AnyStateMachine): number {
  if (version === undefined) return 1;
  if (/^[1-9]\d{0,8}$/.test(version)) return Number(version);
  throw invalidWorkflow(id, `its version is a whole number as text, such as "2", not ${shown(version)}`);
}

function idOf(chart: unknown, given: string | undefined): string {
  const { id, root, config } = (chart ?? {}) as Partial<AnyStateMachine>;
  if (typeof id !== 'string' || !root || !config)
    throw new DetentError(
      'INVALID_WORKFLOW',
      `workflow() takes a machine of setup().createMachine(), not ${shown(chart)}`,
    );
  if (isPlainId(given ?? id)) return given ?? id;
  throw invalidWorkflow(
    given ?? id,
    `give it an id of letters, digits, "_", "-" and ".", in the chart or by workflow(chart, { id: 'my-chart' })`,
  );
}

/** Whether commands and rows can name a workflow so. A chart without an id has the id `(machine)`. */
export function isPlainId(id: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,99}$/u.test(id);
}

function invalidWorkflow(id: string, why: string, cause?: unknown): DetentError {
  return new DetentError('INVALID_WORKFLOW', `chart "${id}": ${why}`, { details: { id }, cause });
}

/** @param known the ids that there are */
export function unknownWorkflow(id: string, known: readonly string[]): DetentError {
  return new DetentError(
    'UNKNOWN_WORKFLOW',
    `this program has no workflow ${JSON.stringify(id)}; it has ${known.length > 0 ? known.join(', ') : 'none'}`,
    { details: { id, known } },
  );
}
