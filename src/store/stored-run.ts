import type { RunContext, RunLimits, RunOutput } from '../../machines/run.types.ts';
import type { TakeoverContext } from '../../machines/takeover.machine.ts';
import { ownSessions, type Reach, slotSessions } from '../protocol/access.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { RunRow } from './rows.ts';
import type { RunOptions } from './run-options.ts';
import type { StoredTaint } from './stored-message.ts';

/** The machine of agents' runs: only they have these options. */
export const agentMachine = 'run';

/** The machine of runs that make one call, and ask no model. They have some of those options, and call ids, like an agent's. */
export const callMachineId = 'call';

/** The machine of takeovers: while one lasts, a person of the staff speaks in its session in place of the agent. */
export const takeoverMachineId = 'takeover';

/** The run that answers after a takeover: that of the user's last request, or the one that the takeover cut short. */
export interface NextRun {
  options: RunOptions;
  limits: RunLimits;
}

/** What a takeover was made with. The fields that it shares with runs of agents are those of the run that answers afterwards. */
export interface TakeoverOptions
  extends Pick<
    RunOptions,
    'agent' | 'model' | 'endpoint' | 'system' | 'tools' | 'approve' | 'workspace' | 'principal'
  > {
  machine: typeof takeoverMachineId;
  /** Why, and what the person who comes must know: for the staff. */
  reason?: string;
  summary?: string;
  /** Null while nobody knows how the agent would answer: no run of an agent was in the session. */
  next: NextRun | null;
}

