import type { FollowedSkill } from '../../ports/skill-source.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { RunOptions } from '../../records/run-options.ts';
import type { RunRow } from '../../store/rows.ts';
import type { RunCache, RunJob } from '../run-effect.ts';
import type { Store } from '../statements.ts';

/** A skill that a run follows since a call of its own. */
interface LoadedByCall {
  /** Number of the call's effect. */
  call: number;
  seq: number;
  skill: FollowedSkill;
}

/** The skills that calls of a run have loaded, from the facts of those calls, in order. */
async function loadedByCalls(store: Store<'listEvents'>, run: Pick<RunRow, 'pk'>): Promise<LoadedByCall[]> {
  const events = await store.query('listEvents', { run: run.pk, after: 0, limit: Number.MAX_SAFE_INTEGER });
  return events.flatMap(({ seq, type, body }) => {
    if (type !== 'tool.done' || !body.includes('"skill"')) return [];
    const event = parseJson(body);
    if (!isObject(event) || !isObject(event.skill)) return [];
    return [{ call: Number(event.effectId), seq, skill: event.skill as unknown as FollowedSkill }];
  });
}

/**
 * The skills that bind a run: those that it was made with, and those that its calls have loaded, each once, as it was when it
 * was last loaded.
 */
export async function followedSkills(
  store: Store<'listEvents'>,
  run: Pick<RunRow, 'pk'>,
  { follows = [] }: Pick<RunOptions, 'follows'>,
): Promise<FollowedSkill[]> {
  const loaded = await loadedByCalls(store, run);
  return onceEach([...follows, ...loaded.map(({ skill }) => skill)]);
}

/** Each version once: a skill that was loaded again with other rules binds by both. */
function onceEach(skills: readonly FollowedSkill[]): FollowedSkill[] {
  return [...new Map(skills.map((skill) => [JSON.stringify(skill), skill])).values()];
}

/**
 * {@link followedSkills} for a model call of the run. The log is read once in a process; it is the log and not the
 * conversation, because a compaction takes nothing back.
 */
export async function followedBy(
  store: Store,
  { run, options, cache, context }: Pick<RunJob, 'run' | 'options' | 'cache' | 'context'>,
): Promise<readonly FollowedSkill[]> {
  const isFirst = context.steps === 0;
  cache.followed ??= isFirst ? (options.follows ?? []) : await followedSkills(store, run, options);
  return cache.followed;
}

/** A call has loaded a skill, and its fact is about to say so. */
export function addFollowed(cache: Pick<RunCache, 'followed'>, skill: FollowedSkill): void {
  if (cache.followed) cache.followed = onceEach([...cache.followed, skill]);
}

/** What a sub-run takes over of the skills of its parent: what they forbid, and nothing that they allow. */
export function inherited(skills: readonly FollowedSkill[]): FollowedSkill[] {
  return skills.map((skill) => ({ ...skill, isTrusted: false }));
}
