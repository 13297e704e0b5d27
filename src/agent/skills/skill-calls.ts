import { type FollowedSkill, skillToolName, type Toolbox } from '../../protocol/ports.ts';
import type { RunEffect } from '../effect/run-effect.ts';
import type { AgentServices } from '../services.ts';
import { followedSkills } from './followed.ts';

/**
 * The services of a tool call. When a hook makes policy check the call again, policy gets the skills that the run follows.
 * A skill that the call loads goes into the notes and so into the call's fact; from then on it binds the run.
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

/** A skill loses trust when its files have changed since it was loaded, or when its approval was withdrawn. */
async function withTrust(
  { skills }: AgentServices,
  followed: readonly FollowedSkill[],
): Promise<FollowedSkill[]> {
  // Checks only these skills, because hashing all files of a skill takes time.
  if (!followed.some(({ isTrusted, confirm }) => isTrusted && confirm)) return [...followed];
  return Promise.all(
    followed.map(async (skill) => ({
      ...skill,
      isTrusted: skill.isTrusted && ((await skills?.isTrusted(skill)) ?? false),
    })),
  );
}
