import { skillViews } from '../../../runtime/api/skill-views.ts';
import { openSkills } from '../../../runtime/parts/skills.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';

/** The skills of a workspace; needs no database. */
export async function skillsOf(flags: Flags, io: Io) {
  const options = await loadOptions(flags, io);
  const library = openSkills(options, options.workspace);
  return { options, library, skills: skillViews(library) };
}
