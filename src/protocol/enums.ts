import { invalidConfig } from './error.ts';
import { isObject } from './json.ts';
/**
 * The allowed values of fields that requests, rows and answers share. Each list stands here alone: types, schemas, checks and
 * options of the command line are made of it. Those that a statechart decides by stand beside the charts. After
 * them: the defaults of fields, and what the values of limits may be. Free of libraries, so that a start loads no schema.
 */

/** What happens with calls that need a person: they are asked about, all run, or none does. */
export const approvals = ['ask', 'all', 'none'] as const;
export type Approve = (typeof approvals)[number];

/** Who decides on a call that asks: the user of its run, or someone else who may approve. */
export const deciders = ['user', 'staff'] as const;
export type Decider = (typeof deciders)[number];

/** What users read beside words of the staff: no name, or that of the token. */
export const staffNames = ['hidden', 'token'] as const;

/** Whether someone of the staff speaks in a session already, or is awaited. */
export const takeoverStates = ['waiting', 'taken'] as const;

/** What a user says of an answer. */
export const thumbs = ['up', 'down'] as const;

/** Events of a workflow with such names are those of Detent and XState. */
export const reservedPrefixes = [
  'xstate.',
  'service.',
  'action.',
  'flow.',
  'effect.',
  'run.',
  'tool.',
  'ask.',
  '(',
];

/** Whether only Detent or XState sends events of this type. A chart may take `run.cancel`, to compensate. */
export function isReserved(type: string): boolean {
  return reservedPrefixes.some((prefix) => type.startsWith(prefix));
}

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

/** What an installation of an app may be called. */
export const installationName = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

/** How long a claim of a call may hold, in milliseconds. */
export const longestHoldMs = 86_400_000;

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

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The defaults that runs read, by field. */
export const defaults = {
  system:
    'You are a helpful assistant. Use the tools you are given when they help; answer in the language of the user.',
  router: { breaker: { failures: 5, openMs: 30_000 }, clients: 32 },
  policy: { approve: 'ask', taint: 'confirm' },
  mcp: { timeoutMs: 120_000, connectTimeoutMs: 15_000 },
  embeddings: { api: 'openai', timeoutMs: 10_000, pooling: 'mean', dtype: 'fp32', download: false },
  limits: {
    maxSteps: 50,
    maxRetries: 3,
    timeoutMs: 30 * minuteMs,
    maxPromptBytes: 1_000_000,
    maxErrors: 3,
    maxRepeats: 3,
    parallelCalls: 4,
    confirmExpiryMs: 7 * dayMs,
    reconcileExpiryMs: 7 * dayMs,
    queueExpiryMs: dayMs,
  },
  context: { pruneAt: 0.6, compactAt: 0.8, keepShare: 0.25 },
  database: { file: '.detent/detent.db', synchronous: 'FULL', groupCommit: true },
  budgetSentence: 'You have reached the limit of this service for now. Please come back later.',
  takeover: { expiresMs: 3 * dayMs, names: 'hidden' },
  hookTimeoutMs: 5_000,
  log: { level: 'silent' },
} as const;

/** The limits of a run and what their values are. */
export const limitKinds = {
  maxSteps: 'count',
  maxTokens: 'count',
  maxCostUsd: 'positive',
  maxRetries: 'countOrNone',
  timeoutMs: 'positive',
  maxPromptBytes: 'count',
  maxErrors: 'count',
  maxRepeats: 'count',
  parallelCalls: 'count',
  confirmExpiryMs: 'positive',
  reconcileExpiryMs: 'positive',
  queueExpiryMs: 'positive',
} as const;

type LimitKind = (typeof limitKinds)[keyof typeof limitKinds];

const kinds: Readonly<Record<LimitKind, { accepts(value: number): boolean; words: string }>> = {
  count: { accepts: (value) => Number.isSafeInteger(value) && value > 0, words: 'a whole number from 1' },
  countOrNone: {
    accepts: (value) => Number.isSafeInteger(value) && value >= 0,
    words: 'a whole number from 0',
  },
  positive: { accepts: (value) => Number.isFinite(value) && value > 0, words: 'a number above 0' },
};

/**
 * Checks limits before anything is loaded. The check of the whole configuration follows with the first use.
 *
 * @throws DetentError `INVALID_CONFIG`, naming every bad limit.
 */
export function checkLimits(limits: unknown, where: string): void {
  if (limits === undefined) return;
  const problems = isObject(limits) ? problemsOf(limits) : ['limits: expected an object'];
  if (problems.length === 0) return;
  throw invalidConfig(where, problems);
}

function problemsOf(limits: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(limits).flatMap(([name, value]) => {
    if (!Object.hasOwn(limitKinds, name)) return [`limits.${name}: there is no such field`];
    const { accepts, words } = kinds[limitKinds[name as keyof typeof limitKinds]];
    if (value === undefined || (typeof value === 'number' && accepts(value))) return [];
    return [`limits.${name}: expected ${words}`];
  });
}

/** Where the demo shop is, relative to the workspace: beside the database. `detent shop import` fills it. */
export const defaultShopFile = '.detent/shop.db';
