import type { EffectJob, Fact } from '../../engine/machine-host.ts';
import { type FollowedSkill, skillToolName } from '../../ports/skill-source.ts';
import type { Toolbox } from '../../ports/toolbox.ts';
import type { RunOptions } from '../../records/run-options.ts';
import type { AgentServices } from '../services.ts';
import { followedSkills, noteFollowed } from './followed.ts';

/**
 * Performs a tool call. Policy, where hooks have it asked again, hears of the skills that the run follows; and a skill that
 * the call loads stands in its fact, from where it binds the run.
 */
export async function withSkills(
  services: AgentServices,
  job: EffectJob,
  perform: (services: AgentServices) => Promise<Fact>,
): Promise<Fact> {
  const { toolbox, store } = services;
  if (!services.skills) return perform(services);
  let loaded: FollowedSkill | null = null;
  const bound: Toolbox = {
    ...toolbox,
    plan: async (name, raw, ctx) =>
      toolbox.plan(name, raw, {
        ...ctx,
        skills: await withTrust(services, await followedSkills(store, job.run)),
      }),
    run: async (name, raw, ctx) => {
      if (name !== skillToolName) return toolbox.run(name, raw, ctx);
      const { skills: allowed = null } = JSON.parse(job.run.options) as RunOptions;
      const followed = (await followedSkills(store, job.run)).map((skill) => skill.name);
      const follow = (skill: FollowedSkill) => {
        loaded = skill;
      };
      return toolbox.run(name, raw, { ...ctx, skills: { allowed, followed, follow } });
    },
  };
  const fact = await perform({ ...services, toolbox: bound });
  if (!loaded || fact.event.type !== 'tool.done') return fact;
  noteFollowed(job, loaded);
  return { ...fact, event: { ...fact.event, skill: loaded } };
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
