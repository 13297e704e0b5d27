import type { SkillPlace } from '../enums.ts';

/** Calls that a skill names: all calls of a tool (`*` in its name matches anything), or those that match a pattern. */
export type SkillRule = {
  tool: string;
  /** `git:*` of `Bash(git:*)`; null for every call. */
  pattern: string | null;
};

/** The listing of a skill, before the model loads it. */
export interface SkillCard {
  name: string;
  /** One line. */
  description: string;
  /** Further search words; not shown. */
  keywords?: string;
}

/** A skill that a run follows, in the version that the model got. */
export type FollowedSkill = {
  name: string;
  from: SkillPlace;
  /** SHA-256 of all files of the skill, in hex; null when there are too many to hash. */
  hash: string | null;
  /** Whether it may skip confirmations: it came with Detent, or a person has approved exactly this hash. */
  isTrusted: boolean;
  /** The only calls that the run may make from then on; null when the skill does not say. */
  allowed: readonly SkillRule[] | null;
  /** The calls that need a person; other calls in `allowed` do not. Null when the skill does not say. */
  confirm: readonly SkillRule[] | null;
};

/** How well a skill fits a request. */
export interface SkillScore {
  name: string;
  /** Above 0 and at most 1: the share of the request that the skill covers. */
  score: number;
}

/** A skill that a person has named: `/name words`. */
export interface InvokedSkill {
  skill: FollowedSkill;
  /** Its text for a message, with the words in place of `$ARGUMENTS`. */
  text: string;
}

/** The skills of an agent. */
export interface SkillSource {
  /** Refreshes the library. Never rejects: it reports invalid skills and leaves them out. */
  ready(): Promise<void>;
  /**
   * Those that a model may choose, sorted by name.
   *
   * @param allowed names, in which `*` matches anything; null = all configured skills.
   */
  cards(allowed: readonly string[] | null): readonly SkillCard[];
  /** Those of them that fit the input, best first. */
  rank(input: string, cards: readonly SkillCard[]): readonly SkillScore[];
  /** The skill that a prompt names by `/name words`; null when it names none that this run may use. */
  invoke(prompt: string, allowed: readonly string[] | null): Promise<InvokedSkill | null>;
  /** Whether a trusted skill is still trusted, with all of its files unchanged. */
  isTrusted(skill: Pick<FollowedSkill, 'name' | 'hash'>): Promise<boolean>;
}

/** Name of the tool that loads skills. */
export const skillToolName = 'skill';
/** Its search argument; only useful when the list is not complete. */
export const findArgument = 'find';

export const maxCandidates = 8;

/** A name of the configuration that no skill has. */
export interface UnknownSkill {
  field: 'skills.allowed' | 'skills.disabled';
  name: string;
  /** The name that was probably meant; null when none is close. */
  nearest: string | null;
}

/** The beginning and end of a skill's text, in a user message and in the result of the `skill` tool. */
export const skillHeading = '[Skill';
export const endOfSkill = '[End of skill';

/** A message without the skill text that follows the user's words. */
export function beforeSkill(text: string): string {
  const at = text.indexOf(`\n\n${skillHeading} `);
  return at >= 0 && text.includes(`\n${endOfSkill} `) ? text.slice(0, at) : text;
}

/** The words of a message that named a skill, `/name words`, without that name. */
export function withoutSkill(text: string): string {
  const words = beforeSkill(text);
  return words === text ? text : words.replace(/^\/\S+\s*/, '');
}

/** The beginning of the list of skills that may fit a request. */
export const candidatesHeading =
  '[Skills that may fit the next request, best first; load one with the tool skill, or none]';

/** A skill in a list. */
export function cardLine({ name, description }: SkillCard): string {
  return `- ${name}: ${description}`;
}
