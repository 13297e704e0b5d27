import type * as z from 'zod/mini';
import type { RunOutcome } from '../../machines/run.types.ts';
import type * as answers from './methods/answers/run.ts';
import type { runStatuses } from './run-statuses.ts';
import type { answer, fieldValue, question, questionField, runError, todoItem } from './run-values.ts';

/** How the run of a workflow ended. */
type WorkflowOutcome = 'done' | 'failed' | 'cancelled';

/** How a run ended: of an agent, or of a workflow. */
export type AnyOutcome = RunOutcome | WorkflowOutcome;

export type RunStatus = (typeof runStatuses)[number];

export type RunError = z.output<typeof runError>;

export interface CallView extends z.output<typeof answers.call> {}

/** A run that another run's call of `task` started. */
export interface SubRunView extends z.output<typeof answers.subRun> {}

/** A line of the list that an agent keeps of its own work. */
export type TodoItem = z.output<typeof todoItem>;

/** One model answer. */
export interface StepView extends z.output<typeof answers.step> {}

/** A model that failed, and the next one of the run's list, which was called instead. */
export interface SwitchView extends z.output<typeof answers.modelSwitch> {}

/** A broken-off answer whose call was made again. Its words are in no prompt, and its tool calls never ran. */
export interface WithdrawnView extends z.output<typeof answers.withdrawn> {}

/** What a model or a tool asks the user. */
export type QuestionView = z.output<typeof question>;

/** One entry of a form. */
export type QuestionField = z.output<typeof questionField>;

export type FieldValue = z.output<typeof fieldValue>;

/** An answer: words, options that were chosen, or the values of a form. */
export type Answer = z.output<typeof answer>;

/** What a run waits for: an open question to a person, or, of kind `client`, the result of a call that its caller performs. */
export interface PendingView extends z.output<typeof answers.pending> {}

/** A result that brought untrusted text into the conversation. */
export interface TaintView extends z.output<typeof answers.taint> {}

/** A skill that a run follows, and why. */
export interface FollowedSkillView extends z.output<typeof answers.followedSkill> {}

/** The skills of a run. */
export interface SkillsView extends z.output<typeof answers.skills> {}

/** `Output`: the type of the run's output schema. */
export interface RunView<Output = unknown> extends Omit<z.output<typeof answers.run>, 'output'> {
  /** The JSON of the last answer, if the run has an output schema and completed; left out otherwise. */
  output?: Output;
}
