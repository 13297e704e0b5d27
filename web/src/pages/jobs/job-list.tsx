import { useState } from 'preact/hooks';
import type { JobView } from '#src/protocol/views.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, href } from '../../base/place.ts';
import { may } from '../../data/connection.ts';
import { useAction } from '../../data/use-action.ts';
import { ask, useRequest } from '../../data/use-request.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Headline } from '../../parts/headline.tsx';
import { ComingDay } from './coming-day.tsx';
import { isAtRest, JobRow } from './job-row.tsx';
import { BarsLegend } from './slot-bars.tsx';
import { readersZone } from './time-words.ts';
import { t } from './words.ts';

const pageSize = 100;
const newJob = '/jobs?form=new';

/** All jobs, with the strip of the coming day. */
export function JobList() {
  const [limit, setLimit] = useState(pageSize);
  const { data, error, reload } = useRequest('cron.list', { limit }, { everyMs: 3_000 });
  const now = Date.now();
  useShortcuts([{ keys: 'N', words: t.newJob, act: () => go(newJob) }]);
  // Those at rest come last.
  const jobs = data?.jobs.toSorted((a, b) => Number(isAtRest(a)) - Number(isAtRest(b)));
  return (
    <>
      <Headline title={t.title} about={t.intro(readersZone(now))}>
        {may('write') && jobs !== undefined && <PauseAll jobs={jobs} reload={reload} />}
        {may('write') && (
          <a class="btn primary" href={href(newJob)}>
            {t.newJob}
          </a>
        )}
      </Headline>
      {error && <Failure error={error} retry={reload} />}
      {jobs === undefined && !error && <p class="loading">{t.loading}</p>}
      {jobs?.length === 0 && (
        <div class="empty">
          <p>{t.none}</p>
          <a class="btn" href={href(newJob)}>
            {t.newJob}
          </a>
        </div>
      )}
      {jobs !== undefined && jobs.length > 0 && (
        <>
          <ComingDay jobs={jobs} now={now} />
          <ul class="jobs">
            {jobs.map((job) => (
              <JobRow key={job.jobId} job={job} now={now} reload={reload} />
            ))}
          </ul>
          {jobs.length >= limit && limit < 1_000 && (
            <button type="button" class="btn" onClick={() => setLimit(Math.min(1_000, limit + pageSize))}>
              {t.more}
            </button>
          )}
          <BarsLegend />
        </>
      )}
    </>
  );
}

/** Pauses those that run; where all are paused, resumes them. */
function PauseAll({ jobs, reload }: { jobs: readonly JobView[]; reload(): void }) {
  const [isAsking, askFirst] = useState(false);
  const { error, act } = useAction();
  const going = jobs.filter((job) => !isAtRest(job));
  const paused = jobs.filter(({ state }) => state === 'paused');
  const isPause = going.length > 0;
  const meant = isPause ? going : paused;
  if (meant.length === 0) return null;
  const change = async () => {
    for (const { jobId } of meant) await ask(isPause ? 'cron.pause' : 'cron.resume', { jobId });
  };
  return (
    <>
      {error && <Failure error={error} />}
      <button type="button" class="btn hidephone" onClick={() => askFirst(true)}>
        {isPause ? t.pauseAll : t.resumeAll}
      </button>
      {isAsking && (
        <AskDialog
          title={isPause ? t.pauseAllAsk(meant.length) : t.resumeAllAsk(meant.length)}
          action={isPause ? t.pauseAll : t.resumeAll}
          onYes={() => void act(change).then(reload)}
          onClose={() => askFirst(false)}
        >
          {isPause ? t.pauseAllWhat : t.resumeAllWhat}
        </AskDialog>
      )}
    </>
  );
}
