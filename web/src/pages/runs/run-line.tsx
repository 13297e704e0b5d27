import { jobOfSession } from '#src/protocol/access.ts';
import { duration, elapsed, money, shortTime } from '../../base/format.ts';
import { href, runPath } from '../../base/place.ts';
import { isLeft, type RunRow } from '../../data/runs.ts';
import { leftWord } from '../../parts/left-run.tsx';
import { runTitle } from '../../parts/run-title.ts';
import { Chip } from '../../parts/shape.tsx';
import { keyOfFlow, keyOfPath } from '../../parts/states.ts';
import { Trace } from '../../parts/trace.tsx';
import { visible } from '../../parts/visible.ts';
import { errorInWords } from '../../parts/why/finding.ts';
import { t } from './words.ts';

/** A run in a list: what it was asked, where it stands, and how it came there. The whole line opens it. */
export function RunLine({ run, now }: { run: RunRow; now: number }) {
  const isAtRest = isLeft(run);
  const isLive = !isAtRest && run.outcome === null && !['done', 'failed', 'cancelled'].includes(run.status);
  const took = (isLive ? now : run.updatedAt) - run.createdAt;
  const state = isAtRest ? leftWord(run.status) : run.state === 'idle' ? t.queued : run.state;
  const key = isAtRest ? 'hold' : run.workflow === undefined ? keyOfPath(run.state) : keyOfFlow(run);
  return (
    <a class="run" href={href(runPath(run.runId))}>
      <div class="run-words">
        <div class="w cut">{runTitle(run) || t.noWords}</div>
        <div class="sub cut">{visible(about(run))}</div>
      </div>
      <div>
        <Chip state={key}>
          <span class="cut">{visible(state)}</span>
        </Chip>
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
  if (error) return errorInWords(error);
  const job = jobOfSession(sessionId);
  const isImported = status === 'done' && outcome === null;
  return [
    workflow === undefined ? (job === null ? sessionId : t.ofJob(job)) : t.ofWorkflow(workflow),
    ...(agent === 'default' || agent === '' ? [] : [t.ofAgent(agent)]),
    ...(parentRunId === undefined ? [] : [t.subRun]),
    ...(isImported ? [t.imported] : []),
    ...asks,
  ].join(', ');
}
