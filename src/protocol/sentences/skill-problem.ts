import { type Sentence, withValues } from './fill.ts';
import { readBack } from './read-back.ts';

/** Why a file or a folder holds no skill that can be used, and what is wrong with the form of one that can. */
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

  // Warnings.
  skill_needs_quotes: 'the frontmatter is not valid YAML: a text needs quotes',
  skill_unnamed: "the name is missing; the folder's, {folder}, stands for it",
  skill_name_too_long: 'the name {name} has {count} characters, at most {max}',
  skill_name_begins: 'the name {name} begins with a hyphen',
  skill_name_ends: 'the name {name} ends with a hyphen',
  skill_name_hyphens: 'the name {name} has two hyphens in a row',
  skill_name_letters: 'the name {name} has other characters than lower-case letters, digits and hyphens',
  skill_name_of_other: 'the name {name} is not that of its folder, {folder}',
  skill_field_too_long: '{field} is too long: {count} characters, at most {max}',
  skill_field_no_text: '{field} is not a text',
  skill_field_no_list: '{field} is neither a text nor a list of texts',
  skill_field_entry: '{field} has an entry that is not a name, or a name with a pattern in parentheses',
  skill_field_no_switch: '{field} is neither true nor false, so the stricter of both counts',
  skill_confirm_unreadable: 'confirm-before cannot be read, so every call asks',
  skill_metadata_no_map: 'metadata is not a map',
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
  { max: '\\d+', count: '\\d+', field: '[\\w-]+' },
  (_, value) => value,
);
