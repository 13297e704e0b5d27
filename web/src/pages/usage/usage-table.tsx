import { count, money } from '../../base/format.ts';
import { href } from '../../base/place.ts';
import type { UsageSum } from '../../data/answers.ts';
import { type Grouping, type Measure, sumOf } from './figures.ts';
import { t } from './words.ts';

interface UsageTableProps {
  by: Grouping;
  sums: readonly UsageSum[];
  total: UsageSum;
  measure: Measure;
  nameOf(key: string): string;
  marked: string | null;
  mark(key: string | null): void;
}

/** The figures of the chart. */
export function UsageTable({ by, sums, total, measure, nameOf, marked, mark }: UsageTableProps) {
  const heading = { day: t.byDay, model: t.byModel, session: t.bySession }[by];
  // Days newest first, the others as in the chart.
  const ordered = sums.toSorted((a, b) =>
    by === 'day' ? Number(a.key < b.key) - 0.5 : sumOf(b, measure) - sumOf(a, measure),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must take the keyboard.
    <section class="panel usage-table" tabIndex={0} aria-label={heading}>
      <table>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {[t.calls, t.input, t.output, t.cost].map((name) => (
              <th key={name} scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.map((sum) => (
            <tr
              key={sum.key}
              class={marked === sum.key ? 'marked' : undefined}
              onMouseEnter={() => mark(sum.key)}
              onMouseLeave={() => mark(null)}
            >
              <th scope="row">
                {by === 'session' && sum.key !== '' ? (
                  <a class="link" href={href(`/runs?session=${encodeURIComponent(sum.key)}&time=all`)}>
                    {sum.key}
                  </a>
                ) : (
                  nameOf(sum.key)
                )}
              </th>
              <Figures sum={sum} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t.all}</th>
            <Figures sum={total} />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function Figures({ sum }: { sum: UsageSum }) {
  return (
    <>
      <td class="num">{count(sum.calls)}</td>
      <td class="num">{count(sum.inputTokens)}</td>
      <td class="num">{count(sum.outputTokens)}</td>
      <td class="num">{sum.costUsd === null ? t.noPrice : money(sum.costUsd)}</td>
    </>
  );
}
