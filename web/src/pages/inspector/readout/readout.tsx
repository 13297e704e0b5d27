import './readout.css';
import { href, place, runPath } from '../../../base/place.ts';
import { may } from '../../../data/connection.ts';
import { childRunId, type InspectedRun, isAgentRun, isWorkflow } from '../../../data/inspected-run.ts';
import { useMoment } from '../../../data/run-moment.ts';
import { visible } from '../../../parts/visible.ts';
import { t as page } from '../words.ts';
import { Comparison } from './comparison.tsx';
import { ContextChange } from './context-change.tsx';
import { EventPane } from './event-pane.tsx';
import { Guards } from './guards.tsx';
import { OpenWork } from './open-work.tsx';
import { Said } from './said.tsx';
import { Sent } from './sent.tsx';
import { Step } from './step.tsx';
import { WhyHere } from './why-here.tsx';
import { t } from './words.ts';

/** What the chosen transition was, why it went there, and what it changed; or how the run differs from another one. */
export function Readout({ run }: { run: InspectedRun }) {
  const other = place.value.query.get('with');
  return (
    <aside class="read" aria-label={page.readout}>
      {other === null ? <Moment run={run} /> : <Comparison run={run} otherId={other} />}
    </aside>
  );
}

function Moment({ run }: { run: InspectedRun }) {
  const { trace, transition, seq } = run;
  const moment = useMoment(run.runId, seq.value);
  if (trace.value === null) return null;
  const now = transition.value;
  const at = seq.value;
  return (
    <>
      <section>
        <Step run={run} />
        {now && <p class="dim">{t.broughtBy(causeOf(now.by))}</p>}
        {now?.by.kind === 'effect' && now.by.name === 'effect.run' && (
          <p>
            <a class="link mono" href={href(runPath(childRunId(run.runId, now.by.effect)))}>
              {childRunId(run.runId, now.by.effect)}
            </a>
          </p>
        )}
      </section>
      {run.isAtHead.value && (isAgentRun(run) || isWorkflow(run)) && <WhyHere run={run} />}
      <Guards trace={trace.value} seq={at} />
      <ContextChange run={run} />
      {!isWorkflow(run) && <Said run={run} messages={moment?.messages ?? null} />}
      <Sent run={run} />
      <OpenWork runId={run.runId} moment={moment} />
      {now && <EventPane transition={now} whenCut={t.cut} />}
    </>
  );
}

function causeOf(by: { kind: string; effect?: number; name?: string; who?: string }): string {
  if (by.kind === 'person') {
    if (by.who === undefined) return t.byPerson;
    // Without the scope `admin`, the gateway names nobody but oneself.
    if (!may('admin')) return t.byYou;
    return by.who === 'program' ? t.byProgram : visible(by.who);
  }
  if (by.kind === 'timer') return t.byTimer;
  return by.kind === 'effect' ? t.byEffect(by.effect ?? 0, by.name ?? '') : t.bySystem;
}
