import type { RunLimits } from '../../machines/run.types.ts';
import { type Approve, type BudgetPeriod, defaults } from '../protocol/enums.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Endpoint, FollowedSkill, HookPoint, ToolSpec } from '../protocol/ports.ts';
import type { Principal } from '../protocol/tool.ts';
import type { QuestionView } from '../protocol/views.ts';
import type { StoredTaint } from './stored-message.ts';

/** What a chart of the user asks a person: to be answered, or to be approved or rejected. */
export type ChartQuestion = { question: QuestionView } | { approval: { text: string } };

/** The tool that asks it. Only the runs of such questions have it. */
export const chartQuestionTool = 'ask';

/** `failover` tries models in the listed order; `roundRobin` begins with the next one each time. */
type RouteStrategy = 'failover' | 'roundRobin';

/** The options of a run: fixed when the run is created, stored in its row, unknown to its machine. */
export interface RunOptions {
  machine: 'run';
  /** The named agent that the rest was taken from. Runs of older versions have none. */
  agent?: string;
  /** `provider/model`. */
  model: string;
  /** True if nothing named the model: it was the first one whose key was set, or the demo. */
  isDefaultModel?: boolean;
  /** Models, as `provider/model`, to try when that one fails. None when the run's request named the model. */
  fallbacks?: string[];
  /** In which order the models are tried: as listed (default), or each call beginning with another one. */
  strategy?: RouteStrategy;
  /** The model's server, if the run's request named one; stored, so that any process can resume the run. */
  endpoint: Endpoint | null;
  /** Digest of the request, if it had a key: a second request with the key must be the same. */
  requestDigest?: string;
  /** The run whose conversation it goes on with, if its request named one. */
  after?: string;
  /** Words of the caller about the run. */
  metadata?: Record<string, string>;
  /** Empty for none. */
  system: string;
  /** The tools that this run may use; null = the configured ones. Can only narrow. */
  tools: string[] | null;
  /** Tools that the caller of the run performs, sorted by name. */
  clientTools?: ToolSpec[];
  /** `one`: an answer may have one call of those tools; more are refused. Default: any number. */
  clientCalls?: 'one';
  /** The one call that the run makes, and nothing else: of a run of a call, and of one of an agent by an earlier version. */
  call?: GivenCall;
  /** The question that its one call, of the tool `ask`, puts to a person. */
  ask?: ChartQuestion;
  /** The parts of the program that made it which it may use. A program that lacks one of these leaves the run alone. */
  needs?: RunNeeds;
  /** The skills that it may use, including patterns; without it all configured ones. */
  skills?: string[];
  /** The skills that it follows from its beginning: one that its prompt named, and those of its parent. */
  follows?: FollowedSkill[];
  approve: Approve;
  /** Set when the run's own request said `all`, and not only the configuration: that covers guarded files, too. */
  approveGiven?: true;
  /** An administrator chose its model, instructions, limits or budget, and no one else may fork it. */
  byAdmin?: true;
  /** The JSON Schema that the last answer must fit. */
  output?: JsonObject;
  /** False: no answer cache, neither read nor written. */
  cache?: boolean;
  /** False: whole answers instead of streamed ones. */
  stream?: boolean;
  /** When and how to prune and compact. Runs of older versions have none. */
  context?: ContextOptions;
  /** The budget that it shares with other runs, with the limits at the run's creation. */
  budget?: RunBudget;
  /** Of a fork: its original, and the last transition that it kept of that. */
  forkedFrom?: { runId: string; seq: number };
  /** Of a sub-run: the run whose call started it, that call (`c7`), and how many runs are above it. */
  parentRunId?: string;
  parentCall?: string;
  depth?: number;
  /** Of a sub-run that no call waits for: its last commit tells its parent of its end. */
  linked?: true;
  /** Of a sub-run: the sources of untrusted text in its parent's conversation. */
  tainted?: StoredTaint[];
  /** The workspace in which the run was begun, absolute. For exports: a run works in the workspace that is open. */
  workspace: string;
  /** Where it has used files, commands or memory of a workspace: it goes on only there. Written with the first such call. */
  place?: RunPlace;
  principal: Principal;
  /** The people and tokens that asked for it besides its user; of a fork, also the one that made it. */
  by?: string[];
}

