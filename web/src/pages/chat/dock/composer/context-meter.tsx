import { useEffect } from 'preact/hooks';
import { count } from '../../../../base/format.ts';
import { useRequest } from '../../../../data/use-request.ts';
import { t } from './words.ts';

/** How much of the model's window the conversation takes, with a mark where results are shortened and one where a summary is made. */
export function ContextMeter({ runId, used }: { runId: string; used: number }) {
  const { data, reload } = useRequest('run.context', { runId });
  // Also a compaction makes it smaller, after the answer.
  useEffect(reload, [used]);
  const context = data?.context;
  if (!context) return null;
  const { tokens, window, pruneAt, compactAt } = context;
  const percent = (part: number) => Math.min(100, Math.round((100 * part) / window));
  const title = t.contextTitle(count(tokens), count(window), percent(pruneAt), percent(compactAt));
  return (
    <span class="context" title={title}>
      <span class="room" aria-hidden="true">
        <i style={{ width: `${percent(tokens)}%` }} />
        <span style={{ left: `${percent(pruneAt)}%` }} />
        <span style={{ left: `${percent(compactAt)}%` }} />
      </span>
      <span class="hint">
        {t.ofContext(percent(tokens))}
        <span class="sr">{title}</span>
      </span>
    </span>
  );
}
