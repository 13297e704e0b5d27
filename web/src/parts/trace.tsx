import { traceLines } from './trace-lines.ts';

interface TraceProps {
  course: readonly (readonly [state: string, ms: number])[];
  /** It goes on: a ball lies at its end. */
  isLive: boolean;
  width?: number;
  height?: number;
}

/** A run in one line, as a logic analyser draws it: height is the state, length is time. The words beside it say where it is now. */
export function Trace({ course, isLive, width = 190, height = 30 }: TraceProps) {
  const lines = traceLines(course, width, height);
  const last = lines.at(-1);
  return (
    <svg class="trace" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {lines.map(({ state, from, to, y }, index) => {
        const before = lines[index - 1];
        return (
          <g key={from}>
            {before && <path class="trace-step" d={`M${from} ${before.y}V${y}`} />}
            <path
              class={state === 'back' ? 'trace-line dashed' : 'trace-line'}
              data-s={state}
              d={`M${from} ${y}H${to}`}
            />
          </g>
        );
      })}
      {isLive && last && (
        <circle
          class="ball-fill"
          data-s={last.state}
          cx={Math.min(width - 4, last.to + 2)}
          cy={last.y}
          r="3.6"
        />
      )}
    </svg>
  );
}
