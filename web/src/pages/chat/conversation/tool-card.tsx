import './tool-card.css';
import { useContext, useId, useState } from 'preact/hooks';
import { duration, timeOfDay } from '../../../base/format.ts';
import { type CallStatus, isSettled, type ToolCall } from '../../../data/conversation/entries.ts';
import { useRequest } from '../../../data/use-request.ts';
import { Diff } from '../../../parts/diff.tsx';
import { isUnifiedDiff } from '../../../parts/diff-rows.ts';
import { Elapsed } from '../../../parts/elapsed.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { RunLink } from '../../../parts/run-link.tsx';
import { Shape } from '../../../parts/shape.tsx';
import type { StateKey } from '../../../parts/states.ts';
import { visible, visibleActor } from '../../../parts/visible.ts';
import { t } from '../words.ts';
import { Attachments } from './attachments.tsx';
import { ResultView } from './result-view.tsx';
import { isAtRest, Standing } from './standing.ts';
import { shortArguments } from './tool-args.ts';
import { parseObject, shownResult } from './tool-result.ts';

const keyOf: Readonly<Record<CallStatus, StateKey>> = {
  asked: 'ask',
  queued: 'idle',
  running: 'tool',
  done: 'done',
  failed: 'fail',
  rejected: 'fail',
  withdrawn: 'cancel',
  cancelled: 'cancel',
  uncertain: 'rec',
};

/** Statuses whose word is shown: the shape of the others says it, beside the time that it took. */
const isWordShown = (status: CallStatus) => status !== 'done';

interface ToolCardProps {
  call: ToolCall;
  withResult?: boolean;
  /** It is open until a person closes it. */
  opens?: boolean;
}

/** One call of a tool: what was asked for, how it stands, and what came of it. */
export function ToolCard({ call, withResult = true, opens = false }: ToolCardProps) {
  const { name, startedAt, endedAt, verdict, result } = call;
  // Nothing runs in a run that nothing works on.
  const rests = isAtRest(useContext(Standing)) && call.status === 'running';
  const status = rests ? 'queued' : call.status;
  const id = useId();
  const shown = result && withResult ? shownResult(result.content) : null;
  const change =
    status === 'done' && call.asked?.preview && isUnifiedDiff(call.asked.preview) ? call.asked.preview : null;
  const opensItself =
    opens ||
    (change !== null && withResult) ||
    shown?.as === 'table' ||
    shown?.as === 'diff' ||
    status === 'failed';
  const [isOpen, open] = useState<boolean | null>(null);
  const isShown = isOpen ?? (opensItself || (result?.attachments.length ?? 0) > 0 || call.todo !== null);
  const isFull = isOpen === true;
  const isOut = status === 'withdrawn' || status === 'cancelled' || status === 'rejected';
  return (
    <div
      class={`tool${isOut ? ' out' : ''}${isShown ? ' open' : ''}${verdict ? ' decided' : ''}`}
      data-status={status}
    >
      <button
        type="button"
        class="tool-head"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => open(!isShown)}
      >
        <span class="name">{visible(name)}</span>
        <span class="args cut">{visible(shortArguments(call.arguments))}</span>
        {verdict?.verdict === 'approve' && <span class="ms">{t.approved(saidAt(verdict))}</span>}
        {verdict?.verdict === 'modify' && <span class="ms">{t.changed(saidAt(verdict))}</span>}
        {result?.changed && <span class="ms">{t.changedByHook(visible(result.changed.by))}</span>}
        {startedAt !== null && endedAt !== null && <span class="ms">{duration(endedAt - startedAt)}</span>}
        {status === 'running' && startedAt !== null && <Elapsed since={startedAt} />}
        <span class={isWordShown(status) ? 'st chip' : 'st'} data-s={keyOf[status]}>
          <Shape state={keyOf[status]} />
          {isWordShown(status) ? t.callStatus(status) : <span class="sr">{t.callStatus(status)}</span>}
        </span>
      </button>
      <div id={id} hidden={!isShown} class="tool-in">
        {isShown && isFull && <Asked call={call} />}
        {isShown && change !== null && withResult && <Diff text={change} label={t.change} />}
        {isShown && result && withResult && (change === null || isFull) && (
          <ResultView result={result} artifact={call.artifact} isError={result.isError} />
        )}
        {isShown && call.todo && <Todo items={call.todo} />}
        {isShown && result && withResult && result.attachments.length > 0 && (
          <Attachments parts={result.attachments} />
        )}
        {call.skill !== null && <p class="tool-note">{t.skill(call.skill)}</p>}
        {call.subRun !== null && (
          <p class="tool-note">
            <RunLink class="link" runId={call.subRun}>
              {t.subRun}
            </RunLink>
          </p>
        )}
      </div>
    </div>
  );
}

/** When a person decided, and who. */
function saidAt({ at, by }: { at: number; by?: string }): string {
  const time = timeOfDay(at, true);
  return by === undefined ? time : `${time}, ${t.by(visibleActor(by))}`;
}

/** The arguments as the model wrote them, and why it was allowed or asked about. */
function Asked({ call }: { call: ToolCall }) {
  const { verdict, why, result } = call;
  return (
    <>
      {result?.changed ? (
        <ChangedTo value={result.changed.arguments} label={t.argumentsOfHook(visible(result.changed.by))} />
      ) : (
        verdict?.verdict === 'modify' && <Changed call={call} by={verdict.by} />
      )}
      <div class="tool-part">
        <p class="label">{t.arguments}</p>
        <JsonView value={parseObject(call.arguments) ?? call.arguments} label={t.arguments} />
      </div>
      {why !== null && (
        <p class="tool-note">
          <span class="label">{call.asked ? t.whyAsked : t.rule}</span> {visible(why)}
        </p>
      )}
      {verdict?.reason !== undefined && <p class="tool-note">{t.because(verdict.reason)}</p>}
      {isSettled(call) && result && <p class="label tool-label">{t.result}</p>}
    </>
  );
}

/** The arguments as whoever decided changed them: they are in the view of the run. */
function Changed({ call: { runId, callId }, by }: { call: ToolCall; by: string | undefined }) {
  const { data } = useRequest('run.get', { runId });
  const found = data?.steps.flatMap(({ toolCalls }) => toolCalls).find((one) => one.callId === callId);
  if (!found) return null;
  return (
    <ChangedTo
      value={found.arguments}
      label={t.changedArguments(by === undefined ? null : visibleActor(by))}
    />
  );
}

function ChangedTo({ value, label }: { value: unknown; label: string }) {
  return (
    <div class="tool-part">
      <p class="label">{label}</p>
      <JsonView value={typeof value === 'string' ? (parseObject(value) ?? value) : value} label={label} />
    </div>
  );
}

function Todo({ items }: { items: NonNullable<ToolCall['todo']> }) {
  return (
    <ul class="todo">
      {items.map(({ content, status }) => (
        <li data-status={status}>
          <span
            class="st"
            data-s={status === 'completed' ? 'done' : status === 'in_progress' ? 'tool' : 'idle'}
          >
            <Shape state={status === 'completed' ? 'done' : status === 'in_progress' ? 'tool' : 'idle'} />
            <span class="sr">{t.todoStatus(status)}</span>
          </span>
          {content}
        </li>
      ))}
    </ul>
  );
}
