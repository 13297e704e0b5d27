import { useEffect, useState } from 'preact/hooks';
import type { JobView } from '#src/protocol/views.ts';
import { timeOfDay } from '../../base/format.ts';
import { href } from '../../base/place.ts';
import { ask } from '../../data/use-request.ts';
import { visible } from '../../parts/visible.ts';
import {
  baseline,
  type DayJob,
  type DayStrip,
  dayStrip,
  heightOfLanes,
  hourTicks,
  type Label,
  linePath,
  stripWidth,
} from './day-strip.ts';
import { pathOf } from './job-row.tsx';
import { t } from './words.ts';

const dayMs = 86_400_000;
const mostTimes = 100;
const longestName = 22;

/** The coming 24 hours on the rail: a notch for each time at which a job is due. */
export function ComingDay({ jobs, now }: { jobs: readonly JobView[]; now: number }) {
  const dayJobs = useDayTimes(jobs, now);
  const strip = dayStrip(
    dayJobs,
    now,
    ({ jobId, times }) => `${shortName(jobId)} ${timeOfDay(times[0] ?? 0)}`,
  );
  const y = heightOfLanes(strip.lanes);
  const isQuiet = strip.notches.length === 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the strip scrolls, so it must take the keyboard.
    <section class="day" tabIndex={0} aria-label={t.comingDay}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing can be no fieldset. */}
      <svg
        viewBox={`0 0 ${stripWidth} ${y + 46}`}
        role="group"
        aria-label={isQuiet ? t.quietDay : t.comingDay}
      >
        <Hours now={now} y={y} />
        {strip.marks.map((x) => (
          <path key={x} class="day-mark" d={`M${x} ${y - 3}v-5`} />
        ))}
        <path class="day-line" d={linePath(strip.notches, y)} />
        {strip.labels.map((label) => (
          <DayLabel key={label.jobId} label={label} y={y} />
        ))}
        <Balls strip={strip} y={y} />
        {isQuiet && (
          <text x={stripWidth / 2} y={y - 14} text-anchor="middle">
            {t.quietDay}
          </text>
        )}
        <g class="day-now">
          <path d={`M1 ${baseline(strip.nowLane, y) - 16}V${y + 26}`} />
          <circle cx="1" cy={y} r="7" />
          <text x="8" y={baseline(strip.nowLane, y) - 4}>
            {timeOfDay(now)}
          </text>
        </g>
      </svg>
    </section>
  );
}

function Hours({ now, y }: { now: number; y: number }) {
  return (
    <>
      {hourTicks(now).map(({ x, at, hour, isLabelled }) => (
        <g key={at}>
          <path class="day-tick" d={`M${x} ${y + 16}v${hour % 6 === 0 ? 9 : 4}`} />
          {isLabelled && (
            <text x={x} y={y + 40} text-anchor="middle">
              {hour}:00
            </text>
          )}
        </g>
      ))}
    </>
  );
}

/** A filled ball where a job is due next, a ring where it is due again. */
function Balls({ strip, y }: { strip: DayStrip; y: number }) {
  return (
    <>
      {strip.notches.map(({ x, due, isNext }) => (
        <circle key={x} class={isNext ? 'day-next' : 'day-later'} cx={x} cy={y + 1} r="4">
          <title>{due.map(({ jobId, at }) => t.dayAt(jobId, timeOfDay(at))).join('\n')}</title>
        </circle>
      ))}
    </>
  );
}

function DayLabel({ label: { jobId, at, x, lane, side }, y }: { label: Label; y: number }) {
  const text = baseline(lane, y);
  return (
    <>
      <path class="day-stem" d={`M${x} ${y - 4}V${text - 8}`} />
      <a href={href(pathOf(jobId))} class="day-label">
        <text
          x={side === 'right' ? x + 6 : x - 6}
          y={text}
          text-anchor={side === 'right' ? undefined : 'end'}
        >
          {shortName(jobId)}
          <tspan dx="6">{timeOfDay(at)}</tspan>
        </text>
      </a>
    </>
  );
}

function shortName(name: string): string {
  const signs = [...visible(name)];
  return signs.length <= longestName ? signs.join('') : `${signs.slice(0, longestName - 1).join('')}…`;
}

/**
 * The times of each job in the coming day. The list has the next three of each; a job that is due more often is asked for more of them,
 * again whenever its next time has changed.
 */
function useDayTimes(jobs: readonly JobView[], now: number): DayJob[] {
  const [more, keepMore] = useState<Readonly<Record<string, readonly number[]>>>({});
  const frequent = jobs.filter(({ next }) => next.length === 3 && (next[2] ?? 0) < now + dayMs);
  const mark = frequent.map(({ jobId, next }) => `${jobId} ${next[0]}`).join('\n');
  useEffect(() => {
    let isShown = true;
    for (const { jobId } of frequent)
      ask('cron.next', { jobId, count: mostTimes }).then(
        ({ next }) => isShown && keepMore((known) => ({ ...known, [jobId]: next })),
        // The three that are known are shown.
        () => {},
      );
    return () => {
      isShown = false;
    };
  }, [mark]);
  return jobs
    .filter(({ next }) => next.length > 0)
    .map(({ jobId, next }) => {
      const isFrequent = frequent.some((job) => job.jobId === jobId);
      const times = (isFrequent && more[jobId]) || next;
      return {
        jobId,
        times,
        isWhole: !isFrequent || (times.length > 3 && (times.at(-1) ?? 0) >= now + dayMs),
      };
    });
}
