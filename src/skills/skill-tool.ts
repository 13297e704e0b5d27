import { realpath, stat } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import {
  cardLine,
  type FileContent,
  findArgument,
  noTaintedFiles,
  type SkillCard,
  skillToolName,
  type TaintedFiles,
} from '../protocol/ports.ts';
import { defineTool, ownArguments, type Tool } from '../protocol/tool.ts';
import { readWhole } from '../text/files.ts';
import { skillText, skillToolDescription, wordsOfUser } from './files/skill-text.ts';
import type { SkillLibrary } from './library.ts';

const parameters = ownArguments(
  {},
  {
    name: { type: 'string', minLength: 1, maxLength: 200, description: 'The skill' },
    arguments: {
      type: 'string',
      maxLength: 10_000,
      description: 'What it is to be used on, in the words of the user',
    },
    file: {
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      description: 'A file of the skill instead of its instructions',
    },
    [findArgument]: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 1_000 },
      minItems: 1,
      maxItems: 4,
      description:
        'Instead of a name: one to four ways to say what is to be done, in the language of the skills, which the user ' +
        'may not speak. Answers those that fit best, with what they are for, and loads none.',
    },
  },
  {
    trimmed: [findArgument],
    problemOf: ({ name, file, arguments: words, find }) =>
      (find ? !(name ?? file ?? words) : name)
        ? undefined
        : 'give the name of a skill, or words to find one by, and not both',
  },
);

/**
 * `skill`: returns the text of a skill or one of its files, or finds the skills for a task. The agent enforces what the
 * run may do from then on.
 *
 * @param libraryOf the skills of a tenant
 * @param untrusted match the workspace's files whose text is untrusted, by the segments of their path.
 */
export function skillTool(
  libraryOf: (tenant: number) => SkillLibrary,
  untrusted: readonly ((path: readonly string[]) => boolean)[] = [],
  tainted: TaintedFiles = noTaintedFiles,
): Tool {
  return defineTool({
    name: skillToolName,
    description: skillToolDescription,
    parameters,
    sideEffect: 'readonly',
    async run(
      { name = '', arguments: words, file, find },
      { principal, workspace, skills, untrusted: isUntrusted },
    ) {
      const library = libraryOf(principal.tenantId);
      const allowed = skills?.allowed ?? null;
      if (find) return foundText(await library.find(find, allowed));
      const followed = skills?.followed ?? [];
      const loaded = await library.load(name, { allowed, followed });
      const text =
        file === undefined
          ? skillText(loaded, { words: words ?? wordsOfUser, isInvoked: false })
          : await library.readFile(loaded, file);
      const path = posix.join(loaded.folder, file ?? 'SKILL.md');
      const isNamed = untrusted.some((matches) => matches(path.split('/')));
      const real = await realpath(resolve(workspace ?? '', path));
      if (isNamed || (await tainted.has(principal.tenantId, real, await contentOf(real)))) isUntrusted?.();
      skills?.follow(loaded.skill);
      return text;
    },
  });
}

async function contentOf(path: string): Promise<FileContent> {
  return { bytes: (await stat(path)).size, read: () => readWhole(path) };
}

function foundText({ found, of }: { found: readonly SkillCard[]; of: number }): string {
  if (found.length === 0)
    return `None of ${of} skills has any of these words. Try others, in the language of the skills, or do without one.`;
  return ['Load one of these by its name, or none:', ...found.map(cardLine)].join('\n');
}
