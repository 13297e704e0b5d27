import type { RunContext } from '../../machines/run.types.ts';
import type { EffectJob } from '../engine/machine-host.ts';
import type { ToolSpec } from '../ports/chat-model.ts';
import type { HookRecord } from '../ports/hooks.ts';
import type { FollowedSkill, SkillCard, SkillScore } from '../ports/skill-source.ts';
import type { ModelAnswer } from '../protocol/answer.ts';
import type { ContentPart } from '../protocol/parts.ts';
import type { StoredMessage } from '../records/messages.ts';
import type { RunBudget, RunOptions } from '../records/run-options.ts';
import type { UsagePurpose } from '../store/rows.ts';
import type { Block } from './messages/blocks.ts';

/** The types of agent runs, for the engine. */
export interface AgentRun {
  context: RunContext;
  options: RunOptions;
  cache: RunCache;
}

/** One effect of a run, as the engine asks for it. */
export type RunJob = EffectJob<AgentRun>;

/** One effect at work: what is asked for, and what was noted on the way to its fact. */
export interface RunEffect extends RunJob {
  notes: EffectNotes;
}

/** What an effect leaves besides its fact. The run host writes it into the fact's event, and the rows of its commit. */
export interface EffectNotes {
  /** For the ledger: the calls of models that were made. */
  calls: MadeCall[];
  /** The shared budget that those calls are settled in; null for none. */
  budget: RunBudget | null;
  /** What hooks did, so that no replay asks them. */
  hooks: HookRecord[];
  /** The skills that the run was offered: of the first model call alone. */
  skillChoice: SkillChoice | null;
  /** The skill that a tool call has loaded. */
  loadedSkill: FollowedSkill | null;
}

/** @param budget what the effect's model calls are settled in, where it makes any */
export function newNotes(budget: RunBudget | null = null): EffectNotes {
  return { calls: [], budget, hooks: [], skillChoice: null, loadedSkill: null };
}

/** One call of a model, as the ledger keeps it. */
export interface MadeCall {
  purpose: UsagePurpose;
  /** `provider/model` that was called. */
  name: string;
  answer: Pick<ModelAnswer, 'model' | 'usage'> & { error: { code: string } | null };
  /** Null when no price is known. */
  costUsd: number | null;
  /** Whether an answer that was kept stood in for the call. */
  cached: boolean;
}

/** Which skills a run was offered, and how well they fit what it was asked for; it stands in the log. */
export interface SkillChoice {
  /** All that it could use. */
  of: number;
  /** `listed`: each of them; `ranked`: the best of `scores` alone. */
  mode: 'listed' | 'ranked';
  /** Best first; those that fit at all, as many as candidates are shown. */
  scores: readonly SkillScore[];
}

/** What stopped a thing from happening: a hook's word, or a hook that went wrong. */
export interface Stopped {
  code: 'HOOK_VETO' | 'HOOK_FAILED';
  /** Of the hook. */
  name: string;
  reason: string;
}

/**
 * What the effects of one run derive from rows that do not change. The engine keeps it while it holds the run; without it
 * everything is read again, with the same result.
 */
export interface RunCache {
  /** The conversation, as far as it was read. */
  reading: Reading | null;
  /** Images and documents with their bytes, by artifact. */
  parts: Map<string, ContentPart>;
  /** What hooks and the memory add at the start of the run. */
  startTexts: readonly string[] | null;
  skillChoice: SkillChoice | null;
  followed: readonly FollowedSkill[] | null;
  /** What the model is told of a list of skills, and the tool that tells it. */
  skillList: { cards: readonly SkillCard[]; text: string } | null;
  skillTool: { plain: ToolSpec; text: string; spec: ToolSpec } | null;
  /** What hooks said of the compaction under way. They are asked again after a crash. */
  compaction: { stopped: Stopped | null } | null;
}

export function newRunCache(): RunCache {
  return {
    reading: null,
    parts: new Map(),
    startTexts: null,
    skillChoice: null,
    followed: null,
    skillList: null,
    skillTool: null,
    compaction: null,
  };
}

/** The messages of a conversation that were read, and the blocks made of them. */
export interface Reading {
  /** Where the prompt began then. */
  head: { run: number; seq: number };
  messages: readonly StoredMessage[];
  blocks: Map<StoredMessage, Block>;
  /** The last transition whose messages are in. */
  upTo: number;
}
