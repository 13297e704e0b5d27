import type { SkillSource } from '../../ports/skill-source.ts';
import type { StartRun } from '../../runs/runs.ts';

/**
 * A run whose prompt names a skill, `/name words`: its message has the text of the skill behind it, and the run follows the
 * skill from its beginning. Any other run stays as it is.
 *
 * @param prompt what the person wrote; `start.prompt` may have text files behind it.
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
