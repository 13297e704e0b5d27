import { endOfSkill, skillHeading } from '../ports/skill-marks.ts';
import type { FollowedSkill, SkillRule } from '../ports/skill-source.ts';

/** A skill with its text. */
export interface LoadedSkill {
  skill: FollowedSkill;
  /** Without the frontmatter. */
  body: string;
  /** Its folder, as a path for a shell in the workspace. */
  folder: string;
  /** Its files besides `SKILL.md`; null when there are too many to list. */
  files: readonly string[] | null;
}

/** Replaces every `$ARGUMENTS` by the words, unchanged. */
export function withArguments(body: string, words: string): string {
  return body.split('$ARGUMENTS').join(words);
}

/** The text of a skill for the model. */
export function skillText(
  { skill, body, folder, files }: LoadedSkill,
  { words, isInvoked }: { words: string; isInvoked: boolean },
): string {
  const { name, allowed } = skill;
  const notes = [
    ...(files?.length === 0 ? [] : [`Its folder is ${folder}. ${fileNote(name, files)}`]),
    ...(allowed ? [`While it is followed only these tools can be used: ${rulesInWords(allowed)}.`] : []),
  ];
  return [
    `${skillHeading} ${name}, ${isInvoked ? 'chosen by the user: follow it for this request' : 'follow it for this task'}]`,
    withArguments(body, words).trim(),
    ...(notes.length > 0 ? ['', ...notes] : []),
    `${endOfSkill} ${name}]`,
  ].join('\n');
}

const maxNamed = 40;

function fileNote(name: string, files: readonly string[] | null): string {
  const read = `Read one with the tool skill: ${JSON.stringify({ name, file: files?.[0] ?? 'path/in/the/folder' })}.`;
  if (!files) return `It has many files. ${read}`;
  const more = files.length > maxNamed ? `, and ${files.length - maxNamed} more` : '';
  return `It has the files ${files.slice(0, maxNamed).join(', ')}${more}. ${read}`;
}

/** `shell (git:*), read_file`; "none" for an empty list. */
function rulesInWords(rules: readonly SkillRule[]): string {
  if (rules.length === 0) return 'none';
  return rules.map(ruleInWords).join(', ');
}

/** `shell (git:*)`. */
export function ruleInWords({ tool, pattern }: SkillRule): string {
  return pattern === null ? tool : `${tool} (${pattern})`;
}
