import { type LogRange, readLog } from '../../engine/log.ts';
import type { FollowedSkill } from '../../protocol/ports.ts';
import type { RunRow } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { loadedSkill, logEvent } from '../../store/stored-call.ts';
import type { RunCache, RunJob } from '../effect/run-effect.ts';
import type { Store } from '../effect/statements.ts';

/**
 * The skills that bind a run: those from its options and those that its calls have loaded, each once, in the version that
 * was loaded last.
 *
 * @param range the transitions that count. Default: all.
 */
export async function followedSkills(
  store: Store<'listEvents'>,
  run: Pick<RunRow, 'pk'>,
  { follows = [] }: Pick<RunOptions, 'follows'>,
  range: LogRange = {},
): Promise<FollowedSkill[]> {
  const skills = [...follows];
  for await (const { type, body } of readLog(store, run.pk, range)) {
    const skill = body.includes('"skill"') ? loadedSkill(logEvent({ type, body })) : null;
    if (skill) skills.push(skill);
  }
  return onceEach(skills);
}

/** Each version once: if a skill was loaded again with other rules, both versions bind. */
function onceEach(skills: readonly FollowedSkill[]): FollowedSkill[] {
  return [...new Map(skills.map((skill) => [JSON.stringify(skill), skill])).values()];
}

/**
 * {@link followedSkills} for a model call of the run. Reads the log once per process. It reads the log, not the
 * conversation, because a compaction must not release a skill.
 */
export async function followedBy(
  store: Store,
  { run, options, cache, context }: Pick<RunJob, 'run' | 'options' | 'cache' | 'context'>,
): Promise<readonly FollowedSkill[]> {
  const isFirst = context.steps === 0;
  cache.followed ??= isFirst ? (options.follows ?? []) : await followedSkills(store, run, options);
  return cache.followed;
}

/** Records that a call has loaded a skill, before its fact is committed. */
export function addFollowed(cache: Pick<RunCache, 'followed'>, skill: FollowedSkill): void {
  if (cache.followed) cache.followed = onceEach([...cache.followed, skill]);
}

/** The skills that a sub-run inherits: only their restrictions, none of their permissions. */
export function inherited(skills: readonly FollowedSkill[]): FollowedSkill[] {
  return skills.map((skill) => ({ ...skill, isTrusted: false }));
}
