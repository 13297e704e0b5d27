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
import { partsOf, sumOf } from './figures.ts';
import { t } from './words.ts';

const mostShares = 12;
const rowHeight = 34;

/** A bar for each model or session, the dearest first. */
export function ShareChart({ sums, measure, nameOf, marked, mark }: ChartProps) {
  const { ref, width } = useWidth();
  const ranked = sums.toSorted((a, b) => sumOf(b, measure) - sumOf(a, measure));
  const shown = ranked.slice(0, mostShares);
  const most = Math.max(Number.MIN_VALUE, ...shown.map((sum) => sumOf(sum, measure)));
  const room = Math.max(0, width - 76);
  return (
    <figure ref={ref} class="bars">
      {width > 0 && (
        <svg
          width={width}
          height={shown.length * rowHeight + 6}
          role="img"
          aria-label={chartText(sums, measure, nameOf)}
        >
          <Patterns />
          {shown.map((sum, index) => {
            const y = index * rowHeight;
            const value = sumOf(sum, measure);
            let before = 0;
            return (
              <MarkedBar key={sum.key} name={sum.key} marked={marked} mark={mark}>
                <rect class="bars-reach" x="0" y={y} width={width} height={rowHeight} />
                <text x="0" y={y + 13} class="bars-name">
                  {cut(nameOf(sum.key), width)}
                </text>
                {partsOf(sum, measure).map(({ series, value: part }) => {
                  const x = (room * before) / most;
                  before += part;
                  if (part === 0) return null;
                  const long = Math.max(1, (room * part) / most);
                  return (
                    <rect
                      key={series}
                      class="series"
                      x={x}
                      y={y + 18}
                      width={long}
                      height="9"
                      fill={fillOf[series]}
                    />
                  );
                })}
                <text x={(room * value) / most + 8} y={y + 26}>
                  {shownValue(value, measure)}
                </text>
              </MarkedBar>
            );
          })}
        </svg>
      )}
      {ranked.length > mostShares && <p class="dim">{t.others(ranked.length - mostShares)}</p>}
      {measure === 'tokens' && <SeriesLegend />}
    </figure>
  );
}

function cut(name: string, width: number): string {
  const most = Math.max(8, Math.floor(width / 8));
  const signs = [...name];
  return signs.length <= most ? name : `${signs.slice(0, most - 1).join('')}…`;
}
