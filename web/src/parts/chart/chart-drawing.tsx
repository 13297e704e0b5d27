import type { RefObject } from 'preact';
import { ShapePaths } from '../shape.tsx';
import { type Drawing, type DrawnEdge, type DrawnState, wordsOf } from './drawing.ts';

interface ChartDrawingProps {
  drawing: Drawing;
  name: string;
  svg: RefObject<SVGSVGElement | null>;
  onEdge: (edge: DrawnEdge) => void;
}

const lineHeight = 17;

/** The chart without marks: these are put on it by the painter, so that it is rendered once. */
export function ChartDrawing({ drawing, name, svg, onEdge }: ChartDrawingProps) {
  const { width, height, states, edges } = drawing;
  return (
    <svg
      ref={svg}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={name}
    >
      {states.filter(({ isParent }) => isParent).map(ParentState)}
      {edges.map((edge) => (
        <Edge key={edge.id} edge={edge} onEdge={onEdge} />
      ))}
      {states.filter(({ isParent }) => !isParent).map(LeafState)}
      {states.filter(({ isInitial }) => isInitial).map(InitialMark)}
    </svg>
  );
}

function ParentState(state: DrawnState) {
  const { id, title, key, x, y, width, height, type } = state;
  return (
    <g key={id} data-id={id} data-s={key} class={`parent ${type}`}>
      <rect class="par" x={x} y={y} width={width} height={height} rx="6" />
      <text x={x + 10} y={y + 20}>
        {title.join('')}
      </text>
    </g>
  );
}

function LeafState(state: DrawnState) {
  const { id, title, key, x, y, width, height, isVertical, description, type } = state;
  const middle = y + height / 2;
  return (
    <g key={id} data-id={id} data-s={key} class={`leaf ${type}`}>
      {description !== undefined && <title>{description}</title>}
      <rect class="halo" x={x} y={y} width={width} height={height} rx="5" />
      <rect class="box" x={x} y={y} width={width} height={height} rx="5" />
      {type === 'final' && (
        <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx="3" />
      )}
      {isVertical ? (
        <text transform={`translate(${x + width / 2 + 5} ${middle}) rotate(-90)`} text-anchor="middle">
          {title.join('')}
        </text>
      ) : (
        <>
          <g class="shape" transform={`translate(${x + 10} ${middle - 6})`}>
            {type === 'history' ? <HistoryMark /> : <ShapePaths state={key} />}
          </g>
          <text x={x + 28} y={middle + 5.5 - (title.length - 1) * (lineHeight / 2)}>
            {title.map((line, i) => (
              <tspan key={line} x={x + 28} dy={i === 0 ? 0 : lineHeight}>
                {line}
              </tspan>
            ))}
          </text>
          <rect class="heat" x={x + 1} y={y + height - 4} height="3" width="0" rx="1" />
          <text class="dur" x={x + width - 8} y={middle + 4} text-anchor="end" />
        </>
      )}
    </g>
  );
}

/** A dot whose arrow leads to where a machine, or a state with others inside, begins. */
function InitialMark({ id, x, y }: DrawnState) {
  return (
    <g key={`${id} initial`} class="initial-mark">
      <circle class="start" cx={x - 12} cy={y + 6} r="3.5" />
      <path class="start-line" d={`M${x - 12} ${y + 6}H${x - 5}`} />
      <path class="start-head" d={`M${x} ${y + 6}l-6 -3v6z`} />
    </g>
  );
}

function HistoryMark() {
  return (
    <>
      <circle cx="6" cy="6" r="7" fill="none" stroke="currentColor" />
      <path d="M3.5 3v6M8.5 3v6M3.5 6h5" fill="none" stroke="currentColor" stroke-width="1.4" />
    </>
  );
}

function Edge({ edge, onEdge }: { edge: DrawnEdge; onEdge: (edge: DrawnEdge) => void }) {
  const { id, from, to, line, head, label, transitions } = edge;
  const title = [`${from} → ${to}`, ...transitions.map(wordsOf)].join('\n');
  return (
    // The list of edges shows the same by the keyboard.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above.
    <g data-id={id} class="e" onClick={() => onEdge(edge)}>
      <title>{title}</title>
      <path class="hit" d={line} />
      <path class="l" d={line} />
      <path class="h" d={head} />
      <text class="lbl" x={label.x} y={label.y}>
        {label.text}
      </text>
      <g class="n">
        <rect rx="7.5" height="15" width="17" />
        <text x="8.5" y="11.5" text-anchor="middle" />
      </g>
    </g>
  );
}
