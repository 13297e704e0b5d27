import './usage.css';
import { useState } from 'preact/hooks';
import type { Output } from '#src/client/index.ts';
import { count, money } from '../../base/format.ts';
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
  const usual = usage !== undefined && usage.total.costUsd === 0 ? 'tokens' : 'cost';
  const measure = chosen(query.get('measure'), measures, usual);
  return (
    <main class="page usage-page">
      <div class="wrap usage">
        <div class="headline">
          <div>
            <h1>{t.title}</h1>
            <p>{t.intro}</p>
          </div>
          <div class="right">
            {usage !== undefined && usage.groups.length > 0 && <Download by={by} sums={usage.groups} />}
          </div>
        </div>
        <div class="filters">
          <Choice
            label={t.by}
            options={groupings}
            value={by}
            nameOf={(one) => ({ day: t.byDay, model: t.byModel, session: t.bySession })[one]}
            choose={(one) => setQuery({ by: one })}
          />
          <Choice
            label={t.measure}
            options={measures}
            value={measure}
            nameOf={(one) => ({ cost: t.cost, tokens: t.tokens })[one]}
            choose={(one) => setQuery({ measure: one })}
          />
          <Choice
            label={t.time}
            isLast
            options={times}
            value={time}
            nameOf={(one) => ({ today: t.today, week: t.week, month: t.month, all: t.all })[one]}
            choose={(one) => setQuery({ time: one })}
          />
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

interface ChoiceProps<Word extends string> {
  label: string;
  options: readonly Word[];
  value: Word;
  nameOf(word: Word): string;
  choose(word: Word): void;
  isLast?: boolean;
}

function Choice<Word extends string>({
  label,
  options,
  value,
  nameOf,
  choose,
  isLast = false,
}: ChoiceProps<Word>) {
  return (
    <fieldset class={isLast ? 'seg right' : 'seg'}>
      <legend class="sr">{label}</legend>
      {options.map((word) => (
        <button key={word} type="button" aria-pressed={word === value} onClick={() => choose(word)}>
          {nameOf(word)}
        </button>
      ))}
    </fieldset>
  );
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
  const form = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale.value, form).format(Date.parse(`${key}T00:00:00Z`));
}

function Totals({ total }: { total: UsageSum }) {
  const share = total.inputTokens === 0 ? 0 : total.cachedInputTokens / total.inputTokens;
  const percent = new Intl.NumberFormat(locale.value, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <dl class="totals">
      <div>
        <dt>{t.cost}</dt>
        <dd>
          <b>{total.unpriced === total.calls ? t.noPrice : money(total.costUsd)}</b>
          <small>{total.unpriced === total.calls ? '' : t.perCall(money(total.costUsd / total.calls))}</small>
        </dd>
      </div>
      <div>
        <dt>{t.calls}</dt>
        <dd>
          <b>{count(total.calls)}</b>
          <small>{total.failed > 0 && t.failedCalls(count(total.failed))}</small>
        </dd>
      </div>
      <div>
        <dt>{t.input}</dt>
        <dd>
          <b>{short(total.inputTokens)}</b>
          <small>{share > 0 && t.ofCache(percent.format(share))}</small>
        </dd>
      </div>
      <div>
        <dt>{t.output}</dt>
        <dd>
          <b>{short(total.outputTokens)}</b>
          <small>{total.reasoningTokens > 0 && t.reasoning(short(total.reasoningTokens))}</small>
        </dd>
      </div>
    </dl>
  );
}

/** The table as a file, made in the browser. */
function Download({ by, sums }: { by: Grouping; sums: readonly UsageSum[] }) {
  const save = () => {
    // Spreadsheets read it as UTF-8 with this mark alone.
    const url = URL.createObjectURL(new Blob(['\ufeff', csvOf(by, sums)], { type: 'text/csv' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `usage-by-${by}.csv`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" class="btn" onClick={save}>
      {t.download}
    </button>
  );
}
