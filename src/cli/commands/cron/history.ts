import type { FireView, JobView } from '../../../protocol/job-view.ts';
import { printable } from '../../../text/printable.ts';
import { type Flags, wholeNumber, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { styled, type Text } from '../../terminal/styled.ts';
import { jobScope } from './job-scope.ts';
import { readingJobs } from './with-scheduler.ts';
import { clockTime, deliveryWords, outcomeWords } from './words.ts';

/** `detent cron history JOB`: its slots, newest first. */
export async function jobHistory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = word(words, 0, 'JOB');
  const scope = jobScope(flags);
  const limit = wholeNumber(flags, 'limit', 1);
  const below = wholeNumber(flags, 'below', 1);
  const options = await loadOptions(flags, io);
  const page = { ...(limit !== undefined && { limit }), ...(below !== undefined && { below }) };
  const { job, fires } = await readingJobs(options, async (scheduler) => ({
    job: await scheduler.get(id, scope),
    fires: await scheduler.history(id, page, scope),
  }));
  if (flags.json) io.json(fires);
  else if (fires.length === 0) io.say(`"${id}" has not run yet`);
  else io.out(io.asTyped(fires.map((fire) => fireText(fire, job))));
  return exit.ok;
}

/** A slot for people. */
export function fireText(fire: FireView, job: JobView, now = Date.now()): Text {
  const { n, slot, kind, runId, deliveries, begunAt, endedAt } = fire;
  const took =
    begunAt !== null && endedAt !== null ? `, took ${seconds(Math.max(0, endedAt - begunAt))}` : '';
  const details = [
    ...(runId === null ? [] : [`run ${runId}${took}`]),
    ...deliveries.map((delivery) => deliveryWords(delivery, now)),
    ...(deliveries.some(({ status }) => status === 'dead')
      ? [`try it again with: detent cron redeliver ${job.jobId} ${n}`]
      : []),
  ];
  const by = kind === 'manual' ? ' (by hand)' : '';
  return [
    styled('dim', `#${n}`),
    `  ${clockTime(slot, job)}${by}  ${printable(outcomeWords(fire).replaceAll(/\s+/g, ' '))}\n`,
    details.map((line) => `    ${printable(line.replaceAll(/\s+/g, ' '))}\n`),
  ];
}

function seconds(ms: number): string {
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