export function isTakeover({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === takeoverMachineId;
}

export function takeoverOptionsOf({ options }: Pick<RunRow, 'options'>): TakeoverOptions {
  return JSON.parse(options) as TakeoverOptions;
}

export function takeoverContextOf({ context }: Pick<RunRow, 'context'>): TakeoverContext {
  return JSON.parse(context) as TakeoverContext;
}

/** The machine of imported runs. */
export const importedId = 'imported';

/** Whether a run was imported from a file. The rows of its log are that file's lines and cannot be folded. */
export function isImported({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === importedId;
}

/** Whether a run makes calls: an agent's, or one of a single call. */
export function makesCalls({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === agentMachine || machine === callMachineId;
}

/** A run's row, and what its JSON says. */
export interface StoredRun {
  row: RunRow;
  options: RunOptions;
  context: RunContext;
  /** Null before the run has ended. */
  output: RunOutput | null;
}

/** Parses a run's row: once, where it is loaded. An imported run has no context but an empty one. */
export function readRun(row: RunRow): StoredRun {
  return { row, options: optionsOf(row), context: contextOf(row), output: outputOf(row) };
}

/** Parses the options alone. */
export function optionsOf({ options }: Pick<RunRow, 'options'>): RunOptions {
  return JSON.parse(options) as RunOptions;
}

/** Parses the context alone. */
export function contextOf({ context }: Pick<RunRow, 'context'>): RunContext {
  return JSON.parse(context) as RunContext;
}

/** Parses the output alone; null before the run has ended. */
export function outputOf({ output }: Pick<RunRow, 'output'>): RunOutput | null {
  return output === null ? null : (JSON.parse(output) as RunOutput);
}

/** The id of the job machine. */
export const jobMachineId = 'job';

/** What each run of a job was created with. */
export interface JobRunOptions {
  machine: typeof jobMachineId;
  jobId: string;
  /** See `JobRow.key`. */
  key: string;
  user: string | null;
}

export function isJobRun({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === jobMachineId;
}

export function jobOptionsOf({ options }: Pick<RunRow, 'options'>): JobRunOptions {
  return JSON.parse(options) as JobRunOptions;
}

/** The session of one slot of a job. Its run's id is part of the key: a job of this name may have been made before. */
export function ownSlotSession(jobId: string, runId: string): string {
  return `${slotSessions(jobId)}${runId}`;
}

export function isOwnSlotSession(key: string): boolean {
  return key.startsWith(ownSessions.job) && /:.+:run_[^:]+$/s.test(key);
}

/** A call, or an effect of a workflow, has one sub-run for all its attempts: the id is made of its number. */
export function subRunId(runId: string, call: number): string {
  return `${runId}.c${call}`;
}

/** A sub-run has a session of its own: in its parent's it would wait for its parent to end. */
export function subRunSession(id: string): string {
  return `${ownSessions.task}${id}`;
}

export function isSubRunSession(key: string): boolean {
  return key.startsWith(ownSessions.task) && /:.+\.c\d+$/.test(key);
}

/** The machine of a workflow is called so, and then as its chart. */
const prefix = 'workflow:';

/** The id of the machine of a workflow's runs. */
export function workflowMachine(id: string): string {
  return `${prefix}${id}`;
}

export function isWorkflowRun({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine.startsWith(prefix);
}

/** The id of the chart. */
export function workflowId({ machine }: Pick<RunRow, 'machine'>): string {
  return machine.slice(prefix.length);
}

/** States that a chart has not: before its first one, and instead of a final one. No state of a chart begins with `(`. */
export const queuedState = '(queued)';
export const cancelledState = '(cancelled)';
export const failedState = '(failed)';

/**
 * An invocation or a named action of a chart that has not ended.
 *
 * `step`: an effect of the workflow itself. `run`: a run of its own (an agent, a model, a tool, a question, another
 * workflow), which is begun, or has begun. `uncertain`: a step whose process died; a person says whether it ran. `retry`:
 * it failed, and begins again when its timer fires. `action`: a named action of the chart.
 */
export interface OpenService {
  kind: 'step' | 'run' | 'uncertain' | 'retry' | 'action';
  /** The invocation's id; of an action, its name. */
  id: string;
  /** The number of its effect. The run of an effect is {@link subRunId}. */
  n: number;
  /** The name in `setup({ actors })`. */
  src: string;
  /** The number of its first attempt: stable over retries, so that idempotency keys are made of it. */
  first: number;
  /** From 1. */
  attempt: number;
  /** Of `run`: whether the run has begun. From then on this run waits for it in no process. */
  linked?: true;
}

/** Whether the run itself has work to do for it, rather than wait for others. */
export function isOwnWork({ kind, linked }: OpenService): boolean {
  return kind === 'step' || kind === 'action' || (kind === 'run' && !linked);
}

/** The context of a workflow's run. All keys are always there. */
export interface FlowContext {
  /** The chart's own context. Null while the run is queued. */
  user: JsonValue;
  /** What the run was started with, while it is queued. */
  input: JsonValue;
  /** Effects created so far; the next one's number is this plus one. */
  count: number;
  open: readonly OpenService[];
  /** Events that the chart raises later, by the id of their timer; those of `after` are not among them. */
  delayed: Readonly<Record<string, JsonObject & { type: string }>>;
  /** The ids of remembered states, by the id of their history state. */
  history: Readonly<Record<string, readonly string[]>>;
  /** What its services have spent so far. */
  spent: { tokens: number; costUsd: number };
  /** The sources of untrusted text in what its services gave it. */
  tainted: readonly StoredTaint[];
  /** The end that the chart has reached. The run itself ends when its last named actions are done. */
  end: FlowOutput | null;
}

/**
 * What each run of a workflow was created with. Its services run for its `principal`. What it shares with an agent's run means the same;
 * of a child, `tainted` are the sources of untrusted text in its input.
 */
export interface WorkflowRunOptions
  extends Pick<
    RunOptions,
    | 'byAdmin'
    | 'principal'
    | 'by'
    | 'requestDigest'
    | 'forkedFrom'
    | 'linked'
    | 'parentRunId'
    | 'parentCall'
    | 'depth'
    | 'tainted'
  > {
  machine: string;
  /** Hash of the chart's structure: a parked run does not go on with an edited chart of the same version. */
  chart: string;
  /** What its runs may do at most. */
  limits: FlowLimits;
  /** Name of the shared budget that pays for its services; null for none. */
  budget: string | null;
  /** Of a fork: its last transition of the original. What people approved up to then was for the original. */
  forkedAt?: number;
}

/** Null: no limit. */
export interface FlowLimits {
  tokens: number | null;
  costUsd: number | null;
}

/** How a workflow ended. `output` is the chart's own. */
export interface FlowOutput {
  outcome: 'done' | 'failed' | 'cancelled';
  output?: JsonValue;
  error: FlowError | null;
}

export interface FlowError {
  code: string;
  message: string;
  /** Further fields of the error of a service, for the chart that waits for it. */
  fields?: JsonObject;
  /** Instead of `fields`: the thrown value, if a service threw something that is no error, in a list; an empty list for `undefined`. */
  thrown?: readonly JsonValue[];
}

export function flowContextOf({ context }: Pick<RunRow, 'context'>): FlowContext {
  return JSON.parse(context) as FlowContext;
}

export function workflowOptionsOf({ options }: Pick<RunRow, 'options'>): WorkflowRunOptions {
  return JSON.parse(options) as WorkflowRunOptions;
}

/** Null before the run has ended. */
export function flowOutputOf({ output }: Pick<RunRow, 'output'>): FlowOutput | null {
  return output === null ? null : (JSON.parse(output) as FlowOutput);
}

/** A reach as statements take it: the kinds of runs as JSON, where a kind without a name stands for all; null for no limit. */
export function kindsOf(reach: Reach | undefined): string | null {
  if (reach === undefined) return null;
  const { agents = [''], workflows = [''] } = reach;
  return JSON.stringify([...agents.map((name) => `agent:${name}`), ...workflows.map(workflowMachine)]);
}
