import { useState } from 'preact/hooks';
import type { RunView } from '../../../../../src/protocol/run-view.ts';
import { href } from '../../../base/place.ts';
import { may } from '../../../data/connection.ts';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { useMoment } from '../../../data/run-moment.ts';
import { asClientError, ask, useRequest } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { visible } from '../../../parts/visible.ts';
import { t } from './words.ts';

const everyMs = 4_000;

/** What a workflow takes in the shown state: its chart's own events, with what they bring; and what a person must decide. */
export function FlowEvents({ run }: { run: InspectedRun }) {
  const seq = run.seq.value;
  const moment = useMoment(run.runId, seq);
  const isHead = run.isAtHead.value || seq === run.trace.value?.lastSeq;
  const [open, choose] = useState<string | null>(null);
  const types = [
    ...new Set(moment?.legal.filter(({ callId }) => callId === undefined).map(({ type }) => type)),
  ];
  return (
    <div class="legal">
      <span class="label">{isHead ? t.legalNow : t.legalThere}</span>
      {types.map((type) =>
        isHead ? (
          <button
            key={type}
            type="button"
            class="btn small"
            disabled={!may('write')}
            aria-expanded={open === type}
            onClick={() => choose(open === type ? null : type)}
          >
            <code>{visible(type)}</code>
          </button>
        ) : (
          <code key={type}>{visible(type)}</code>
        ),
      )}
      {types.length === 0 && moment && <span class="mid">{moment.ended ? t.final : t.none}</span>}
      {isHead && moment?.ended === false && <Asked run={run} />}
      {isHead && open !== null && (
        <EventSender key={open} runId={run.runId} type={open} close={() => choose(null)} />
      )}
    </div>
  );
}

/** The questions of the runs that it waits for, each in its own chat. */
function Asked({ run }: { run: InspectedRun }) {
  const { runId } = run;
  const own = run.trace.value?.sessionId ?? '';
  const { data } = useRequest('run.get', { runId }, { everyMs });
  const { pending = [] } = (data ?? {}) as Partial<RunView>;
  const chats = new Set(pending.map(({ runId: asking }) => (asking === undefined ? own : `task:${asking}`)));
  return (
    <>
      {[...chats].map((chat) => (
        <a key={chat} class="link" href={href(`/chat/${encodeURIComponent(chat)}`)}>
          {t.decide}
        </a>
      ))}
    </>
  );
}

/** Sends one event. `run.cancel` is a command of its own, and brings nothing. */
function EventSender({ runId, type, close }: { runId: string; type: string; close: () => void }) {
  const [payload, write] = useState('');
  const [failed, fail] = useState<unknown>(null);
  const [words, say] = useState('');
  const isCancel = type === 'run.cancel';

  async function send(): Promise<void> {
    say('');
    fail(null);
    const body = objectOf(payload);
    if (body === null) return say(t.badJson);
    try {
      if (isCancel) await ask('agent.cancel', { runId });
      else {
        const { taken } = await ask('workflow.send', { runId, event: { ...body, type } });
        if (!taken) return say(t.notTaken);
      }
      close();
    } catch (error) {
      fail(error);
    }
  }

  return (
    <form
      class="sender"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {isCancel ? (
        <span>{t.reallyCancel}</span>
      ) : (
        <input
          class="field mono"
          aria-label={t.payload}
          placeholder="{}"
          value={payload}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      )}
      <button type="submit" class="btn small primary">
        {isCancel ? t.cancelIt : t.say}
      </button>
      <button type="button" class="btn small" onClick={close}>
        {t.notNow}
      </button>
      {words !== '' && <span role="alert">{words}</span>}
      {failed !== null && <Failure error={asClientError(failed)} />}
    </form>
  );
}

/** The payload that a person wrote; null if it is no JSON object. */
function objectOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
