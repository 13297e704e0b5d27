import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobView } from '#src/protocol/views.ts';
import { href } from '../../base/place.ts';
import { may } from '../../data/connection.ts';
import { useRequest } from '../../data/use-request.ts';
import { Shape } from '../../parts/shape.tsx';
import { visible } from '../../parts/visible.ts';
import { errorInWords } from '../../parts/why/finding.ts';
import { barsShown } from './bars.ts';
import { RunNow } from './job-actions.tsx';
import { JobSwitch } from './job-switch.tsx';
import { NextTimes } from './next-times.tsx';
import { expressionOf, scheduleText } from './schedule-text.ts';
import { SlotBars } from './slot-bars.tsx';
import { newestDelivery, targetText, troubleOf } from './target-text.ts';
import { t } from './words.ts';

interface JobRowProps {
  job: JobView;
  now: number;
  /** Reads the list again. */
  reload(): void;
}

export function pathOf(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}

/** Whether it has no next time, until a person says otherwise. */
export function isAtRest({ state }: JobView): boolean {
  return ['paused', 'disabled', 'finished', 'failed'].includes(state);
}

/** A job in the list: what it is, when it is due, what became of its last slots. */
export function JobRow({ job, now, reload }: JobRowProps) {
  const row = useRef<HTMLLIElement>(null);
  const history = useHistory(job, useSeen(row));
  const expression = expressionOf(job);
  const path = pathOf(job.jobId);
  return (
    <li ref={row} class={isAtRest(job) ? 'job off' : 'job'}>
      <JobSwitch job={job} reload={reload} />
      <div class="what">
        <h2 class="cut">
          <a href={href(path)}>{visible(job.jobId)}</a>
        </h2>
        <p class="say">
          {scheduleText(job)} {expression !== null && <code>{expression}</code>}
        </p>
        <Deliveries job={job} slots={history ?? []} />
      </div>
      <NextTimes job={job} slots={history} now={now} reload={reload} />
      <SlotBars job={job} slots={history} />
      <div class="acts">
        {may('write') && <RunNow job={job} isSmall reload={reload} />}
        {may('write') && job.source !== 'config' && (
          <a class="btn small ghost" href={href(`${path}?form=edit`)}>
            {t.edit}
            <span class="sr"> {job.jobId}</span>
          </a>
        )}
      </div>
    </li>
  );
}

/** The last slots; read again when something of the job has changed. */
export function useHistory(job: JobView, isWanted = true, limit = barsShown) {
  const { data, reload } = useRequest('cron.history', isWanted ? { jobId: job.jobId, limit } : null);
  const mark = [
    job.state,
    job.last?.n,
    job.last?.at,
    job.last?.lost,
    job.next[0],
    job.queued,
    job.undelivered,
    job.current?.runId,
  ];
  const text = JSON.stringify(mark);
  const seen = useRef(text);
  useEffect(() => {
    if (seen.current === text) return;
    seen.current = text;
    reload();
  }, [text, reload]);
  return data?.slots;
}

/** Whether an element has been in view. */
function useSeen(ref: { current: HTMLElement | null }): boolean {
  const [isSeen, see] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (isSeen || element === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) see(true);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return isSeen;
}

type Slots = Parameters<typeof newestDelivery>[1];

/** Where results go; a target that did not get the newest one says so. */
export function Deliveries({ job, slots }: { job: JobView; slots: Slots }) {
  if (job.deliver.length === 0) return null;
  return (
    <ul class="deliv" aria-label={t.deliveries}>
      {job.deliver.map((target) => {
        const newest = newestDelivery(target, slots);
        const trouble = troubleOf(newest);
        return (
          <li
            key={JSON.stringify(target)}
            class={trouble === null ? undefined : 'bad'}
            title={newest?.error ? errorInWords(newest.error) : undefined}
          >
            {trouble === null ? <span aria-hidden="true">→</span> : <Shape state="fail" size={9} />}
            <span class="cut">{targetText(target)}</span>
            {trouble !== null && <span class="nw">{trouble}</span>}
          </li>
        );
      })}
    </ul>
  );
}
