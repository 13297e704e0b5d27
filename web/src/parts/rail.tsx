import { ShapePaths } from './shape.tsx';
import type { StateKey } from './states.ts';

/** The stops of a run's machine, in their order on the rail. State names stay English in both languages. */
const stops: readonly (readonly [StateKey, string])[] = [
  ['idle', 'idle'],
  ['think', 'thinking'],
  ['tool', 'tooling'],
  ['comp', 'compacting'],
  ['ask', 'confirm'],
  ['rec', 'reconcile'],
  ['done', 'done'],
];

const gap = 66;
const first = 30;
const line = 29;

interface RailProps {
  lit: StateKey;
  /** The state that it came from. */
  from?: StateKey | null;
  /** How often each state was entered. */
  counts?: Partial<Record<StateKey, number>>;
  /** The gateway does not answer: the ball is hollow. */
  isOffline?: boolean;
  label: string;
}

/** Where a state lies on the rail: ends other than `done` share its notch, and waiting to ask again is a kind of thinking. */
function stopOf(state: StateKey): StateKey {
  if (state === 'fail' || state === 'cancel') return 'done';
  if (state === 'back' || state === 'decide') return 'think';
  return state;
}

function xOf(state: StateKey): number {
  const place = stops.findIndex(([key]) => key === stopOf(state));
  return first + gap * Math.max(0, place);
}

/** Every stop of the machine on one line, a notch each; the ball lies in the state that holds. */
export function Rail({ lit, from = null, counts = {}, isOffline = false, label }: RailProps) {
  const notches = stops.map(([state]) => `H${xOf(state) - 6}l6 6.5 6-6.5`).join('');
  const at = xOf(lit);
  return (
    <svg class="rail" data-s={lit} viewBox="0 0 456 60" width="456" height="60" role="img" aria-label={label}>
      <rect x={xOf('think') - 31} y="5" width={gap * 4 + 62} height="51" rx="5" class="rail-active" />
      <rect x={xOf('think') - 28} y="8" width={gap * 2 + 57} height="45" rx="4" class="rail-working" />
      {from !== null && stopOf(from) !== stopOf(lit) && <Fall from={xOf(from)} to={at} />}
      <path d={`M4 ${line}${notches}H${first + gap * 6 + 26}`} class="rail-line" />
      <g class="ball" style={{ transform: `translateX(${at}px)` }}>
        <circle cy={line - 1} r="5.2" class={isOffline ? 'ball-hollow' : 'ball-fill'} />
        {!isOffline && <circle cx="-1.6" cy={line - 2.8} r="1.3" class="ball-light" />}
      </g>
      {stops.map(([state, word]) => {
        const isLit = state === stopOf(lit);
        const shown = isLit && lit !== state && lit !== 'back' && lit !== 'decide' ? lit : null;
        return (
          <g key={state}>
            <text x={xOf(state)} y="48" text-anchor="middle" class={isLit ? 'rail-word lit' : 'rail-word'}>
              {shown === null ? word : shown === 'fail' ? 'failed' : 'cancelled'}
              {counts[state] ? <tspan class="rail-count">{` ${counts[state]}`}</tspan> : null}
            </text>
            {shown !== null && (
              <g transform={`translate(${xOf(state) - 5} 6) scale(.8)`} class="rail-end">
                <ShapePaths state={shown} />
              </g>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** The way of the ball from its last notch. */
function Fall({ from, to }: { from: number; to: number }) {
  const top = line - 10 - Math.min(15, Math.abs(to - from) / 14);
  return (
    <g class="rail-fall">
      <path
        d={`M${from} ${line - 4}C${from} ${top - 6},${to} ${top - 6},${to} ${line - 10}`}
        stroke-dasharray="3 2.5"
      />
      <path d={`M${to - 3} ${line - 12.5}L${to} ${line - 8}L${to + 3} ${line - 12.5}`} />
    </g>
  );
}
