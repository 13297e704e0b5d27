import { duration, timeOfDay } from '../../../base/format.ts';
import type { Inspected } from '../../../data/inspected.ts';
import { eventWords, pathsAt } from '../../../data/run-trace.ts';
import { Chip } from '../../../parts/shape.tsx';
import { keyIn, shownPath } from '../../../parts/states.ts';
import { visible } from '../../../parts/visible.ts';

/** The chosen transition: its number, its event, and the states before and after it. */
export function Step({ run }: { run: Inspected }) {
  const trace = run.trace.value;
  if (trace === null) return null;
  const machine = trace.machine.name;
  const now = run.transition.value;
  const at = run.seq.value;
  const before = trace.transitions[at - 2];
  const [from, to] = movedOf(pathsAt(trace, at - 1), pathsAt(trace, at));
  return (
    <>
      <div class="seqno">
        <b>{at + run.forgotten.value}</b>
        <code>{now && visible(eventWords(now))}</code>
        <span class="dim">
          {now && (before ? `+${duration(now.at - before.at)}` : timeOfDay(now.at, true))}
        </span>
      </div>
      <div class="fromto">
        {at > 0 && (
          <>
            <Chips machine={machine} paths={from} />
            <span class="dim" aria-hidden="true">
              →
            </span>
          </>
        )}
        <Chips machine={machine} paths={to} />
      </div>
    </>
  );
}

type Paths = readonly string[];

/** Of parallel states, those that the transition left and entered; if it did not move, all of them. */
function movedOf(from: Paths, to: Paths): [from: Paths, to: Paths] {
  const left = from.filter((path) => !to.includes(path));
  const entered = to.filter((path) => !from.includes(path));
  return left.length > 0 && entered.length > 0 ? [left, entered] : [from, to];
}

function Chips({ machine, paths }: { machine: string; paths: Paths }) {
  return (
    <>
      {paths.map((path) => (
        <Chip key={path} state={keyIn(machine, path)}>
          {shownPath(path)}
        </Chip>
      ))}
    </>
  );
}
