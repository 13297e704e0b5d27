import { isObject } from '../../protocol/json.ts';
import type { FollowedSkill } from '../../protocol/ports.ts';
import type { FollowedSkillView, SkillsView } from '../../protocol/views.ts';
import { ruleInWords } from '../../skills/skills.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { callName, type LogEvent, loadedSkill } from '../../store/stored-call.ts';
import type { SkillChoice } from '../effect/run-effect.ts';

/** The skills in a run's view; null when none fitted and the run follows none. */
export function skillsIn(
  events: readonly (LogEvent & { seq: number })[],
  { follows = [], parentRunId }: Pick<RunOptions, 'follows' | 'parentRunId'>,
): SkillsView | null {
  const choice = events.find(({ skills }) => isObject(skills))?.skills as SkillChoice | undefined;
  const { of = 0, mode = 'listed', scores = [] } = choice ?? {};
  const scoreOf = (name: string) => scores.find((one) => one.name === name)?.score;
  const by = parentRunId === undefined ? 'prompt' : 'parent';
  const followed = [
    ...follows.map((skill) => followedView(skill, { by }, scoreOf(skill.name))),
    ...events.flatMap((event) => {
      const skill = loadedSkill(event);
      const how = { by: 'call' as const, call: callName(Number(event.effectId)), seq: event.seq };
      return skill ? [followedView(skill, how, scoreOf(skill.name))] : [];
    }),
  ];
  return followed.length === 0 && scores.length === 0
    ? null
    : { offered: of, mode, scores: [...scores], followed };
}

function followedView(
  { name, from, hash, isTrusted, allowed, confirm }: FollowedSkill,
  how: Pick<FollowedSkillView, 'by' | 'call' | 'seq'>,
  score: number | undefined,
): FollowedSkillView {
  return {
    name,
    ...how,
    from,
    hash,
    isTrusted,
    allowed: allowed?.map(ruleInWords) ?? null,
    confirm: confirm?.map(ruleInWords) ?? null,
    ...(score !== undefined && { score }),
  };
}
