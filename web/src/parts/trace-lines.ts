import { keyOfPath, type StateKey } from './states.ts';

/** One part of a run's course: a line at the height of its state. */
interface TraceLine {
  state: StateKey;
  from: number;
  to: number;
  y: number;
}

/** The height of each state: a person is asked at the top, tools work below the model, compaction is lowest. */
const lanes: Readonly<Record<StateKey, number>> = {
  ask: 0,
  rec: 0,
  think: 1,
  back: 1,
  decide: 1,
  done: 1,
  fail: 1,
  cancel: 1,
  tool: 2,
  idle: 3,
  hold: 3,
  comp: 3,
};

const shortest = 1.5;
/** Room for the ball at the end. */
const margin = 6;

/** Where a course is drawn. Its length is the time, and a state that was there at all is seen. */
export function traceLines(
  course: readonly (readonly [state: string, ms: number])[],
  width: number,
  height: number,
): TraceLine[] {
  const total = course.reduce((sum, [, ms]) => sum + ms, 0);
  const room = width - 2 * margin;
  const long = course.map(([, ms]) => Math.max(shortest, total === 0 ? 0 : (ms / total) * room));
  // Short parts took a little more than their time.
  const scale =
    room /
    Math.max(
      room,
      long.reduce((sum, one) => sum + one, 0),
    );
  let x = 1;
  return course.map(([name], index) => {
    const state = keyOfPath(name);
    const from = x;
    x += (long[index] ?? 0) * scale;
    return { state, from, to: x, y: 3.5 + (lanes[state] * (height - 7)) / 3 };
  });
}
