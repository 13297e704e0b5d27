import './job-page.css';
import { slotSessions } from '#src/protocol/access.ts';
import type { JobView } from '#src/protocol/views.ts';
import { href, runPath } from '../../base/place.ts';
import { may } from '../../data/connection.ts';
import { visible, visibleProse } from '../../parts/visible.ts';
import { Remove, RunNow } from './job-actions.tsx';
import { JobHistory } from './job-history.tsx';
import { Deliveries, pathOf, useHistory } from './job-row.tsx';
import { JobSwitch } from './job-switch.tsx';
import { NextTimes } from './next-times.tsx';
import { expressionOf, scheduleText } from './schedule-text.ts';
import { BarsLegend, SlotBars } from './slot-bars.tsx';
import { targetText } from './target-text.ts';
import { t } from './words.ts';

/** One job: what it does, its next times, and all its slots. */
export function JobPage({ job, reload }: { job: JobView; reload(): void }) {
  const history = useHistory(job);
  const { jobId } = job;
  const mayChange = may('write') && job.source !== 'config';
  return (
    <>
      <p class="crumb">
        <a class="link" href={href('/jobs')}>
          {t.back}
        </a>
      </p>
      <div class="headline">
        <div class="job-head">
          <JobSwitch job={job} reload={reload} />
          <div>
            <h1>{visible(jobId)}</h1>
            <p class="say">
              {scheduleText(job)} <code>{expressionOf(job)}</code>
            </p>
          </div>
        </div>
        <div class="right">
          {mayChange && <Remove job={job} />}
          {mayChange && (
            <a class="btn" href={href(`${pathOf(jobId)}?form=edit`)}>
              {t.edit}
            </a>
          )}
          {may('write') && <RunNow job={job} reload={reload} />}
        </div>
      </div>
      <div class="job-cols">
        <JobFacts job={job} />
        <div class="panel job-now">
          <NextTimes job={job} slots={history} now={Date.now()} reload={reload} />
          <SlotBars job={job} slots={history} />
          <Deliveries job={job} slots={history ?? []} />
          <p class="job-links">
            <a class="link" href={href(runPath(job.jobRunId))}>
              {t.chart}
            </a>
            {job.workflow === undefined && (
              <a class="link" href={href(runsOf(job))}>
                {t.itsRuns}
              </a>
            )}
          </p>
        </div>
      </div>
      <JobHistory job={job} newest={history} />
      <BarsLegend />
    </>
  );
}

/** The runs of a job's prompt, by the session that they share or by where the keys of their own ones begin. */
function runsOf({ jobId, sessionId }: JobView): string {
  const which =
    sessionId === null
      ? `q=${encodeURIComponent(slotSessions(jobId))}`
      : `session=${encodeURIComponent(sessionId)}`;
  return `/runs?${which}&time=all`;
}

function JobFacts({ job }: { job: JobView }) {
  const {
    prompt,
    workflow,
    input,
    agent,
    model,
    sessionId,
    skill,
    alert,
    source,
    isTainted,
    misfire,
    overlap,
  } = job;
  const overlaps = { skip: t.overlapSkip, queue: t.overlapQueue, 'cancel-previous': t.overlapCancel };
  const maker = { config: t.byConfig, tool: t.byTool }[source] ?? t.byUser;
  return (
    <dl class="panel facts">
      {workflow !== undefined && [
        <dt key="workflow">{t.workflow}</dt>,
        <dd key="workflow is">{visibleProse(workflow)}</dd>,
      ]}
      <dt>{workflow === undefined ? t.prompt : t.input}</dt>
      <dd>
        <pre>{visibleProse(workflow === undefined ? prompt : JSON.stringify(input ?? null, null, 2))}</pre>
        {isTainted && <p class="dim">{t.tainted}</p>}
      </dd>
      {agent !== null && [<dt key="agent">{t.agent}</dt>, <dd key="agent is">{agent}</dd>]}
      {model !== null && [<dt key="model">{t.model}</dt>, <dd key="model is">{visible(model)}</dd>]}
      {sessionId !== null && [
        <dt key="session">{t.session}</dt>,
        <dd key="session is">{visible(sessionId)}</dd>,
      ]}
      {skill !== null && [<dt key="skill">{t.skill}</dt>, <dd key="skill is">/{skill}</dd>]}
      {alert.length > 0 && [
        <dt key="alert">{t.alerts}</dt>,
        <dd key="alert is">{alert.map(targetText).join(', ')}</dd>,
      ]}
      <dt>{t.misfire}</dt>
      <dd>{{ skip: t.ruleSkip, once: t.ruleOnce, all: t.ruleAll }[misfire]}</dd>
      <dt>{t.overlap}</dt>
      <dd>{overlaps[overlap]}</dd>
      <dt>{t.madeBy}</dt>
      <dd>{maker}</dd>
    </dl>
  );
}
