import type { RunRow } from '../../store/rows.ts';
import { kindOf } from '../kinds/kind-of.ts';
import type { RunKind } from '../kinds/run-kind.ts';
import type { Store } from '../rows/statements.ts';

/** The states that a run has been in, oldest first, each with its duration in milliseconds. */
type Course = [state: string, ms: number][];

const maxSegments = 24;
/** Maximum transitions that are read of a run. Of a longer run they are picked at equal distances. */
const maxRead = 72;

/** The courses of runs, by their `pk`: one query for all of them. A run that has not ended is in its state until `now`. */
export async function coursesOf(
  store: Store,
  rows: readonly RunRow[],
  now: number,
): Promise<Map<number, Course>> {
  const places = JSON.stringify(rows.flatMap(({ pk, seq }) => seqsOf(seq).map((one) => [pk, one])));
  const paths = Map.groupBy(await store.query('listPaths', { places }), ({ run }) => run);
  return new Map(
    rows.map((row) => {
      const kind = kindOf(row);
      const moments = [{ at: row.createdAt, path: kind.firstPath }, ...(paths.get(row.pk) ?? [])];
      return [row.pk, courseOf(moments, row.ended ? row.updatedAt : now, kind)];
    }),
  );
}

function seqsOf(last: number): number[] {
  const count = Math.min(last, maxRead);
  return Array.from({ length: count }, (_, i) => Math.round(((i + 1) * last) / count));
}

/** @param end when it left the last state, or now. */
export function courseOf(
  moments: readonly { at: number; path: string }[],
  end: number,
  { stateOf }: Pick<RunKind, 'stateOf'>,
): Course {
  const course: Course = [];
  for (const [i, { at, path }] of moments.entries()) {
    const state = stateOf(path);
    // A fork's log is older than its row.
    const ms = Math.max(0, (moments[i + 1]?.at ?? end) - at);
    const last = course.at(-1);
    if (last?.[0] === state) last[1] += ms;
    else if (ms > 0) course.push([state, ms]);
  }
  while (course.length > maxSegments) joinShortest(course);
  return course;
}

/** Merges the shortest part into its longer neighbour. */
function joinShortest(course: Course): void {
  const shortest = course.reduce((least, [, ms], i) => (ms < (course[least]?.[1] ?? 0) ? i : least), 0);
  const [, ms] = course[shortest] as Course[number];
  const before = course[shortest - 1];
  const after = course[shortest + 1];
  const joined = (before?.[1] ?? -1) >= (after?.[1] ?? -1) ? before : after;
  if (joined) joined[1] += ms;
  course.splice(shortest, 1);
  // The neighbours of the merged part may have the same state now.
  const [left, right] = [course[shortest - 1], course[shortest]];
  if (left && right && left[0] === right[0]) {
    left[1] += right[1];
    course.splice(shortest, 1);
  }
}
