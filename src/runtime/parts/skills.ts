import { SkillLibrary } from '../../skills/library.ts';
import { createSkillScorer } from '../../skills/scorer.ts';
import { toolMatcher } from '../../tools/registry/name-patterns.ts';
import type { DetentOptions } from '../config/options.ts';

/** The skills of a configuration. No folder is read before the first use. */
export function openSkills(
  { skills = {}, env = process.env, readonly }: DetentOptions,
  workspace: string,
): SkillLibrary {
  return new SkillLibrary({
    ...skills,
    workspace,
    env,
    allowed: skills.allowed ?? null,
    matcher: toolMatcher,
    scorer: createSkillScorer(),
    isWatching: !readonly,
  });
}
