import type { UsageSum } from '../../data/answers.ts';
import {
  type ChartProps,
  chartText,
  fillOf,
  MarkedBar,
  Patterns,
  SeriesLegend,
  shownValue,
  useWidth,
} from './chart.tsx';
import { axisOf, type Measure, partsOf, sumOf } from './figures.ts';

const height = 232;
const [left, bottom, top] = [58, 24, 10];

/** A column for each day. */
export function DayChart({ sums, measure, nameOf, marked, mark }: ChartProps) {
  const { ref, width } = useWidth();
  const lines = axisOf(Math.max(0, ...sums.map((sum) => sumOf(sum, measure))));
  const most = lines.at(-1) ?? 1;
  const yOf = (value: number) => height - bottom - ((height - bottom - top) * value) / most;
  const slot = (width - left) / Math.max(1, sums.length);
  const bar = Math.max(2, Math.min(36, slot * 0.72));
  // Labels are about 50 px wide.
  const each = Math.max(1, Math.ceil(56 / Math.max(1, slot)));
  const isAtEdge = (x: number) => x + 28 > width;
  const xOf = (index: number) => left + slot * (index + 0.5);
  return (
    <figure ref={ref} class="bars">
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={chartText(sums, measure, nameOf)}>
          <Patterns />
          {lines.map((value) => (
            <g key={value}>
              <path class="bars-line" d={`M${left - 6} ${Math.round(yOf(value)) + 0.5}H${width}`} />
              <text x={left - 12} y={yOf(value) + 4} text-anchor="end">
                {shownValue(value, measure)}
              </text>
            </g>
          ))}
          {sums.map((sum, index) => (
            <MarkedBar key={sum.key} name={sum.key} marked={marked} mark={mark}>
              <title>{`${nameOf(sum.key)}: ${shownValue(sumOf(sum, measure), measure)}`}</title>
              <rect
                class="bars-reach"
                x={left + slot * index}
                y={top}
                width={slot}
                height={height - bottom - top}
              />
              <Column sum={sum} measure={measure} x={xOf(index) - bar / 2} width={bar} yOf={yOf} />
              {(sums.length - 1 - index) % each === 0 && (
                <text
                  x={isAtEdge(xOf(index)) ? width : xOf(index)}
                  y={height - 6}
                  text-anchor={isAtEdge(xOf(index)) ? 'end' : 'middle'}
                >
                  {nameOf(sum.key)}
                </text>
              )}
            </MarkedBar>
          ))}
        </svg>
      )}
      {measure === 'tokens' && <SeriesLegend />}
    </figure>
  );
}

interface ColumnProps {
  sum: UsageSum;
  measure: Measure;
  x: number;
  width: number;
  yOf(value: number): number;
}

function Column({ sum, measure, x, width, yOf }: ColumnProps) {
  let below = 0;
  return (
    <>
      {partsOf(sum, measure).map(({ series, value }) => {
        const from = below;
        below += value;
        if (value === 0) return null;
        // What is not nothing is seen.
        const tall = Math.max(1, yOf(from) - yOf(below));
        return (
          <rect
            key={series}
            class="series"
            x={x}
            y={yOf(from) - tall}
            width={width}
            height={tall}
            fill={fillOf[series]}
          />
        );
      })}
    </>
  );
}
