import { type FollowedSkill, skillToolName } from '../../ports/skill-source.ts';
import type { Toolbox } from '../../ports/toolbox.ts';
import type { RunEffect } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';
import { followedSkills } from './followed.ts';

/**
 * The services of a tool call. Policy, where hooks have it asked again, hears of the skills that the run follows; and a
 * skill that the call loads is noted, so that it stands in the call's fact, from where it binds the run.
 */
export function withSkills(services: AgentServices, { run, options, notes }: RunEffect): AgentServices {
  const { toolbox, store } = services;
  if (!services.skills) return services;
  const bound: Toolbox = {
    ...toolbox,
    plan: async (name, raw, ctx) =>
      toolbox.plan(name, raw, {
        ...ctx,
        skills: await withTrust(services, await followedSkills(store, run, options)),
      }),
    run: async (name, raw, ctx) => {
      if (name !== skillToolName) return toolbox.run(name, raw, ctx);
      const { skills: allowed = null } = options;
      const followed = (await followedSkills(store, run, options)).map((skill) => skill.name);
      const follow = (skill: FollowedSkill) => {
        notes.loadedSkill = skill;
      };
      return toolbox.run(name, raw, { ...ctx, skills: { allowed, followed, follow } });
    },
  };
  return { ...services, toolbox: bound };
}

/** The toolbox of a run that follows these skills. */
export async function boundBySkills(
  services: AgentServices,
  followed: readonly FollowedSkill[],
): Promise<Toolbox> {
  const { toolbox } = services;
  if (followed.length === 0) return toolbox;
  const skills = await withTrust(services, followed);
  return { ...toolbox, plan: (name, raw, ctx) => toolbox.plan(name, raw, { ...ctx, skills }) };
}

/** A skill whose files have changed since it was loaded is trusted no more, and neither is one that was disapproved. */
async function withTrust(
  { skills }: AgentServices,
  followed: readonly FollowedSkill[],
): Promise<FollowedSkill[]> {
  // Nobody asks of the others: to look at all of their files would take time.
  if (!followed.some(({ isTrusted, confirm }) => isTrusted && confirm)) return [...followed];
  return Promise.all(
    followed.map(async (skill) => ({
      ...skill,
      isTrusted: skill.isTrusted && ((await skills?.isTrusted(skill)) ?? false),
    })),
  );
}
