import { Headline } from '../../parts/headline.tsx';
import './runs.css';
import { useState } from 'preact/hooks';
import type { PageProps } from '../../base/page-props.ts';
import { go, href, place } from '../../base/place.ts';
import { runsOf } from '../../data/runs.ts';
import { useLast, useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Board, SmallBoard } from './board.tsx';
import { FilterBar } from './filter-bar.tsx';
import {
  activeInput,
  endedInput,
  type Filters,
  type FoldedRun,
  filtersOf,
  grouped,
  isFiltered,
  modelsOf,
  sinceOf,
} from './filters.ts';
import { Folded } from './folded-run.tsx';
import { ReplayAll } from './replay-all.tsx';
import { RunWindow } from './run-window.tsx';
import { t } from './words.ts';

const pageSize = 100;
const most = 1_000;

/** All runs: each a ball on the board, and a line below. */
export function RunsPage(_: PageProps) {
  const filters = filtersOf(place.value.query);
  const now = Date.now();
  const [limit, setLimit] = useState(pageSize);
  const since = sinceOf(filters.time, now);
  const counts = useRequest('run.counts', since === undefined ? {} : { since }, { everyMs: 2_000 });
  const active = useRequest('run.list', activeInput(filters), { everyMs: 2_000 });
  const ended = useRequest('run.list', endedInput(filters, now, limit), { everyMs: 4_000 });
  const shownActive = useLast(runsOf(active.data)) ?? [];
  const shownEnded = useLast(runsOf(ended.data)) ?? [];
  const { asks, waiting, left, working } = grouped(activeInput(filters) === null ? [] : shownActive, filters);
  const endedRuns = endedInput(filters, now, limit) === null ? [] : shownEnded;
  const lines = [...waiting, ...left, ...working];
  const runs = [...lines.flatMap(({ run, below }) => [run, ...below]), ...endedRuns];
  const [replayedIds, replay] = useState<readonly string[] | null>(null);
  const error = active.error ?? ended.error ?? counts.error;
  const isLoading = active.isLoading && ended.isLoading && runs.length === 0;
  const linkOf = (state: string) => linkTo(place.value.query, state);
  return (
    <main class="page runs-page">
      <div class="wrap">
        <Headline
          title={t.title}
          about={{ today: t.introToday, week: t.introWeek, all: t.introAll }[filters.time]}
        >
          {runs.length > 0 && (
            <button
              type="button"
              class="btn hidephone"
              onClick={() => replay(runs.map(({ runId }) => runId))}
            >
              {t.replayAll}
            </button>
          )}
          <a class="btn hidephone" href={href('/actors')}>
            {t.actors}
          </a>
          <a class="btn primary" href={href('/chat')}>
            {t.newRun} <kbd>N</kbd>
          </a>
        </Headline>
        {replayedIds !== null && <ReplayAll runIds={replayedIds} onClose={() => replay(null)} />}
        <Board counts={counts.data?.counts ?? {}} chosen={filters.state} linkOf={linkOf} />
        <SmallBoard counts={counts.data?.counts ?? {}} linkOf={linkOf} />
        <FilterBar filters={filters} models={modelsOf(runs, filters.model)} />
        {error && <Failure error={error} retry={active.reload} />}
        {isLoading && !error && <p class="loading">{t.loading}</p>}
        {!isLoading && runs.length === 0 && !error && <Nothing filters={filters} />}
        {runs.length > 0 && (
          <>
            <div class="colhead label" aria-hidden="true">
              <span>{t.words}</span>
              <span>{t.state}</span>
              <span>{t.course}</span>
              <span class="num">{t.took}</span>
              <span class="num">{t.cost}</span>
              <span class="num">{t.began}</span>
            </div>
            <div class="runs">
              <Group title={t.waitingGroup} n={asks} lines={waiting} now={now} />
              <Group title={t.leftGroup} lines={left} now={now} />
              <Group title={t.workingGroup} lines={working} now={now} />
              {endedRuns.length > 0 && (
                <section aria-label={t.endedGroup}>
                  <h2>{t.endedGroup}</h2>
                  <RunWindow runs={endedRuns} now={now} />
                </section>
              )}
            </div>
            {endedRuns.length >= limit && limit < most && (
              <p class="runs-more">
                <button type="button" class="btn" onClick={() => setLimit(Math.min(most, limit + pageSize))}>
                  {t.more}
                </button>
              </p>
            )}
          </>
        )}
      </div>
    </main>
  );
}

interface GroupProps {
  title: string;
  /** Said where lines stand for more runs than one. */
  n?: number;
  lines: readonly FoldedRun[];
  now: number;
}

function Group({ title, n, lines, now }: GroupProps) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title}
        {n !== undefined && <span class="num"> · {n}</span>}
      </h2>
      {lines.map((one) => (
        <Folded key={one.run.runId} folded={one} now={now} />
      ))}
    </section>
  );
}

/** The same list with another column of the board; of the chosen one, with all. */
function linkTo(query: URLSearchParams, state: string): string {
  const next = new URLSearchParams(query);
  if (state === '' || query.get('state') === state) next.delete('state');
  else next.set('state', state);
  const text = next.toString();
  return text === '' ? '/runs' : `/runs?${text}`;
}

function Nothing({ filters }: { filters: Filters }) {
  if (isFiltered(filters))
    return (
      <div class="empty">
        <p>{t.noneFits}</p>
        <button type="button" class="btn" onClick={() => go(`/runs?time=${filters.time}`)}>
          {t.clearFilters}
        </button>
      </div>
    );
  return (
    <div class="empty">
      <p>{filters.time === 'all' ? t.none : t.noneToday}</p>
      {filters.time === 'all' ? (
        <a class="btn" href={href('/chat')}>
          {t.newRun}
        </a>
      ) : (
        <button type="button" class="btn" onClick={() => go('/runs?time=all')}>
          {t.showAll}
        </button>
      )}
    </div>
  );
}
