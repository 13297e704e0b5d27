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
function stillness({
  state,
  why,
  failures,
}: JobView): { word: string; why: string; isByFailures: boolean } | null {
  const isByFailures = state === 'paused' && failures > 0 && /^its last .*failed$/.test(why ?? '');
  switch (state) {
    case 'paused':
    case 'disabled':
      return { word: state === 'paused' ? t.paused : t.disabled, why: whyOf(why, failures), isByFailures };
    case 'finished':
      return { word: t.finished, why: t.finishedWhy, isByFailures };
    case 'failed':
      return { word: t.broken, why: t.brokenWhy, isByFailures };
    default:
      return null;
  }
}

/** The reasons that Detent itself gives, in the language of the page; a person's own as it is. */
function whyOf(why: string | null, failures: number): string {
  if (why === null || why === 'paused by hand' || why === 'disabled by hand') return t.byHand;
  if (why === 'it was made so') return t.madeSo;
  return /^its last .*failed$/.test(why) ? t.afterFailures(failures) : why;
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
