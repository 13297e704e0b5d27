import { skillsApi } from '../../../runtime/api/skills.ts';
import { openSkills } from '../../../runtime/open-skills.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';

/** The skills of a workspace: no database is opened for them, and none made. */
export async function skillsOf(flags: Flags) {
  const options = await loadOptions(flags);
  const library = openSkills(options, options.workspace);
  return { options, library, skills: skillsApi(library) };
}
