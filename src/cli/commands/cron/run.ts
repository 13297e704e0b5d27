import type { FireView } from '../../../protocol/job-view.ts';
import type { JobScope, Scheduler } from '../../../schedule/api.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { fireText } from './list.ts';
import { jobScope, withScheduler } from './with-scheduler.ts';

/** How often it looks at its slot. A gateway limits the requests of a token. */
const [lookEveryMs, gatewayEveryMs] = [250, 500];
/** How long a process that runs the schedule may take until it begins. */
const patienceMs = 6_000;

/** `detent cron run JOB`: once now; waits for the end if a process runs the schedule. */
export async function runJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = word(words, 0, 'JOB');
  const scope = jobScope(flags);
  const options = await loadOptions(flags, io);
  const everyMs = options.server ? gatewayEveryMs : lookEveryMs;
  return withScheduler(options, async (scheduler) => {
    const [newest] = await scheduler.history(id, { limit: 1 }, scope);
    await scheduler.run(id, scope);
    const n = await askedFor(scheduler, id, newest?.n ?? 0, scope);
    const fire =
      flags.detach === true
        ? await slot(scheduler, id, n, scope)
        : await ended({ scheduler, id, n, scope, everyMs }, io);
    const job = await scheduler.get(id, scope);
    if (flags.json) io.json(fire);
    else if (fire) io.out(io.asTyped(fireText(fire, job)));
    if (flags.detach === true) return exit.ok;
    return fire === null ? exit.cancelled : exitCodeOf(fire);
  });
}

interface Asked {
  scheduler: Scheduler;
  id: string;
  n: number;
  scope: JobScope;
  everyMs: number;
}

/** The number of the slot that was asked for: the first one by hand behind `above`. */
async function askedFor(scheduler: Scheduler, id: string, above: number, scope: JobScope): Promise<number> {
  const fires = await scheduler.history(id, { limit: 100 }, scope);
  const mine = fires.filter(({ n, kind }) => n > above && kind === 'manual');
  return mine.at(-1)?.n ?? above + 1;
}

async function slot(scheduler: Scheduler, id: string, n: number, scope: JobScope): Promise<FireView | null> {
  const [fire] = await scheduler.history(id, { below: n + 1, limit: 1 }, scope);
  return fire?.n === n ? fire : null;
}

/** Waits until the slot has ended, waits for a person, or has no process that runs it. */
async function ended({ scheduler, id, n, scope, everyMs }: Asked, io: Io): Promise<FireView | null> {
  let idleSince = performance.now();
  let said = '';
  for (;;) {
    const fire = await slot(scheduler, id, n, scope);
    if (fire === null) return null;
    const { status, runStatus, runId, waitsForEvent } = fire;
    if (status !== 'queued' && status !== 'running') return fire;
    if (status === 'running' && runStatus === 'waiting') {
      const what = waitsForEvent ? 'an event, or for the clock' : 'a person';
      io.say(`its run waits for ${what}; see it with: detent runs show ${fire.runId}`);
      return fire;
    }
    const { state, current } = await scheduler.get(id, scope);
    if (state === 'waiting' && current?.runId && current.n !== n) {
      const what = current.waitsForEvent ? 'an event' : 'a person';
      io.say(`it waits behind a run that waits for ${what}: detent runs show ${current.runId}`);
      return fire;
    }
    if (state === 'running' || state === 'waiting' || state === 'delivering') idleSince = performance.now();
    if (state === 'overdue' || state === 'interrupted' || performance.now() - idleSince > patienceMs) {
      io.say('no process runs the schedule, so it waits; it runs with: detent cron serve (or detent serve)');
      return fire;
    }
    if (runId !== null && runId !== said) io.say(`running: ${runId}`);
    said = runId ?? said;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function exitCodeOf({ status }: FireView): number {
  if (status === 'ok') return exit.ok;
  if (status === 'failed' || status === 'skipped') return exit.failed;
  return status === 'cancelled' ? exit.cancelled : exit.waiting;
}
