import * as z from 'zod/mini';
import type { RunOutcome } from '../../machines/run.types.ts';
import { limits } from './config/limits.ts';
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

/** Time spans as people write them: `90s`, `15m`, `24h`; a number is milliseconds. */
const span = z.union([z.string().check(z.maxLength(40)), z.number().check(z.nonnegative())]);
const count = z.number().check(z.int(), z.positive(), z.lte(1_000_000));
const word = z.string().check(z.minLength(1), z.maxLength(200));

const target = z.union([
  /** `console`, `file:PATH`, `session:NAME`, or the address of a webhook. */
  z.string().check(z.minLength(1), z.maxLength(2_000)),
  z.strictObject({ kind: z.literal('console') }),
  z.strictObject({ kind: z.literal('file'), path: z.string().check(z.minLength(1), z.maxLength(1_000)) }),
  z.strictObject({ kind: z.literal('session'), session: word }),
  z.strictObject({
    kind: z.literal('webhook'),
    url: z.string().check(z.minLength(1), z.maxLength(2_000)),
    secretEnv: z.optional(word),
  }),
]);
const targets = z.union([target, z.array(target).check(z.maxLength(10))]);

/** The schema of a field, with a sentence for descriptions of interfaces. */
function field<T extends z.ZodMiniType>(schema: T, description: string): z.ZodMiniOptional<T> {
  const optional = z.optional(schema);
  z.globalRegistry.add(optional, { description });
  return optional;
}

/** When a job is due. */
export const scheduleFields = {
  cron: field(
    z.string().check(z.maxLength(500)),
    'A cron expression. A job has one of `cron`, `every` and `at`.',
  ),
  dialect: field(z.string(), 'Of `cron`: `unix`, `quartz` or `robfig`. Default: by its signs.'),
  timeZone: field(z.string().check(z.maxLength(100)), 'Of `cron`, such as `Europe/Berlin`.'),
  every: field(span, 'An interval such as `15m`, or milliseconds.'),
  at: field(
    z.union([z.string().check(z.maxLength(100)), z.number()]),
    'One time, with its offset from UTC; or milliseconds since the epoch.',
  ),
};

/** What is said of a job besides its id. */
const settings = {
  ...scheduleFields,
  prompt: field(
    z.string().check(z.minLength(1), z.maxLength(100_000)),
    'What an agent is asked. A job has a `prompt` or a `workflow`.',
  ),
  workflow: field(word, 'The id of a workflow that each slot starts.'),
  input: field(z.unknown(), 'Of `workflow`; `{{slot}}` in its texts is the time of the slot.'),
  agent: field(z.nullable(word), 'Whose runs they are.'),
  skill: field(z.nullable(word), 'The skill that each run follows.'),
  delivery: field(
    targets,
    'Where results go: `console`, `session:NAME`, `file:PATH`, or the address of a webhook.',
  ),
  misfire: field(z.string(), 'What becomes of missed slots: `skip`, `once` or `all`.'),
  grace: field(span, 'How late a slot may be and still be on time.'),
  window: field(z.nullable(span), 'Missed slots that are older never run.'),
  overlap: field(z.string(), 'A slot during a run: `skip`, `queue` or `cancel-previous`.'),
  jitter: field(span, 'A slot begins up to this much later.'),
  pauseAfter: field(z.nullable(count), 'Failures in a row that pause the job.'),
  alertAfter: field(z.nullable(count), 'Failures in a row that `alert` hears of.'),
  alert: field(targets, 'As `delivery`.'),
  keep: field(count, 'How many of its last slots are kept.'),
  attempts: field(count, 'Attempts at one delivery.'),
  limits: field(z.nullable(limits.schema), 'Limits of each run.'),
  budget: field(z.nullable(word), 'The budget that its runs share.'),
};

/** The fields of a job as people write them; see docs/schedule.md. */
export const jobFields = {
  enabled: field(z.boolean(), 'Default true.'),
  ...settings,
};

/** Those of a change. */
export const jobChangeFields = settings;

/** A job as people write it. */
export const jobInput = z.strictObject({ jobId: z.string(), ...jobFields });

/** Changes of a job. One of `cron`, `every` and `at` replaces the schedule; what is left out stays. */
export const jobChange = z.strictObject(jobChangeFields);

export type JobInput = z.infer<typeof jobInput>;
export type JobChange = z.infer<typeof jobChange>;
/** Where results go, as people write it. */
export type JobTargetInput = z.infer<typeof target>;
/** When a job is due, as people write it. */
export type ScheduleFields = Pick<JobChange, keyof typeof scheduleFields>;
