import type { RunContext } from '../../../machines/run.types.ts';
import type { Stopped } from '../../call/hooks.ts';
import type { EffectJob, HostCache } from '../../engine/machine.ts';
import type { ContentPart, ModelAnswer } from '../../protocol/content.ts';
import type { FollowedSkill, HookRecord, SkillCard, SkillScore, ToolSpec } from '../../protocol/ports.ts';
import type { UsagePurpose } from '../../store/rows.ts';
import type { RunBudget, RunOptions } from '../../store/run-options.ts';
import type { StoredMessage, SummaryBody } from '../../store/stored-message.ts';
import type { BlockList } from '../messages/blocks.ts';

/** The types of agent runs, for the engine. */
export interface AgentRun {
  context: RunContext;
  options: RunOptions;
  cache: RunCache;
}

/** One effect of a run, as the engine asks for it. */
export type RunJob = EffectJob<AgentRun>;

/** A running effect: the request, and its notes so far. */
export interface RunEffect extends RunJob {
  notes: EffectNotes;
}

/** What a prompt is built for. */
export type PromptJob = Pick<
  RunEffect,
  'run' | 'options' | 'context' | 'cache' | 'notes' | 'effectId' | 'params'
>;

/** The outputs of an effect besides its fact. The run host writes them into the fact's event and the rows of its commit. */
export interface EffectNotes {
  /** The model calls, for the ledger. */
  calls: MadeCall[];
  /** The shared budget that pays for those calls; null for none. */
  budget: RunBudget | null;
  /** What hooks did, so that a replay need not call them. */
  hooks: HookRecord[];
  /** The skills that the run was offered; only the first model call has them. */
  skillChoice: SkillChoice | null;
  /** The skill that a tool call has loaded. */
  loadedSkill: FollowedSkill | null;
}

/** @param budget the shared budget for the effect's model calls */
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
  /** Whether a cached answer replaced the call. */
  cached: boolean;
}

/** The skills that a run was offered, with their scores for the request; stored in the log. */
export type SkillChoice = {
  /** All skills that the run could use. */
  of: number;
  /** `listed`: the prompt lists all of them; `ranked`: only the best of `scores`. */
  mode: 'listed' | 'ranked';
  /** Best first; those that fit at all, as many as candidates are shown. */
  scores: readonly SkillScore[];
};

/**
 * A cache of values that the effects of one run derive from rows that do not change. The engine keeps it while it drives
 * the run. Without it effects read everything again, with the same result.
 */
export interface RunCache extends HostCache {
  /** The conversation, as far as it was read. */
  reading: Reading | null;
  /** Where its session stands. Only an effect of this run moves that while the run works, and drops it here. */
  place: PromptPlace | null;
  /** Images and documents with their bytes, by artifact. */
  parts: Map<string, ContentPart>;
  /** Texts from hooks and memory at the start of the run. */
  startTexts: readonly string[] | null;
  skillChoice: SkillChoice | null;
  followed: readonly FollowedSkill[] | null;
  /** The text that lists the skills, and the tool with that text. */
  skillList: { cards: readonly SkillCard[]; text: string } | null;
  skillTool: { plain: ToolSpec; text: string; spec: ToolSpec } | null;
  /** The hooks' answer for the current compaction. A crash loses it, and the hooks are called again. */
  compaction: { stopped: Stopped | null } | null;
}

export function newRunCache(): RunCache {
  return {
    reading: null,
    place: null,
    parts: new Map(),
    startTexts: null,
    skillChoice: null,
    followed: null,
    skillList: null,
    skillTool: null,
    compaction: null,
  };
}

/** The number of a run's first effect. */
export const firstEffect = 1;

/** Where the conversation of a prompt begins, and what stands before it. */
export interface PromptPlace {
  head: { run: number; seq: number };
  /** Results of tools up to here are shortened. */
  pruned: { run: number; seq: number };
  summary: SummaryBody | null;
}

/** The messages read so far, and their blocks. */
export interface Reading {
  /** Where the prompt began then. */
  head: { run: number; seq: number };
  messages: readonly StoredMessage[];
  blocks: BlockList;
  /** The last transition whose messages are in. */
  upTo: number;
}
