import type { JobTarget, SkipReason } from '../../../../machines/job.types.ts';
import type { FireView, JobView } from '../../../protocol/views.ts';
import { counted } from '../../../text/wording.ts';

import { shellWord } from '../../terminal/shell-word.ts';

type Zoned = Pick<JobView, 'schedule'>;

/** A time by the clock of the job, with its zone: `Tue 2026-11-24 09:00 Europe/Berlin`. */
export function clockTime(at: number, job: Zoned): string {
  const zone = zoneOf(job);
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const seconds = of('second') === '00' ? '' : `:${of('second')}`;
  return `${of('weekday')} ${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}${seconds} ${zone}`;
}

/** An interval and a single time have no zone of their own. */
function zoneOf({ schedule }: Zoned): string {
  return schedule.kind === 'cron' ? schedule.timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const units = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** How long until a time: `in 2 h 5 min`, `in 3 days`; `now`. */
export function until(at: number, now: number): string {
  const ms = at - now;
  return ms < 1_000 ? 'now' : `in ${spanOf(ms)}`;
}

/** How long a time of a second or more is: `2 h 5 min`, `3 days`. */
export function spanOf(ms: number): string {
  const first = units.findIndex(([, length]) => ms >= length);
  const [unit, length] = units[first] ?? units[3];
  const count = Math.floor(ms / length);
  const [smaller, small] = units[first + 1] ?? ['', 0];
  const rest = small > 0 && unit !== 'day' && unit !== 'min' ? Math.floor((ms % length) / small) : 0;
  const name = unit === 'day' ? counted(count, 'day') : `${count} ${unit}`;
  return `${name}${rest > 0 ? ` ${rest} ${smaller}` : ''}`;
}

/** What the job does now, and what a person has to type where one is needed. */
export function stateLines(job: JobView): string[] {
  const { state, why, current, jobId } = job;
  const run = current?.runId ?? null;
  switch (state) {
    case 'scheduled':
      return job.isAttended
        ? ['scheduled']
        : ['scheduled', 'no process runs the schedule; start one with: detent cron serve (or detent serve)'];
    case 'running':
      if (current?.waitsForStaff)
        return [
          'waiting until the staff gives its conversation back',
          `why: detent runs why ${current.runId}`,
        ];
      return [run === null ? 'running' : `running: ${run}`];
    case 'delivering':
      return ['delivering its result'];
    case 'waiting':
      if (current?.waitsForEvent)
        return [
          'waiting for an event, or for the clock',
          `its workflow says which: detent runs show ${current.runId}`,
        ];
      return [
        'waiting for a person',
        ...(run === null ? [] : [`its run asks; see it with: detent runs show ${run}`]),
      ];
    case 'interrupted':
      return [
        'interrupted: no process drives its run',
        'continue it with: detent cron serve (or detent serve)',
      ];
    case 'overdue':
      return [
        'overdue: its time has come, and no process runs the schedule',
        'run it with: detent cron serve (or detent serve)',
      ];
    case 'paused':
      return [because('paused', why), `resume it with: detent cron resume ${shellWord(jobId)}`];
    case 'finished':
      return ['done: it has no further time', anotherTime(job)];
    case 'disabled':
      return [because('disabled', why), `enable it with: detent cron enable ${shellWord(jobId)}`];
    default:
      return [
        because('failed', why),
        `remove it and create it again: detent cron remove ${shellWord(jobId)}`,
      ];
  }
}

/** How a job that has no time to come gets one. */
export function anotherTime({ jobId, source }: Pick<JobView, 'jobId' | 'source'>): string {
  return source === 'config'
    ? 'give it another time in the configuration'
    : `give it another time with: detent cron update ${shellWord(jobId)} --at TIME`;
}

function because(state: string, why: string | null): string {
  return why === null ? state : `${state}: ${why}`;
}

/** Why a slot did not run. */
export const reasonWords: Readonly<Record<SkipReason, string>> = {
  missed: 'no process ran the schedule at its time',
  coalesced: 'no process ran the schedule at its time; of several such slots only the newest counts',
  too_old: 'no process ran the schedule at its time, and it is too old to run now',
  overlap: 'the previous run was still in progress',
  replaced: 'a later slot took its place',
  queue_full: 'too many slots were already waiting',
  paused: 'the job was paused',
  disabled: 'the job was disabled',
  updated: 'the job was changed before it began',
};

/** What came of a slot. */
export function outcomeWords(
  fire: Pick<FireView, 'status' | 'reason' | 'error' | 'runStatus' | 'waitsForEvent' | 'waitsForStaff'>,
): string {
  const { status, reason, error, runStatus, waitsForEvent, waitsForStaff } = fire;
  if (status === 'skipped') return `did not run: ${reason === null ? 'unknown' : reasonWords[reason]}`;
  if (status === 'queued') return 'waits for its turn';
  if (status === 'running' && waitsForStaff) return 'waits until the staff gives its conversation back';
  if (status === 'running' && waitsForEvent) return 'waits for an event, or for the clock';
  if (status === 'running')
    return runStatus === 'waiting'
      ? 'waits for a person'
      : runStatus === 'interrupted'
        ? 'interrupted: no process drives its run'
        : 'running';
  return error === null ? status : `${status}: ${error.message} (${error.code})`;
}

export function targetWords(target: JobTarget): string {
  switch (target.kind) {
    case 'console':
      return 'console';
    case 'file':
      return `file:${target.path}`;
    case 'session':
      return `session:${target.session}`;
    case 'webhook':
      return target.url;
  }
}
