import { skillViews } from '../../../runtime/api/skill-views.ts';
import { openSkills } from '../../../runtime/parts/skills.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';

/** The skills of a workspace: no database is opened for them, and none made. */
export async function skillsOf(flags: Flags) {
  const options = await loadOptions(flags);
  const library = openSkills(options, options.workspace);
  return { options, library, skills: skillViews(library) };
}
