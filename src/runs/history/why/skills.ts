import type { FollowedSkillView, Sentence, SkillsView } from '../../../protocol/views.ts';
import { say } from './say.ts';

/** The skills of a run, a sentence each, and how they were chosen. */
export function describeSkills({ offered, mode, scores, followed }: SkillsView): Sentence[] {
  const best = scores.map(({ name, score }) => `${name} ${score}`).join(', ') || say('none_fits');
  const choice = offered === 0 ? [] : [say(`skills_${mode}`, { count: offered, best })];
  return [...followed.map(followedWords), ...choice];
}

function followedWords({ name, by, call = '', from, isTrusted, allowed, confirm, score }: FollowedSkillView) {
  const how = by === 'call' ? say('skill_by_call', { call }) : say(`skill_by_${by}`);
  return say('skill_followed', {
    name,
    facts: [
      how,
      ...(score === undefined ? [] : [say('skill_score', { score })]),
      isTrusted ? say('skill_trusted', { from }) : say('skill_from', { from }),
      ...(allowed
        ? [allowed.length === 0 ? say('skill_no_tools') : say('skill_tools', { tools: allowed.join(', ') })]
        : []),
      ...(confirm
        ? [
            confirm.length === 0
              ? say('skill_confirms_nothing')
              : say('skill_confirms', { tools: confirm.join(', ') }),
          ]
        : []),
    ],
  });
}
