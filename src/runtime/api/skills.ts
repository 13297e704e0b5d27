import type { Core } from '../core.ts';
import type { DetentSkills } from './skill-views.ts';

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function skillsApi(core: () => Promise<Pick<Core, 'skills'>>): DetentSkills {
  const views = async () => (await import('./skill-views.ts')).skillViews((await core()).skills);
  return {
    list: async () => (await views()).list(),
    show: async (name) => (await views()).show(name),
    why: async (input) => (await views()).why(input),
  };
}
