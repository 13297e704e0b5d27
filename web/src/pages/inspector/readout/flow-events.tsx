import { useState } from 'preact/hooks';
import { type InspectedRun, showsNewest } from '../../../data/inspected-run.ts';
import { useMoment } from '../../../data/run-moment.ts';
import { useRequest } from '../../../data/use-request.ts';
import { EventButtons } from '../../../parts/event-sender/event-buttons.tsx';
import { EventSender } from '../../../parts/event-sender/event-sender.tsx';
import { DecideButton } from '../../../parts/question/decide-button.tsx';
import { visible } from '../../../parts/visible.ts';
import { t } from './words.ts';

const everyMs = 4_000;

/** What a workflow takes in the shown state: its chart's own events, with what they bring; and what a person must decide. */
export function FlowEvents({ run }: { run: InspectedRun }) {
  const seq = run.seq.value;
  const moment = useMoment(run.runId, seq);
  const isHead = showsNewest(run);
  const [open, choose] = useState<string | null>(null);
  const events = moment?.legal.filter(({ callId }) => callId === undefined) ?? [];
  return (
    <div class="legal">
      <span class="label">{isHead ? t.legalNow : t.legalThere}</span>
      {isHead ? (
        <EventButtons events={events} open={open} choose={choose} />
      ) : (
        events.map(({ type }) => <code key={type}>{visible(type)}</code>)
      )}
      {events.length === 0 && moment && <span class="mid">{moment.ended ? t.final : t.none}</span>}
      {isHead && moment?.ended === false && <Asked run={run} />}
      {isHead && open !== null && (
        <EventSender key={open} runId={run.runId} type={open} close={() => choose(null)} />
      )}
    </div>
  );
}

/** What it and the runs below it ask a person. */
function Asked({ run }: { run: InspectedRun }) {
  const { data } = useRequest('run.get', { runId: run.runId }, { everyMs });
  if (data === undefined || data.pending.length === 0) return null;
  return (
    <>
      <span class="hint">{t.decide}</span>
      <DecideButton runId={run.runId} words={t.decideHere} />
    </>
  );
}
