import type { SkillCard } from './skill-source.ts';

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
