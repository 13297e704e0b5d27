import type { FireView } from '../../../protocol/views.ts';
import { shellWord } from '../../../text/wording.ts';
import type { Ask } from '../../port/port.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { sayIfUnattended } from './add.ts';
import { fireText } from './list.ts';
import { jobScope, jobWord, withJobs } from './with-scheduler.ts';

/** How often it looks at its slot. A gateway limits the requests of a token. */
const [lookEveryMs, gatewayEveryMs] = [250, 500];
/** How long a process that runs the schedule may take until it begins. */
const patienceMs = 6_000;

/** `detent cron run JOB`: once now; waits for the end if a process runs the schedule. */
export async function runJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = jobWord(words);
  const scope = jobScope(flags);
  const options = await loadOptions(flags, io);
  const everyMs = options.server ? gatewayEveryMs : lookEveryMs;
  return withJobs(options, scope, async (ask) => {
    const newest = await ask('cron.history', { jobId: id, limit: 1 });
    await ask('cron.run', { jobId: id });
    const n = await askedFor(ask, id, newest.slots[0]?.n ?? 0);
    const fire = flags.detach === true ? await slot(ask, id, n) : await ended({ ask, id, n, everyMs }, io);
    const job = await ask('cron.get', { jobId: id });
    if (flags.json) io.json(fire);
    else if (fire) io.out(io.asTyped(fireText(fire, job)));
    if (!flags.json && fire?.deliveries.some(({ status }) => status === 'pending'))
      io.say(`whether it arrived is in: detent cron history ${shellWord(id)}`);
    if (flags.detach === true) {
      if (fire?.status === 'queued') sayIfUnattended(job, io);
      return exit.ok;
    }
    return fire === null ? exit.cancelled : exitCodeOf(fire);
  });
}

interface Asked {
  ask: Ask;
  id: string;
  n: number;
  everyMs: number;
}

/** The number of the slot that was asked for: the first one by hand behind `above`. */
async function askedFor(ask: Ask, jobId: string, above: number): Promise<number> {
  const { slots } = await ask('cron.history', { jobId, limit: 100 });
  const mine = slots.filter(({ n, kind }) => n > above && kind === 'manual');
  return mine.at(-1)?.n ?? above + 1;
}

async function slot(ask: Ask, jobId: string, n: number): Promise<FireView | null> {
  const { slots } = await ask('cron.history', { jobId, below: n + 1, limit: 1 });
  const [fire] = slots;
  return fire?.n === n ? fire : null;
}

/** Waits until the slot has ended, waits for a person, or has no process that runs it. */
async function ended({ ask, id, n, everyMs }: Asked, io: Io): Promise<FireView | null> {
  let idleSince = performance.now();
  let said = '';
  for (;;) {
    const fire = await slot(ask, id, n);
    if (fire === null) return null;
    const { status, runStatus, runId, waitsForEvent } = fire;
    if (status !== 'queued' && status !== 'running') return fire;
    if (status === 'running' && runStatus === 'waiting') {
      const what = waitsForEvent ? 'an event, or for the clock' : 'a person';
      io.say(`its run waits for ${what}; see it with: detent runs show ${fire.runId}`);
      return fire;
    }
    const { state, current } = await ask('cron.get', { jobId: id });
    if (state === 'waiting' && current?.runId && current.n !== n) {
      const what = current.waitsForEvent ? 'an event' : 'a person';
      io.say(`it waits behind a run that waits for ${what}: detent runs show ${current.runId}`);
      return fire;
    }
    if (state === 'running' || state === 'waiting' || state === 'delivering') idleSince = performance.now();
    if (state === 'overdue' || state === 'interrupted' || performance.now() - idleSince > patienceMs) {
      io.say(
        'no process runs the schedule, so the run waits; start one with: detent cron serve (or detent serve)',
      );
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
