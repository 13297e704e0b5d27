/** Calls that a skill names: those of a tool (`*` in its name stands for anything), or those that fit a pattern of it. */
export interface SkillRule {
  tool: string;
  /** `git:*` of `Bash(git:*)`; null for every call. */
  pattern: string | null;
}

/** Where a skill was found: with Detent, in the user's own folder, in the workspace, or in a folder of the configuration. */
export type SkillPlace = 'bundled' | 'home' | 'project' | 'configured';

/** What a model is shown of a skill before it is used. */
export interface SkillCard {
  name: string;
  /** One line. */
  description: string;
  /** Further words that it is looked for by; not shown. */
  keywords?: string;
}

/** A skill as a run follows it: what it was when its text was given to the model. */
export interface FollowedSkill {
  name: string;
  from: SkillPlace;
  /** Of all files of the skill, SHA-256 in hex; null when they are too many to be hashed. */
  hash: string | null;
  /** Whether it may relax what is asked about: it came with Detent, or somebody has approved this very hash. */
  isTrusted: boolean;
  /** The only calls that the run may make from then on; null when the skill does not say. */
  allowed: readonly SkillRule[] | null;
  /** The calls that are asked about, and of those that `allowed` names no others; null when the skill does not say. */
  confirm: readonly SkillRule[] | null;
}

/** How well a skill fits what a person has asked for. */
export interface SkillScore {
  name: string;
  /** Above 0 and at most 1: the share of what was asked for that it has. */
  score: number;
}

/** A skill that a person has named: `/name words`. */
export interface InvokedSkill {
  skill: FollowedSkill;
  /** Its text, with the words in the place of `$ARGUMENTS`, as a message shows it. */
  text: string;
}

/** The skills of an agent. */
export interface SkillSource {
  /** Brings what is known of them up to date. Never rejects: bad skills are reported, and are not there. */
  ready(): Promise<void>;
  /**
   * Those that a model may choose, sorted by name.
   *
   * @param allowed names, `*` in them standing for anything; null = all that are configured.
   */
  cards(allowed: readonly string[] | null): readonly SkillCard[];
  /** Those of them that fit the input, best first. */
  rank(input: string, cards: readonly SkillCard[]): readonly SkillScore[];
  /** The skill that a prompt names by `/name words`; null when it names none that this run may use. */
  invoke(prompt: string, allowed: readonly string[] | null): Promise<InvokedSkill | null>;
  /** Whether a skill that was trusted still is, with all of its files as they were. */
  isTrusted(skill: Pick<FollowedSkill, 'name' | 'hash'>): Promise<boolean>;
}

/** Of the tool that loads skills. */
export const skillToolName = 'skill';
/** The argument of it that looks for one; of use only where not all of them are shown. */
export const findArgument = 'find';

export const maxCandidates = 8;
