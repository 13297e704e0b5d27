import { openSkills, skillsApi } from '../../skills-api.ts';
import type { Flags } from '../flags.ts';
import { loadOptions } from '../load-options.ts';

/** The skills of a workspace: no database is opened for them, and none made. */
export async function skillsOf(flags: Flags) {
  const options = await loadOptions(flags);
  const library = openSkills(options, options.workspace);
  return { options, library, skills: skillsApi(library) };
}
