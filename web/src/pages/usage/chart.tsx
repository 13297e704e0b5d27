import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { money } from '../../base/format.ts';
import { language } from '../../base/language.ts';
import type { UsageSum } from '../../data/answers.ts';
import { type Measure, type Series, sumOf } from './figures.ts';
import { t } from './words.ts';

export interface ChartProps {
  sums: readonly UsageSum[];
  measure: Measure;
  nameOf(key: string): string;
  /** The group under the pointer, in the chart or in the table. */
  marked: string | null;
  mark(key: string | null): void;
}

export function shownValue(value: number, measure: Measure): string {
  return measure === 'cost' ? money(value) : short(value);
}

/** `12K`, `1.4M`; in Chinese `1.2万`. */
export function short(value: number): string {
  // British English writes a small m, which stands for minutes elsewhere.
  return new Intl.NumberFormat(language.value, { notation: 'compact', maximumFractionDigits: 1 }).format(
    value,
  );
}

/** The width that the page leaves, so that letters keep their size. */
export function useWidth() {
  const ref = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** The series differ by pattern: colours are those of states alone. */
export function Patterns() {
  return (
    <defs>
      <pattern id="series-cachedInput" width="5" height="5" patternUnits="userSpaceOnUse">
        <path d="M-1 1l2-2M0 5l5-5M4 6l2-2" class="series-stroke" />
      </pattern>
      <pattern id="series-output" width="4" height="4" patternUnits="userSpaceOnUse">
        <circle cx="2" cy="2" r="1.1" class="series-fill" />
      </pattern>
    </defs>
  );
}

export const fillOf: Readonly<Record<Series, string>> = {
  cost: 'var(--ink-2)',
  newInput: 'var(--ink-2)',
  cachedInput: 'url(#series-cachedInput)',
  output: 'url(#series-output)',
};

/** A bar with its place, which the pointer marks together with its row of the table. */
export function MarkedBar({
  name,
  marked,
  mark,
  children,
}: Pick<ChartProps, 'marked' | 'mark'> & { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only marks; the table says the same to everybody.
    <g
      class={marked === name ? 'bar marked' : 'bar'}
      onMouseEnter={() => mark(name)}
      onMouseLeave={() => mark(null)}
    >
      {children}
    </g>
  );
}

export function SeriesLegend() {
  const series = [
    ['newInput', t.newInput],
    ['cachedInput', t.cachedInput],
    ['output', t.outputSeries],
  ] as const;
  return (
    <figcaption>
      <ul class="bars-legend">
        {series.map(([name, words]) => (
          <li key={name}>
            <svg width="14" height="10" aria-hidden="true">
              <rect class="series" x=".5" y=".5" width="13" height="9" fill={fillOf[name]} />
            </svg>
            {words}
          </li>
        ))}
      </ul>
    </figcaption>
  );
}

export function chartText(
  sums: readonly UsageSum[],
  measure: Measure,
  nameOf: (key: string) => string,
): string {
  const name = measure === 'cost' ? t.cost : t.tokens;
  const dearest = sums.toSorted((a, b) => sumOf(b, measure) - sumOf(a, measure))[0];
  if (dearest === undefined) return name;
  return t.chart(name, shownValue(sumOf(dearest, measure), measure), nameOf(dearest.key));
}
