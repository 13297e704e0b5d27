import type { RefObject } from 'preact';
import { ShapePaths } from '../shape.tsx';
import { type Drawing, type DrawnEdge, type DrawnState, wordsOf } from './drawing.ts';

interface ChartDrawingProps {
  drawing: Drawing;
  name: string;
  svg: RefObject<SVGSVGElement | null>;
  onEdge: (edge: DrawnEdge) => void;
}

const lineHeight = 16;

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
    </svg>
  );
}

function ParentState(state: DrawnState) {
  const { id, title, key, x, y, width, height, isParallel } = state;
  return (
    <g key={id} data-id={id} data-s={key} class={isParallel ? 'parent parallel' : 'parent'}>
      <rect class="par" x={x} y={y} width={width} height={height} rx="6" />
      <text x={x + 12} y={y + 18}>
        {title.join('')}
      </text>
    </g>
  );
}

function LeafState(state: DrawnState) {
  const { id, title, key, x, y, width, height, isVertical, description } = state;
  const middle = y + height / 2;
  return (
    <g key={id} data-id={id} data-s={key} class="leaf">
      {description !== undefined && <title>{description}</title>}
      <rect class="halo" x={x} y={y} width={width} height={height} rx="5" />
      <rect class="box" x={x} y={y} width={width} height={height} rx="5" />
      {isVertical ? (
        <text transform={`translate(${x + width / 2 + 4} ${middle}) rotate(-90)`} text-anchor="middle">
          {title.join('')}
        </text>
      ) : (
        <>
          <g class="shape" transform={`translate(${x + 10} ${middle - 6})`}>
            <ShapePaths state={key} />
          </g>
          <text x={x + 28} y={middle + 4.5 - (title.length - 1) * (lineHeight / 2)}>
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
        <rect rx="6.5" height="13" width="15" />
        <text x="7.5" y="10" text-anchor="middle" />
      </g>
    </g>
  );
}
