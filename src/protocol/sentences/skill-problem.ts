import { type Sentence, withValues } from './fill.ts';
import { readBack } from './read-back.ts';

/** Why a file or a folder holds no skill that can be used. */
export const skillProblems = {
  skill_leads_out:
    'a link leads out of the workspace; if it is meant to, name its folder in skills.folders of the configuration',
  skill_folders: 'more than {max} folders; the rest was left out',
  skill_misnamed: 'it is called "{name}"; a skill is only found in "SKILL.md"',
  skill_unreadable: 'it cannot be read: {said}',
  skill_not_seen: 'it cannot be looked at: {said}',
  skill_not_listed: 'it cannot be listed: {said}',
  skill_not_described: 'the description is missing: say what the skill does, and when to use it',
  skill_description_not_text: 'the description is not a text',
  skill_too_large: 'the frontmatter cannot be read: {said}',
  skill_no_frontmatter: 'no frontmatter: it does not begin with "---"',
  skill_open_frontmatter: 'no frontmatter: the "---" of its first line has no second below it',
  skill_no_yaml: 'the frontmatter cannot be read as YAML: {said}',
} as const;

/** Such a reason in English. @param params the values that it names */
export function skillProblem(
  code: keyof typeof skillProblems,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return withValues(skillProblems[code], params);
}

/** Which reason a text gives; null for other words. */
export const skillProblemOf: (text: string) => Sentence | null = /* @__PURE__ */ readBack(
  () => skillProblems,
  { max: '\\d+' },
  (_, value) => value,
);
