import { posix } from 'node:path';
import * as z from 'zod';
import { skillToolName } from '../agent/skill/skill-source.ts';
import { defineTool, type Tool } from '../agent/tool.ts';
import type { SkillLibrary } from './library.ts';
import { skillText } from './skill-text.ts';

/**
 * `skill`: gives the model the text of a skill, or a file of it. What the run may do from then on is the agent's to say.
 *
 * @param untrusted mean the files of the workspace whose text is untrusted, by the segments of their path.
 */
export function skillTool(
  library: SkillLibrary,
  untrusted: readonly ((path: readonly string[]) => boolean)[] = [],
): Tool {
  return defineTool({
    name: skillToolName,
    description:
      'Loads a skill: instructions for a kind of task. When the request is what a skill describes, load that skill before ' +
      'you begin, unless you see its text already. When none clearly fits, load none.',
    parameters: z.strictObject({
      name: z.string().min(1).max(200).describe('The skill'),
      arguments: z
        .string()
        .max(10_000)
        .optional()
        .describe('What it is to be used on, in the words of the user'),
      file: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .describe('A file of the skill instead of its instructions'),
    }),
    sideEffect: 'readonly',
    async run({ name, arguments: words, file }, { skills, untrusted: isUntrusted }) {
      const followed = skills?.followed ?? [];
      const loaded = await library.load(name, { allowed: skills?.allowed ?? null, followed });
      const text =
        file === undefined
          ? skillText(loaded, { words: words ?? '(what the user has asked for)', isInvoked: false })
          : await library.readFile(loaded, file);
      const path = posix.join(loaded.folder, file ?? 'SKILL.md').split('/');
      if (untrusted.some((matches) => matches(path))) isUntrusted?.();
      skills?.follow(loaded.skill);
      return text;
    },
  });
}
