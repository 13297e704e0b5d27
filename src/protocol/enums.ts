/**
 * The allowed values of fields that requests, rows and answers share. Each list stands here alone: types, schemas, checks and
 * options of the command line are made of it. Those that a statechart decides by stand beside the charts, statuses of runs in `run-statuses.ts`.
 */

/** What happens with calls that need a person: they are asked about, all run, or none does. */
export const approvals = ['ask', 'all', 'none'] as const;
export type Approve = (typeof approvals)[number];

/** What to do with a message for a busy session: queue it, send it to the active run, or cancel that run first. */
export const runModes = ['queue', 'steer', 'interrupt'] as const;
export type RunMode = (typeof runModes)[number];

/** The wire that a provider speaks: OpenAI chat completions, OpenAI Responses, Anthropic messages. */
export const modelApis = ['chat', 'responses', 'messages'] as const;
export type ModelApi = (typeof modelApis)[number];

/** How many tools of its caller a model may call in one answer. */
export const clientCallCounts = ['one', 'many'] as const;

/** What is asked about a call: an approval, an answer, what became of it, or its result of the client. */
export const questionKinds = ['confirm', 'question', 'reconcile', 'client'] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** Where a skill was found: with Detent, in the user's own folder, in the workspace, or in a folder of the configuration. */
export const skillPlaces = ['bundled', 'home', 'project', 'configured'] as const;
export type SkillPlace = (typeof skillPlaces)[number];

/** What the costs of model calls are added up by. */
export const usageGroups = ['day', 'model', 'session', 'user', 'run', 'purpose'] as const;

/** How long a budget lasts that is renewed. */
export const budgetPeriods = ['day', 'month'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/**
 * What a run that has not ended is doing, read off its rows: `waiting` needs a person, `decided` was decided on, or got a
 * message, while no process drove it, and waits for `resume`, `interrupted` has begun work and no driver, `queued` waits for an
 * earlier run of its session, `unstarted` is a fork that nobody has resumed: no time passes for it.
 */
export const unfinishedStatuses = [
  'queued',
  'unstarted',
  'running',
  'waiting',
  'decided',
  'interrupted',
] as const;

export const runStatuses = [...unfinishedStatuses, 'done', 'failed', 'cancelled'] as const;

/** How a run ended: of an agent, or of a workflow. */
export const outcomes = [
  ...(['completed', 'completed_degraded', 'done', 'failed', 'cancelled'] as const),
  ...(['max_steps', 'budget_exhausted', 'deadline', 'loop_detected', 'refused', 'content_filtered'] as const),
  ...(['truncated', 'blocked_by_environment', 'blocked_by_policy', 'invalid_output'] as const),
  ...(['provider_error', 'internal_error', 'poisoned'] as const),
] as const;
