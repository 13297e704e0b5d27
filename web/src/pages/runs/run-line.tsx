import { duration, elapsed, money, shortTime } from '../../base/format.ts';
import { href } from '../../base/place.ts';
import type { RunRow } from '../../data/runs.ts';
import { Chip } from '../../parts/shape.tsx';
import { keyOfPath } from '../../parts/states.ts';
import { Trace } from '../../parts/trace.tsx';
import { visible } from '../../parts/visible.ts';
import { t } from './words.ts';

/** A run in a list: what it was asked, where it stands, and how it came there. The whole line opens it. */
export function RunLine({ run, now }: { run: RunRow; now: number }) {
  const isLive = run.outcome === null && !['done', 'failed', 'cancelled'].includes(run.status);
  const took = (isLive ? now : run.updatedAt) - run.createdAt;
  const state = run.state === 'idle' ? t.queued : run.state;
  return (
    <a class="run" href={href(`/runs/${run.runId}`)}>
      <div class="run-words">
        <div class="w cut">{visible(titleOf(run)) || t.noWords}</div>
        <div class="sub cut">{visible(about(run))}</div>
      </div>
      <div>
        <Chip state={keyOfPath(run.state)}>{state}</Chip>
      </div>
      <div>
        <Trace course={run.course ?? []} isLive={isLive} />
      </div>
      <div class="num">{isLive ? elapsed(took) : duration(took)}</div>
      <div class="num">{money(run.costUsd)}</div>
      <div class="num">{shortTime(run.createdAt)}</div>
    </a>
  );
}

/** What it was begun with; of a run that makes one given call, the name of its tool. */
function titleOf({ prompt, model }: RunRow): string {
  return prompt || (model.startsWith(givenCall) ? model.slice(givenCall.length) : '');
}

/** What the model of a run is called that makes a call of a workflow. */
const givenCall = 'workflow/';

/** Why it failed, else where it belongs and what it asks about. */
function about({
  sessionId,
  asks = [],
  error,
  agent,
  parentRunId,
  outcome,
  status,
  workflow,
}: RunRow): string {
  if (error) return error.message;
  const job = /^cron:(.+)$/s.exec(sessionId)?.[1];
  const isImported = status === 'done' && outcome === null;
  return [
    workflow === undefined ? (job === undefined ? sessionId : t.ofJob(job)) : t.ofWorkflow(workflow),
    ...(agent === 'default' || agent === '' ? [] : [t.ofAgent(agent)]),
    ...(parentRunId === undefined ? [] : [t.subRun]),
    ...(isImported ? [t.imported] : []),
    ...asks,
  ].join(', ');
}
