import type * as z from 'zod/mini';
import type { RunOutcome } from '../../machines/run.types.ts';
import type { runStatuses } from './enums.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type * as chartAnswers from './methods/answers/chart.ts';
import type * as jobAnswers from './methods/answers/job.ts';
import type * as runAnswers from './methods/answers/run.ts';
import type {
  answer,
  fieldValue,
  question,
  questionField,
  runError,
  todoItem,
} from './methods/answers/run-values.ts';
import type * as traceAnswers from './methods/answers/trace.ts';

export {
  fill,
  hasValues,
  type Sentence,
  type SentenceValue,
  type Wording,
  withValues,
} from './sentences/fill.ts';
export {
  budgetErrorText,
  errorReasonOf,
  errorWords,
  loopErrors,
  modelErrorText,
} from './sentences/model-error.ts';
export { offReasonOf, offText, sandboxProblem } from './sentences/off-reason.ts';
export {
  reasonForClients,
  reasonOf,
  reasonTemplates,
  reasonText,
  saidReason,
  textForClients,
} from './sentences/policy-reason.ts';
export { skillProblem } from './sentences/skill-problem.ts';

/** How the run of a workflow ended. */
type WorkflowOutcome = 'done' | 'failed' | 'cancelled';

/** How a run ended: of an agent, or of a workflow. */
export type AnyOutcome = RunOutcome | WorkflowOutcome;

export type RunStatus = (typeof runStatuses)[number];

export type RunError = z.output<typeof runError>;

export interface CallView extends z.output<typeof runAnswers.call> {}

/** A run that another run's call of `task` started. */
export interface SubRunView extends z.output<typeof runAnswers.subRun> {}

/** A line of the list that an agent keeps of its own work. */
export type TodoItem = z.output<typeof todoItem>;

/** One model answer. */
export interface StepView extends z.output<typeof runAnswers.step> {}

/** A model that failed, and the next one of the run's list, which was called instead. */
export interface SwitchView extends z.output<typeof runAnswers.modelSwitch> {}

/** A broken-off answer whose call was made again. Its words are in no prompt, and its tool calls never ran. */
export interface WithdrawnView extends z.output<typeof runAnswers.withdrawn> {}

/** What a model or a tool asks the user. */
export type QuestionView = z.output<typeof question>;

/** One entry of a form. */
export type QuestionField = z.output<typeof questionField>;

export type FieldValue = z.output<typeof fieldValue>;

/** An answer: words, options that were chosen, or the values of a form. */
export type Answer = z.output<typeof answer>;

/** What a run waits for: an open question to a person, or, of kind `client`, the result of a call that its caller performs. */
export interface PendingView extends z.output<typeof runAnswers.pending> {}

/** A result that brought untrusted text into the conversation. */
export interface TaintView extends z.output<typeof runAnswers.taint> {}

/** A skill that a run follows, and why. */
export interface FollowedSkillView extends z.output<typeof runAnswers.followedSkill> {}

/** The skills of a run. */
export interface SkillsView extends z.output<typeof runAnswers.skills> {}

/** `Output`: the type of the run's output schema. */
export interface RunView<Output = unknown> extends Omit<z.output<typeof runAnswers.run>, 'output'> {
  /** The JSON of the last answer, if the run has an output schema and completed; left out otherwise. */
  output?: Output;
}

/**
 * The run of a workflow. It has no messages and no steps; what it asks a person, and what the runs ask that it waits for, is in
 * `pending`.
 */
export interface WorkflowRunView<Output = unknown> extends RunView<Output> {
  workflow: WorkflowView;
}

/** Whether a run is that of a workflow. */
export function isWorkflowView(view: RunView): view is WorkflowRunView {
  return 'workflow' in view;
}

/** What the run of a workflow has that no run of an agent has. */
export interface WorkflowView extends z.output<typeof runAnswers.flow> {}

/** An invocation or a named action of a chart. */
export interface ServiceView extends z.output<typeof runAnswers.service> {}

export interface FlowTimerView extends z.output<typeof runAnswers.flowTimer> {}

/** The values of a context that a transition changed, by key: before and after. */
export type ContextChanges = z.output<typeof traceAnswers.contextChanges>;

/** Who or what brought an event. */
export type TransitionCause = z.output<typeof traceAnswers.cause>;

