import type { DeliveryView, FireView, JobView } from '../../../protocol/views.ts';
import { counted, duration, printable } from '../../../text/wording.ts';
import type { Ask } from '../../port/port.ts';
import { type Flags, text, usage, wholeNumber } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { styled, type Text } from '../../terminal/styled.ts';
import { jobScope, jobWord, readingJobs } from './with-scheduler.ts';
import { clockTime, outcomeWords, spanOf, stateLines, targetWords, until } from './words.ts';

const maxLimit = 500;

/** `detent cron list [--limit N] [--after JOB]`: each job as a few lines. */
export async function listJobs(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const scope = jobScope(flags);
  const options = await loadOptions(flags, io);
  const limit = wholeNumber(flags, 'limit', 1) ?? maxLimit;
  if (limit > maxLimit) throw usage(`--limit is at most ${maxLimit}, not "${limit}"`);
  const after = text(flags, 'after');
  // One more says whether there are more.
  const page = { limit: limit + 1, ...(after !== undefined && { afterJobId: after }) };
  const { jobs: found } =
    hasDatabase(options) || options.jobs?.length
      ? await readingJobs(options, scope, (ask) => ask('cron.list', page))
      : { jobs: [] };
  const jobs = found.slice(0, limit);
  if (flags.json) io.json(jobs);
  else if (jobs.length === 0 && after !== undefined) io.say(`there are no jobs after "${after}"`);
  else if (jobs.length === 0)
    io.say(
      'there are no jobs here yet; make one with: detent cron add daily --cron "0 9 * * 1-5" --prompt "…"',
    );
  else io.out(io.asTyped(jobs.map((job, i) => [i > 0 ? '\n' : '', jobText(job)])));
  const last = jobs.at(-1);
  if (found.length > limit && last)
    io.say(`there are more jobs; list them with: detent cron list --after ${shellWord(last.jobId)}`);
  return exit.ok;
}

/** A job for people. */
export function jobText(job: JobView, now = Date.now()): Text {
  const [state = '', ...advice] = stateLines(job);
  const { next, undelivered, queued, failures } = job;
  const lostBefore = job.lost - (job.last?.lost ?? 0);
  const rows: [string, string][] = [
    ['', job.words],
    ...next.map((at, i): [string, string] => [
      i === 0 ? 'next' : '',
      `${clockTime(at, job)}, ${until(at, now)}`,
    ]),
    ['state', state],
    ...advice.map((line): [string, string] => ['', line]),
  ];
  const last = lastWords(job);
  rows.push(['last', last ?? (job.current ? 'its first run has not ended' : 'has not run yet')]);
  if (failures > 1) rows.push(['', `${failures} failures in a row`]);
  if (queued > 0) rows.push(['queue', `${queued} waiting`]);
  if (job.last?.lost)
    rows.push([
      '',
      `${job.last.lost} of the results of #${job.last.n} did not arrive; see: detent cron history ${shellWord(job.jobId)}`,
    ]);
  if (lostBefore > 0)
    rows.push([
      '',
      `${lostBefore} of the results of earlier slots did not arrive; see: detent cron history ${shellWord(job.jobId)}`,
    ]);
  if (undelivered > 0)
    rows.push(['undelivered', `${undelivered}; see: detent cron history ${shellWord(job.jobId)}`]);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => [
    '  ',
    name === '' ? ' '.repeat(width) : styled('dim', name.padEnd(width)),
    `  ${printable(text.replaceAll(/\s+/g, ' '))}\n`,
  ]);
  return [styled('bold', printable(job.jobId)), '\n', lines];
}

/** `detent cron history JOB`: its slots, newest first. */
export async function jobHistory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = jobWord(words);
  const scope = jobScope(flags);
  const limit = wholeNumber(flags, 'limit', 1) ?? usualSlots;
  const below = wholeNumber(flags, 'below', 1);
  const options = await loadOptions(flags, io);
  const { job, fires } = await readingJobs(options, scope, async (ask) => ({
    job: await ask('cron.get', { jobId: id }),
    fires: await slotsOf(ask, id, limit, below),
  }));
  if (flags.json) io.json(fires);
  else if (fires.length === 0)
    io.say(below === undefined ? `"${id}" has not run yet` : `"${id}" has no slots below #${below}`);
  else io.out(io.asTyped(fires.map((fire) => fireText(fire, job))));
  const oldest = fires.at(-1);
  if (job.current && below === undefined && oldest && job.current.n < oldest.n)
    io.say(
      `older, and in progress: #${job.current.n}; see it with: detent cron history ${shellWord(id)} --below ${job.current.n + 1}`,
    );
  return exit.ok;
}

/** A gateway shows no more slots at once. */
const maxSlots = 200;
const usualSlots = 20;

async function slotsOf(
  ask: Ask,
  jobId: string,
  limit: number,
  below: number | undefined,
): Promise<FireView[]> {
  const slots: FireView[] = [];
  for (let from = below; ; from = slots.at(-1)?.n) {
    const size = Math.min(limit - slots.length, maxSlots);
    const page = await ask('cron.history', {
      jobId,
      limit: size,
      ...(from !== undefined && { below: from }),
    });
    slots.push(...page.slots);
    if (page.slots.length < size || slots.length === limit) return slots;
  }
}

/** A slot for people. */
export function fireText(fire: FireView, job: JobView, now = Date.now()): Text {
  const { n, slot, kind, runId, deliveries, begunAt, endedAt, lateMs } = fire;
  const took =
    begunAt !== null && endedAt !== null ? `, took ${duration(Math.max(0, endedAt - begunAt))}` : '';
  const details = [
    ...(runId === null ? [] : [`run ${runId}${took}`]),
    ...deliveries.map((delivery) => deliveryWords(delivery, now)),
    ...(deliveries.some(({ status }) => status === 'dead')
      ? [`try it again with: detent cron redeliver ${shellWord(job.jobId)} ${n}`]
      : []),
  ];
  const by = kind === 'manual' ? ' (by hand)' : lateMs === null ? '' : ` (${spanOf(lateMs)} late)`;
  return [
    styled('dim', `#${n}`),
    `  ${clockTime(slot, job)}${by}  ${printable(outcomeWords(fire).replaceAll(/\s+/g, ' '))}\n`,
    details.map((line) => `    ${printable(line.replaceAll(/\s+/g, ' '))}\n`),
  ];
}

/** The last outcome of a job, and when. */
function lastWords({ last }: Pick<JobView, 'last'>): string | null {
  if (last === null) return null;
  return `${outcomeWords({ ...last, reason: null, runStatus: null })}, ${timeCell(last.at, { isTTY: true })}`;
}

/** How a delivery went. */
function deliveryWords(delivery: DeliveryView, now: number): string {
  const { target, isAlert, status, attempts, error, dueAt } = delivery;
  const what = `${isAlert ? 'alert to' : 'to'} ${targetWords(target)}`;
  if (status === 'delivered') return `${what}: delivered${attempts > 1 ? ` at attempt ${attempts}` : ''}`;
  const why = error === null ? '' : `: ${error.message} (${error.code})`;
  if (status === 'dead') return `${what}: given up after ${counted(attempts, 'attempt')}${why}`;
  if (attempts === 0) return `${what}: on its way`;
  const next = dueAt === null ? '' : `, again ${until(dueAt, now)}`;
  return `${what}: not yet, after ${counted(attempts, 'attempt')}${next}${why}`;
}
