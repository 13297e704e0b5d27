import { signal } from '@preact/signals';
import { href } from '../../../base/place.ts';
import type { LegalCommand } from '../../../data/answers.ts';
import { may } from '../../../data/connection.ts';
import { type InspectedRun, isAgentRun, isWorkflow, showsNewest } from '../../../data/inspected-run.ts';
import { useMoment } from '../../../data/run-moment.ts';
import { ask } from '../../../data/use-request.ts';
import { EventSender } from '../../../parts/event-sender/event-sender.tsx';
import { MessageSender } from '../../../parts/event-sender/message-sender.tsx';
import { DecideButton } from '../../../parts/question/decide-button.tsx';
import { FlowEvents } from './flow-events.tsx';
import { openFork } from './fork-dialog.tsx';
import { t } from './words.ts';

/** The command that is about to be sent to the run itself: it needs words, or a second press. */
const asked = signal<{ runId: string; type: string } | null>(null);

/** The commands that are legal in the shown state: for the run itself at the newest transition, else by a fork. */
export function LegalEvents({ run }: { run: InspectedRun }) {
  if (isWorkflow(run)) return <FlowEvents run={run} />;
  return isAgentRun(run) ? <AgentEvents run={run} /> : <OtherEvents run={run} />;
}

/** Those of a job are its own page's affair. */
function OtherEvents({ run }: { run: InspectedRun }) {
  const moment = useMoment(run.runId, run.seq.value);
  return (
    <div class="legal">
      <span class="label">{t.legalThere}</span>
      {moment?.legal.map(({ type }) => (
        <code key={type}>{type}</code>
      ))}
      <a class="link" href={href('/jobs')}>
        {t.jobs}
      </a>
    </div>
  );
}

function AgentEvents({ run }: { run: InspectedRun }) {
  const seq = run.seq.value;
  const moment = useMoment(run.runId, seq);
  const isHead = showsNewest(run);
  const open = asked.value?.runId === run.runId && isHead ? asked.value : null;
  const press = (command: LegalCommand) => {
    if (!isHead) openFork(run, seq, command);
    else asked.value = { runId: run.runId, type: command.type };
  };
  return (
    <div class="legal">
      <span class="label">{isHead ? t.legalNow : t.legalThen}</span>
      {moment?.legal
        .filter((command) => !isHead || !isDecision(command))
        .map((command) => (
          <button
            key={`${command.type} ${command.callId} ${command.verdict}`}
            type="button"
            class="btn small"
            disabled={!may('write')}
            onClick={() => press(command)}
          >
            <code>{command.type}</code>
            <span class="mid">{[command.callId, command.verdict].filter(Boolean).join(' ')}</span>
          </button>
        ))}
      {moment?.legal.length === 0 && <span class="mid">{moment.ended ? t.final : t.none}</span>}
      {isHead && moment?.legal.some(isDecision) && <DecideButton runId={run.runId} words={t.decideHere} />}
      {open && <Sender runId={run.runId} type={open.type} />}
    </div>
  );
}

function isDecision({ callId }: LegalCommand): boolean {
  return callId !== undefined;
}

/** Says something to the run, or ends it. */
function Sender({ runId, type }: { runId: string; type: string }) {
  const close = () => {
    asked.value = null;
  };
  if (type === 'run.message')
    return (
      <MessageSender what={type} send={(message) => ask('agent.steer', { runId, message })} close={close} />
    );
  return <EventSender runId={runId} type={type} close={close} />;
}