/** A way through the chart. Many transitions of a long run go the same few ways. */
export interface TracedWay extends z.output<typeof traceAnswers.way> {}

/** One transition of a run, as its machine made it. */
export interface TracedTransition extends z.output<typeof traceAnswers.transition> {}

export type TraceLane = TracedSpan['lane'];

/** A time in which an effect was at work, or the run waited for a person about a call. */
export interface TracedSpan extends z.output<typeof traceAnswers.span> {}

/** A run as its machine moved it: the log, folded once. */
export interface RunTrace extends z.output<typeof traceAnswers.trace> {}

/** The context after a transition, from the one before it. */
export function applyChanges(context: JsonObject, changes: ContextChanges): JsonObject {
  const next = new Map(Object.entries(context));
  for (const [path, [, after]] of Object.entries(changes)) {
    const [key, inner] = keysOf(path);
    if (inner !== undefined) next.set(key, withValue(next.get(key) as JsonObject, inner, after ?? null));
    else if (after === undefined) next.delete(key);
    else next.set(key, after);
  }
  return Object.fromEntries(next);
}

/** The entry of a value in {@link ContextChanges}: of a key of the context, or of a key within its object. */
export function changeKey(...keys: string[]): string {
  return keys.map((key) => key.replaceAll(/[\\.]/g, '\\$&')).join('.');
}

function keysOf(path: string): [key: string, inner: string | undefined] {
  const [, key = '', inner] = /^((?:[^\\.]|\\.)*)(?:\.(.*))?$/s.exec(path) ?? [];
  return [plain(key), inner === undefined ? undefined : plain(inner)];
}

function plain(key: string): string {
  return key.replaceAll(/\\(.)/gs, '$1');
}

/** Any key becomes one of its own, `__proto__` too. */
function withValue(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return Object.fromEntries(new Map(Object.entries(object)).set(key, value));
}

/** A statechart as plain JSON, for a page to draw. */
export interface MachineDefinition extends z.output<typeof chartAnswers.machineDefinition> {}

export type ChartState = z.output<typeof chartAnswers.chartState>;

export interface ChartTransition extends z.output<typeof chartAnswers.chartTransition> {}

/** All transitions from one state to another. */
export interface ChartEdge extends Pick<LayoutEdge, 'id' | 'from' | 'to' | 'transitions'> {
  /** The first one in words, and how many others there are: `[hasFailed] +10`. */
  label: string;
}

/** Where the states and transitions of a machine are drawn, in pixels from the upper left corner. */
export interface MachineLayout extends z.output<typeof chartAnswers.machineLayout> {}

export interface Box extends Pick<StateBox, 'x' | 'y' | 'width' | 'height'> {}

export interface StateBox extends z.output<typeof chartAnswers.stateBox> {}

/** All transitions between two states, drawn as one line. */
export interface LayoutEdge extends z.output<typeof chartAnswers.layoutEdge> {}

/**
 * What a job does now. `waiting`: its run waits for a person, or for an event of its workflow. `interrupted`: no process drives its run. `overdue`: something
 * of it is due, and no process runs the schedule. `finished`: it has no other time. `failed`: its statechart threw.
 */
export type JobState = JobView['state'];

/** A job, as programs and people see it. Times are milliseconds since the epoch. */
export interface JobView extends z.output<typeof jobAnswers.job> {}

/** A slot of a job: a time at which it ran, or did not. */
export interface FireView extends z.output<typeof jobAnswers.jobSlot> {}

/** `pending`: it is under way, or tried again. `dead`: given up. */
export type DeliveryStatus = DeliveryView['status'];

/** The way of a result to a target. Whether it arrived says nothing about the run. */
export interface DeliveryView extends z.output<typeof jobAnswers.delivery> {}

/** Things of a list, those whose parent at any height is in the list under it. */
export function foldedBelow<T>(
  all: readonly T[],
  idOf: (one: T) => string,
  parentOf: (one: T) => string | undefined,
): { top: T; below: T[] }[] {
  const listed = new Map(all.map((one) => [idOf(one), one]));
  const topOf = (one: T): T => {
    const parent = listed.get(parentOf(one) ?? '');
    return parent === undefined || parent === one ? one : topOf(parent);
  };
  const groups = Map.groupBy(all, topOf);
  return [...groups].map(([top, group]) => ({ top, below: group.filter((one) => one !== top) }));
}
