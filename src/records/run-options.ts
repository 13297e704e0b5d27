import type { RunLimits } from '../../machines/run.types.ts';
import type { Endpoint } from '../ports/chat-model.ts';
import type { FollowedSkill } from '../ports/skill-source.ts';
import type { Principal } from '../ports/tool.ts';
import { limits } from '../protocol/config/limits.ts';
import type { StoredTaint } from './messages.ts';

/** `failover` tries models as they are listed; `roundRobin` begins with the next one each time. */
export type RouteStrategy = 'failover' | 'roundRobin';

/** What a run is performed with: fixed when it is made, kept in its row, unknown to its machine. */
export interface RunOptions {
  machine: 'run';
  /** The named agent that the rest was taken from. Runs of older versions have none. */
  agent?: string;
  /** `provider/model`. */
  model: string;
  /** Models, as `provider/model`, that answer where that one cannot. None when it was named for this run by hand. */
  fallbacks?: string[];
  /** In which order the models are tried: as listed (default), or each call beginning with another one. */
  strategy?: RouteStrategy;
  /** Where the model answers when the run was told so by hand; kept, so that any process can carry the run on. */
  endpoint: Endpoint | null;
  /** Empty for none. */
  system: string;
  /** The tools that this run may use; null = the configured ones. Can only narrow. */
  tools: string[] | null;
  /** The skills that it may use, patterns among them; without it all that are configured. */
  skills?: string[];
  /** Those that it follows from its beginning: one that its prompt named, and those that bound the run it is a part of. */
  follows?: FollowedSkill[];
  approve: 'ask' | 'all' | 'none';
  /** False: answers that are kept from earlier calls are not used, and none is kept. */
  cache?: boolean;
  /** False: whole answers instead of streamed ones. */
  stream?: boolean;
  /** How the conversation is kept within the window. Runs of older versions have none. */
  context?: ContextOptions;
  /** The budget that it shares with other runs, with its limits as they were when the run was made. */
  budget?: RunBudget;
  /** Of a sub-run: the run whose call started it, that call (`c7`), and how many runs are above it. */
  parentRunId?: string;
  parentCall?: string;
  depth?: number;
  /** Of a run that another one started: where untrusted text in that one's conversation came from. */
  tainted?: StoredTaint[];
  /** Absolute path. */
  workspace: string;
  principal: Principal;
}

/** A budget that runs share. Null for no limit, and for a budget that never starts anew. */
export interface RunBudget {
  name: string;
  maxTokens: number | null;
  maxCostUsd: number | null;
  per: 'day' | 'month' | null;
}

/** When a conversation is made smaller, and what stays whole. Shares are of the window without the answer's part. */
export interface ContextOptions {
  /** Share from which on old tool results are shortened. */
  pruneAt?: number;
  /** Share from which on older messages are summarised. */
  compactAt?: number;
  /** Newest tokens whose tool results are never shortened; default: as many as `keepShare` keeps. */
  protectTokens?: number;
  /** Share that the newest messages may keep through a compaction. */
  keepShare?: number;
}

const { fields } = limits;

/** The limits of a run whose configuration says nothing of them. */
export const defaultLimits: RunLimits = Object.freeze({
  steps: fields.maxSteps.default,
  tokens: null,
  costUsd: null,
  workMs: fields.timeoutMs.default,
  errors: fields.maxErrors.default,
  repeats: fields.maxRepeats.default,
  attempts: fields.maxRetries.default + 1,
  parallel: fields.parallelCalls.default,
  queueMs: fields.queueExpiryMs.default,
  confirmMs: fields.confirmExpiryMs.default,
  reconcileMs: fields.reconcileExpiryMs.default,
});

/** What the answers of an imported run name as their model. */
export const importedModel = 'imported/history';
