import './flow-dock.css';
import { useState } from 'preact/hooks';
import type { ClientRun } from '#src/client/index.ts';
import type { ServiceView } from '#src/protocol/views.ts';
import { dayAndTime } from '../../../../base/format.ts';
import { isCustomer } from '../../../../data/connection.ts';
import { type FlowRun, isFlow, isLeft } from '../../../../data/runs.ts';
import { EventButtons } from '../../../../parts/event-sender/event-buttons.tsx';
import { EventSender } from '../../../../parts/event-sender/event-sender.tsx';
import { LeftRun } from '../../../../parts/left-run.tsx';
import { RunLink } from '../../../../parts/run-link.tsx';
import { visible } from '../../../../parts/visible.ts';
import { t } from './words.ts';

/** Below the chat of what takes no messages: what a workflow waits for, and the events that it takes; or the workflow of a call. */
export function FlowDock({ run }: { run: ClientRun }) {
  if (isFlow(run)) return run.outcome === null ? <Waits run={run} /> : <Over run={run} />;
  const parent = run.parentRunId;
  return (
    <p class="flow-dock">
      {t.oneCall}{' '}
      {parent !== undefined && (
        <RunLink class="link" runId={parent}>
          {t.itsWorkflow}
        </RunLink>
      )}
    </p>
  );
}

function Over({ run: { runId } }: { run: FlowRun }) {
  return (
    <p class="flow-dock">
      {t.over} <Inspect runId={runId} />
    </p>
  );
}

function Waits({ run }: { run: FlowRun }) {
  const { runId, workflow, allowed } = run;
  const [open, choose] = useState<string | null>(null);
  const events = eventsOf(allowed);
  const isTaken = events.some(({ type }) => type === open);
  // A customer is told neither.
  const { services = [], timers = [] } = workflow;
  const isAtRest = isLeft(run);
  return (
    <section class="flow-dock" aria-label={t.waitsFor}>
      <ul>
        {services.map((service) => (
          <li key={service.effect}>
            <Service service={service} isLeft={isAtRest} />
          </li>
        ))}
        {timers.map(({ name, event, dueAt }) => (
          <li key={event}>
            <b>{visible(name)}</b> <span class="dim">{dayAndTime(dueAt)}</span>
          </li>
        ))}
        {isAtRest && (
          <li>
            <LeftRun run={run} />
          </li>
        )}
        {services.length + timers.length === 0 && !isAtRest && <li class="dim">{t.onlyEvents}</li>}
      </ul>
      <div class="flow-events">
        <span class="dim">{events.length === 0 ? t.noEvents : t.takes}</span>
        <EventButtons events={events} open={open} choose={choose} />
        <Inspect runId={runId} />
      </div>
      {isTaken && open !== null && (
        <EventSender key={open} runId={runId} type={open} close={() => choose(null)} />
      )}
    </section>
  );
}

/** The events of the chart that are legal now, and last the one that ends it. */
function eventsOf(allowed: ClientRun['allowed']): ClientRun['allowed'] {
  const isCancel = ({ type }: { type: string }) => Number(type === 'run.cancel');
  return allowed.filter(({ callId }) => callId === undefined).sort((a, b) => isCancel(a) - isCancel(b));
}

/** An open invocation or action, and the run that performs it. */
function Service({
  service: { id, run, status, retryAt },
  isLeft,
}: {
  service: ServiceView;
  isLeft: boolean;
}) {
  const words =
    status === 'retrying' && retryAt !== undefined
      ? t.retries(dayAndTime(retryAt))
      : status === 'uncertain'
        ? t.uncertain
        : run?.status === 'waiting'
          ? t.waits
          : isLeft
            ? t.rests
            : t.works;
  return (
    <>
      {run === undefined ? (
        <b>{visible(id)}</b>
      ) : (
        <RunLink class="link" runId={run.runId}>
          {visible(id)}
        </RunLink>
      )}{' '}
      <span class="dim">{words}</span>
    </>
  );
}

function Inspect({ runId }: { runId: string }) {
  if (isCustomer()) return null;
  return (
    <RunLink class="link" runId={runId}>
      {t.inspect}
    </RunLink>
  );
}
