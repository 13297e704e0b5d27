import { isOffline } from '../../../../data/connection.ts';
import { ask, useRequest } from '../../../../data/use-request.ts';
import { drop, unsent } from './unsent.ts';
import { t } from './words.ts';

const queuedMs = 3_000;

interface WaitingMessagesProps {
  sessionId: string | null;
  /** Only a session at work has messages behind. */
  isBusy: boolean;
}

/** Messages that no model has got: those behind the run at work, and those that the gateway has not taken. */
export function WaitingMessages({ sessionId, isBusy }: WaitingMessagesProps) {
  const input = sessionId !== null && isBusy ? { sessionId, status: ['queued' as const], limit: 20 } : null;
  const queued = useRequest('run.list', input, { everyMs: queuedMs });
  const runs = (input === null ? [] : (queued.data?.runs ?? [])).toReversed();
  const kept = isOffline.value ? unsent.value.filter((one) => one.sessionId === sessionId) : [];
  if (runs.length === 0 && kept.length === 0) return null;
  return (
    <ul class="waits">
      {runs.map(({ runId, prompt }) => (
        <li key={runId}>
          <span class="dim">{t.queued}</span>
          <span class="cut">{String(prompt)}</span>
          <button
            type="button"
            aria-label={t.cancelQueued}
            title={t.cancelQueued}
            onClick={() => void ask('agent.cancel', { runId }).finally(queued.reload)}
          >
            ×
          </button>
        </li>
      ))}
      {kept.map(({ key, text }) => (
        <li key={key}>
          <span class="dim">{t.unsent}</span>
          <span class="cut">{text}</span>
          <button type="button" aria-label={t.dropUnsent} title={t.dropUnsent} onClick={() => drop(key)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
