import { fileURLToPath } from 'node:url';
import { SkillLibrary } from '../../src/skills/library.ts';
import { createSkillScorer } from '../../src/skills/scorer.ts';
import { toolMatcher } from '../../src/tools/registry/name-patterns.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';

/** Skills of other people's repositories. */
export const fixtureSkills = fileURLToPath(new URL('../fixtures/skills', import.meta.url));

/** A `SKILL.md`. */
export function skillFile(name: string, fields = '', body = `# ${name}\n\nDo it.\n`): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${fields}---\n${body}`;
}

interface Shelf {
  library: SkillLibrary;
  workspace: string;
  home: string;
}

/** The skills of a workspace and of a home that hold these files; without those of Detent unless asked for. */
export async function shelf(
  files: Readonly<Record<string, string>>,
  options: Partial<ConstructorParameters<typeof SkillLibrary>[0]> & {
    homeFiles?: Readonly<Record<string, string>>;
  } = {},
): Promise<Shelf> {
  const workspace = await temporaryWorkspace();
  const home = await temporaryWorkspace();
  await writeFiles(workspace, files);
  await writeFiles(home, options.homeFiles ?? {});
  const library = new SkillLibrary({
    bundled: false,
    workspace,
    env: { DETENT_HOME: home },
    matcher: toolMatcher,
    scorer: createSkillScorer(),
    ...options,
  });
  return { library, workspace, home };
}
