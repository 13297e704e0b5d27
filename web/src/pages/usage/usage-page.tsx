import { saveFile } from '../../base/save-file.ts';
import { Headline } from '../../parts/headline.tsx';
import { NamedSegments } from '../../parts/segments.tsx';
import { TimeSegments } from '../../parts/time-segments.tsx';
import './usage.css';
import { useState } from 'preact/hooks';
import type { Output } from '#src/client/index.ts';
import { count, money, written } from '../../base/format.ts';
import { locale } from '../../base/language.ts';
import type { PageProps } from '../../base/page-props.ts';
import { href, place, setQuery } from '../../base/place.ts';
import type { UsageSum } from '../../data/answers.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Budgets } from './budgets.tsx';
import { short } from './chart.tsx';
import { DayChart } from './day-chart.tsx';
import {
  beginOf,
  csvOf,
  everyDay,
  type Grouping,
  groupings,
  type Measure,
  measures,
  type Time,
  times,
} from './figures.ts';
import { ShareChart } from './share-chart.tsx';
import { UsageTable } from './usage-table.tsx';
import { t } from './words.ts';

/** What model calls cost, by day, model or session. */
export function UsagePage(_: PageProps) {
  const { query } = place.value;
  const by = chosen(query.get('by'), groupings, 'day');
  const time = chosen(query.get('time'), times, 'month');
  const now = Date.now();
  const from = beginOf(time, now);
  const { data, error, reload } = useRequest(
    'usage.get',
    { by, ...(from !== null && { from }) },
    { everyMs: 10_000 },
  );
  const usage = data;
  // Where nothing has a price, tokens say more.
  const usual = usage !== undefined && !usage.total.costUsd ? 'tokens' : 'cost';
  const measure = chosen(query.get('measure'), measures, usual);
  return (
    <main class="page usage-page">
      <div class="wrap usage">
        <Headline title={t.title} about={t.intro}>
          {usage !== undefined && usage.groups.length > 0 && <Download by={by} sums={usage.groups} />}
        </Headline>
        <div class="filters">
          <NamedSegments
            label={t.by}
            options={[
              ['day', t.byDay],
              ['model', t.byModel],
              ['session', t.bySession],
            ]}
            chosen={by}
            choose={(one) => setQuery({ by: one })}
          />
          <NamedSegments
            label={t.measure}
            options={measures.map((one) => [one, t[one]])}
            chosen={measure}
            choose={(one) => setQuery({ measure: one })}
          />
          <TimeSegments times={times} chosen={time} />
        </div>
        {error && <Failure error={error} retry={reload} />}
        {usage === undefined && !error && <p class="loading">{t.loading}</p>}
        {usage !== undefined && usage.total.calls === 0 && <Nothing time={time} />}
        {usage !== undefined && usage.total.calls > 0 && (
          <Report usage={usage} by={by} time={time} measure={measure} now={now} />
        )}
        {usage !== undefined && <Budgets budgets={usage.budgets} />}
      </div>
    </main>
  );
}

/** A value of the address, if it is one that there is. */
function chosen<Word extends string>(text: string | null, known: readonly Word[], usual: Word): Word {
  return known.find((word) => word === text) ?? usual;
}

function Nothing({ time }: { time: Time }) {
  return (
    <div class="empty">
      <p>{time === 'all' ? t.noneYet : t.none}</p>
      {time === 'all' ? (
        <a class="btn" href={href('/chat')}>
          {t.toChat}
        </a>
      ) : (
        <button type="button" class="btn" onClick={() => setQuery({ time: 'all' })}>
          {t.showAll}
        </button>
      )}
    </div>
  );
}

interface ReportProps {
  usage: Output<'usage.get'>;
  by: Grouping;
  time: Time;
  measure: Measure;
  now: number;
}

function Report({ usage: { groups, total }, by, time, measure, now }: ReportProps) {
  const [marked, mark] = useState<string | null>(null);
  const nameOf = (key: string) => (by === 'day' ? dayName(key) : key === '' ? t.deleted : key);
  const shared = { measure, nameOf, marked, mark };
  return (
    <>
      <Totals total={total} />
      <div class="usage-cols">
        <section class="panel usage-chart" aria-label={measure === 'cost' ? t.cost : t.tokens}>
          {by === 'day' ? (
            <DayChart sums={everyDay(groups, time, now)} {...shared} />
          ) : (
            <ShareChart sums={groups} {...shared} />
          )}
        </section>
        <UsageTable by={by} sums={groups} total={total} {...shared} />
      </div>
      {total.unpriced > 0 && <p class="usage-note">{t.unpriced(total.unpriced)}</p>}
      {total.estimated > 0 && <p class="usage-note">{t.estimated(total.estimated)}</p>}
    </>
  );
}

/** `22 Nov`: a day of UTC, wherever the reader is. */
function dayName(key: string): string {
  return written(Date.parse(`${key}T00:00:00Z`), { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

function Totals({ total }: { total: UsageSum }) {
  const { calls, failed, inputTokens, outputTokens, reasoningTokens } = total;
  const share = inputTokens === 0 ? 0 : total.cachedInputTokens / inputTokens;
  const percent = new Intl.NumberFormat(locale.value, { style: 'percent', maximumFractionDigits: 0 });
  /** Each with what is to be said of it. */
  const figures = [
    [
      t.cost,
      total.costUsd === null ? t.noPrice : money(total.costUsd),
      total.costUsd !== null && calls > 0 && t.perCall(money(total.costUsd / calls)),
    ],
    [t.calls, count(calls), failed > 0 && t.failedCalls(count(failed))],
    [t.input, short(inputTokens), share > 0 && t.ofCache(percent.format(share))],
    [t.output, short(outputTokens), reasoningTokens > 0 && t.reasoning(short(reasoningTokens))],
  ] as const;
  return (
    <dl class="totals">
      {figures.map(([name, figure, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{figure}</b>
            <small>{more}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The table as a file, made in the browser. */
function Download({ by, sums }: { by: Grouping; sums: readonly UsageSum[] }) {
  // Spreadsheets read it as UTF-8 with this mark alone.
  const save = () =>
    saveFile(`usage-by-${by}.csv`, new Blob(['\ufeff', csvOf(by, sums)], { type: 'text/csv' }));
  return (
    <button type="button" class="btn" onClick={save}>
      {t.download}
    </button>
  );
}
