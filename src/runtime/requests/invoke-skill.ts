import type { SkillSource } from '../../ports/skill-source.ts';
import type { StartRun } from '../../runs/runs.ts';

/**
 * For a prompt that names a skill, `/name words`: appends the text of the skill to the message, and makes the run
 * follow the skill from its beginning. Returns any other run as it is.
 *
 * @param prompt what the person wrote; `start.prompt` may have text files after it.
 * @throws DetentError `SKILL_UNREADABLE`.
 */
export async function withInvokedSkill(
  skills: SkillSource,
  prompt: string,
  start: StartRun,
): Promise<StartRun> {
  if (!prompt.startsWith('/')) return start;
  const invoked = await skills.invoke(prompt, start.options.skills ?? null);
  if (!invoked) return start;
  const { follows = [] } = start.options;
  return {
    ...start,
    prompt: `${start.prompt}\n\n${invoked.text}`,
    said: start.prompt,
    options: { ...start.options, follows: [...follows, invoked.skill] },
  };
}
