import type { JobView } from '../../../protocol/views.ts';
import { printable } from '../../../text/wording.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { jobText } from './list.ts';
import { jobScope, jobWord, readingJobs } from './with-scheduler.ts';
import { targetWords } from './words.ts';

/** `detent cron show JOB`: everything about it. */
export async function showJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const jobId = jobWord(words);
  const scope = jobScope(flags);
  const options = await loadOptions(flags, io);
  const job = await readingJobs(options, scope, (ask) => ask('cron.get', { jobId }));
  if (flags.json) io.json(job);
  else io.out(io.asTyped([jobText(job), '\n', settings(job)]));
  return exit.ok;
}

function settings(job: JobView): string {
  const rows: [string, string][] = [
    ['schedule', written(job)],
    ...(job.workflow === undefined
      ? [['prompt', job.prompt] satisfies [string, string]]
      : [
          ['workflow', job.workflow] satisfies [string, string],
          ['input', JSON.stringify(job.input ?? null)] satisfies [string, string],
        ]),
    ...(job.agent === null ? [] : [['agent', job.agent] satisfies [string, string]]),
    ...(job.model === null ? [] : [['model', job.model] satisfies [string, string]]),
    ...(job.skill === null ? [] : [['skill', job.skill] satisfies [string, string]]),
    ['delivers to', list(job.deliver.map(targetWords))],
    ['attempts', `up to ${job.attempts} at each delivery`],
    [
      'misfire',
      `${job.misfire}; late after ${span(job.graceMs)}; window ${job.windowMs === null ? 'any' : span(job.windowMs)}`,
    ],
    ['overlap', job.overlap],
    ['jitter', job.jitterMs === 0 ? 'none' : `up to ${span(job.jitterMs)}`],
    ['pauses', job.pauseAfter === null ? 'never' : `after ${job.pauseAfter} failures in a row`],
    [
      'alerts',
      job.alertAfter === null
        ? 'never'
        : `${list(job.alert.map(targetWords))} after ${job.alertAfter} failures in a row`,
    ],
    ['keeps', `its last ${job.keep} slots`],
    ...(job.limits === null ? [] : [['limits', JSON.stringify(job.limits)] satisfies [string, string]]),
    ...(job.budget === null ? [] : [['budget', job.budget] satisfies [string, string]]),
    [
      'made by',
      job.source === 'config' ? 'the configuration file' : job.source === 'tool' ? 'an agent' : 'a person',
    ],
    ...(job.workflow === undefined
      ? [['session', job.sessionId ?? 'one for each run'] satisfies [string, string]]
      : []),
    ['own run', job.jobRunId],
  ];
  return rows
    .map(
      ([name, text]) => `  ${name.padEnd(11)}  ${printable(text.replaceAll('\n', `\n${' '.repeat(15)}`))}\n`,
    )
    .join('');
}

function written({ schedule }: JobView): string {
  if (schedule.kind === 'cron') return `${schedule.expression} (${schedule.dialect}, ${schedule.timeZone})`;
  if (schedule.kind === 'at') return `once, at ${new Date(schedule.atMs).toISOString()}`;
  return `every ${span(schedule.everyMs)}, counted from ${new Date(schedule.anchorMs).toISOString()}`;
}

function list(words: readonly string[]): string {
  return words.length === 0 ? 'nothing' : words.join(', ');
}

function span(ms: number): string {
  const [unit, length] =
    (
      [
        ['d', 86_400_000],
        ['h', 3_600_000],
        ['m', 60_000],
        ['s', 1_000],
      ] as const
    ).find(([, length]) => ms >= length && ms % length === 0) ?? (['ms', 1] as const);
  return `${ms / length}${unit}`;
}