/** A workspace among those of several machines. */
export interface RunPlace {
  /** Of the workspace: the same on each machine that has it as a shared volume. */
  id: string;
  /** For people. */
  machine: string;
  folder: string;
}

/** The options of a run of one call: it has no model and no prompt, and an agent if a program asked for the call. */
export interface CallOptions
  extends Pick<RunOptions, 'agent' | 'requestDigest' | 'ask' | 'needs' | 'approve' | 'approveGiven'>,
    Pick<RunOptions, 'byAdmin' | 'budget'>,
    Pick<RunOptions, 'forkedFrom' | 'parentRunId' | 'parentCall' | 'depth' | 'linked' | 'tainted'>,
    Pick<RunOptions, 'workspace' | 'place' | 'principal' | 'by'> {
  machine: 'call';
  call: GivenCall;
  /** The tool of that call, alone. */
  tools: string[];
}

/** A call that no model asks for. Known secrets are taken out of its arguments before they are stored. */
export interface GivenCall {
  /** Of the tool. */
  name: string;
  /** JSON. */
  arguments: string;
  /** A fork makes it again: it asks a person before it acts. */
  again?: true;
  /** The idempotency key that the tool gets instead of one made of the run's id: later attempts share it. */
  idempotencyKey?: string;
}

/** Tools that a program defines, names of MCP servers, and points at which it has hooks. */
export interface RunNeeds {
  tools?: string[];
  servers?: string[];
  hooks?: HookPoint[];
}

/** A budget that runs share. Null: no limit, or no period. */
export interface RunBudget {
  name: string;
  maxTokens: number | null;
  maxCostUsd: number | null;
  per: BudgetPeriod | null;
  /** `user`: each user has an account of its own with these limits. */
  each?: 'user';
  /** Of such a budget: the limits of all users together, and what one who is over them reads. */
  all?: { maxTokens: number | null; maxCostUsd: number | null };
  /** In one language, or by the tag of each. */
  sentence?: string | Readonly<Record<string, string>>;
}

/**
 * The name of a user's account of a budget that counts for each user. Names of budgets have no colon, so no two accounts share
 * one. Whoever is no user shares one account.
 */
export function accountOf(budget: string, userId: string | null): string {
  return `${budget}:${userId ?? ''}`;
}

/** When a conversation is pruned and compacted, and what stays whole. Shares are of the window minus the answer's reserve. */
export interface ContextOptions {
  /** Share from which pruning shortens old tool results. */
  pruneAt?: number;
  /** Share from which compaction summarises older messages. */
  compactAt?: number;
  /** Newest tokens whose tool results are never shortened; default: as many as `keepShare` keeps. */
  protectTokens?: number;
  /** Share that the newest messages may keep through a compaction. */
  keepShare?: number;
}

/** The default limits of a run. */
export const defaultLimits: RunLimits = Object.freeze({
  steps: defaults.limits.maxSteps,
  tokens: null,
  costUsd: null,
  workMs: defaults.limits.timeoutMs,
  errors: defaults.limits.maxErrors,
  repeats: defaults.limits.maxRepeats,
  attempts: defaults.limits.maxRetries + 1,
  parallel: defaults.limits.parallelCalls,
  queueMs: defaults.limits.queueExpiryMs,
  confirmMs: defaults.limits.confirmExpiryMs,
  reconcileMs: defaults.limits.reconcileExpiryMs,
});

/**
 * Whether a program asked for the call of a run, as an agent of its: it stands in a session like any run. The calls of workflows have no
 * agent; those that runs of agents made for earlier versions have a model, too.
 */
export function isCallOfProgram({
  call,
  agent,
  model,
}: Partial<Pick<RunOptions, 'call' | 'agent' | 'model'>>): boolean {
  return call !== undefined && agent !== undefined && model === undefined;
}

/** The name that a run of one given call shows in place of a model. No model can have it. */
export function givenCallModel(tool: string, by: 'workflow' | 'tool' = 'workflow'): string {
  return `${by}/${tool}`;
}

export function isGivenCallModel(model: string): boolean {
  return /^(?:workflow|tool)\//.test(model);
}

/** The model of a run, as lists and forks show it. */
export function shownModel(options: Pick<RunOptions, 'call' | 'agent' | 'model'>): string {
  const { call, model } = options;
  return call ? givenCallModel(call.name, isCallOfProgram(options) ? 'tool' : 'workflow') : model;
}
