import type { FireView, JobView } from '#src/protocol/views.ts';
import { elapsed } from '../../base/format.ts';
import { chatPath, href, runPath } from '../../base/place.ts';
import { ask } from '../../data/use-request.ts';
import { DecideButton } from '../../parts/question/decide-button.tsx';
import { Chip } from '../../parts/shape.tsx';
import { switchOf } from './job-switch.tsx';
import { away, dayTime, laterTimes } from './time-words.ts';
import { t } from './words.ts';

interface NextTimesProps {
  job: JobView;
  slots: readonly FireView[] | undefined;
  now: number;
  reload(): void;
}

/** When a job is due, what it does now, and why it stands still. */
export function NextTimes({ job, slots, now, reload }: NextTimesProps) {
  const [next] = job.next;
  const later = laterTimes(job.next, now);
  const still = stillness(job);
  return (
    <ul class="next">
      {still !== null && (
        <>
          <li>
            <b>{still.word}</b>
          </li>
          <li>{still.why}</li>
          {still.isByFailures && (
            <li>
              <button
                type="button"
                class="btn small"
                onClick={() => void ask(switchOf(job.state), { jobId: job.jobId }).finally(reload)}
              >
                {t.resume}
              </button>
            </li>
          )}
        </>
      )}
      {next !== undefined && (
        <>
          <li>
            <b>{dayTime(next, now)}</b>
          </li>
          <li>{away(next, now)}</li>
        </>
      )}
      <Doing job={job} slots={slots} now={now} />
      {later !== null && <li>{t.afterwards(later)}</li>}
    </ul>
  );
}

/** Why it has no next time; null for a job that goes on. */
function stillness(job: JobView): { word: string; why: string; isByFailures: boolean } | null {
  const word = stillWords[job.state];
  if (word === undefined) return null;
  return { word: t[word], why: whyOf(job), isByFailures: job.state === 'paused' && job.cause === 'failures' };
}

const stillWords: Partial<Record<JobView['state'], 'paused' | 'disabled' | 'finished' | 'broken'>> = {
  paused: 'paused',
  disabled: 'disabled',
  finished: 'finished',
  failed: 'broken',
};

/** The reasons that Detent itself gives, in the language of the page; a person's own as it is. */
function whyOf({ cause, why, failures }: JobView): string {
  switch (cause) {
    case 'made_so':
      return t.madeSo;
    case 'configured':
      return t.configured;
    case 'failures':
      return t.afterFailures(failures);
    case 'finished':
      return t.finishedWhy;
    case 'faulted':
      return t.brokenWhy;
    default:
      return cause === 'given' && why !== null ? why : t.byHand;
  }
}

/** What it does at this moment, if it does not just wait for its time. */
function Doing({ job, slots, now }: { job: JobView; slots: readonly FireView[] | undefined; now: number }) {
  const { state, current, queued } = job;
  const runId = current?.runId ?? null;
  const begun = slots?.find(({ n }) => n === current?.n)?.begunAt ?? null;
  return (
    <>
      {state === 'waiting' && runId !== null && (
        <li>
          {current?.waitsForEvent ? (
            <a
              // Each run of a workflow has a session of its own.
              href={href(chatPath(current.sessionId ?? `workflow:${runId}`))}
            >
              <Chip state="decide">{t.patient}</Chip>
            </a>
          ) : (
            <>
              <Chip state="ask">{t.waiting}</Chip> <DecideButton runId={runId} words={t.decide} />
            </>
          )}
        </li>
      )}
      {state === 'running' && (
        <li>
          {runId === null ? (
            t.running
          ) : (
            <a class="link" href={href(runPath(runId))}>
              {begun === null ? t.running : t.runningFor(elapsed(now - begun))}
            </a>
          )}
        </li>
      )}
      {state === 'delivering' && <li>{t.delivering}</li>}
      {state === 'overdue' && (
        <li>
          <b class="trouble">{t.overdue}</b> {t.overdueWhy}
        </li>
      )}
      {state === 'interrupted' && (
        <li>
          <b class="trouble">{t.interrupted}</b> {t.interruptedWhy}
        </li>
      )}
      {queued > 0 && <li>{t.queued(queued)}</li>}
    </>
  );
}
