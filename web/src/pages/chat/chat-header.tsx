import { money } from '../../base/format.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, href, runPath } from '../../base/place.ts';
import { isCustomer, isOffline } from '../../data/connection.ts';
import { stayNow } from '../../data/conversation/entries.ts';
import type { SessionLog } from '../../data/conversation/session-log.ts';
import { isLeft } from '../../data/runs.ts';
import { Icon } from '../../parts/icon.tsx';
import { leftWord } from '../../parts/left-run.tsx';
import { Rail } from '../../parts/rail.tsx';
import { NamedSegments } from '../../parts/segments.tsx';
import { keyOfPath, type StateKey } from '../../parts/states.ts';
import { visible } from '../../parts/visible.ts';
import type { Marks } from './conversation/entry-view.tsx';
import { SessionMenu } from './session-menu.tsx';
import { t } from './words.ts';

interface ChatHeaderProps {
  sessionId: string | null;
  /** The list of sessions is to be read again. */
  changed(): void;
  log: SessionLog | null;
  title: string;
  isPinned: boolean;
  marks: Marks;
  setMarks(marks: Marks): void;
  showSessions(): void;
  /** Has a person of the staff, who is logged in, speak here; null where that cannot be. */
  takeOver: (() => Promise<unknown>) | null;
}

/** Which session it is, what it cost, and where its run is on the rail. */
export function ChatHeader({
  sessionId,
  changed,
  log,
  title,
  isPinned,
  marks,
  setMarks,
  showSessions,
  takeOver,
}: ChatHeaderProps) {
  const runs = log?.runs.value ?? [];
  const stories = log?.stories.value;
  const current = log?.current.value ?? null;
  const story = stories?.get(current?.runId ?? runs.at(-1)?.runId ?? '');
  const costUsd = runs.reduce<number | null>(
    (
      sum,
      run, // A customer is told no costs.
    ) => (typeof run.costUsd === 'number' ? (sum ?? 0) + run.costUsd : sum),
    null,
  );
  // As asked for, with its provider, before and after the answer.
  const asked = runs.find(({ runId }) => runId === story?.runId) ?? runs.at(-1);
  const model = asked?.model ?? story?.model ?? null;
  const isBranch = runs.some(({ forkedFrom }) => forkedFrom !== undefined);
  const flow = runs.at(-1)?.workflow;
  const inspected = story?.runId ?? null;
  const to = inspected === null || isCustomer() ? null : runPath(inspected);
  useShortcuts(to === null ? [] : [{ keys: 'I', words: t.inspectKeys, act: () => go(to) }]);
  const isAtRest = current !== null && isLeft(current);
  const lit = keyOfPath(story?.path ?? 'idle');
  const from = story?.before ? keyOfPath(story.before) : null;
  return (
    <header class="top chat-top">
      <button type="button" class="btn icon drawer-open" aria-label={t.showSessions} onClick={showSessions}>
        <Icon size={16} path="M2 4h12M2 8h12M2 12h8" strokeWidth={1.6} />
      </button>
      <div class="title">
        <h1 class="cut" title={title}>
          {title}
        </h1>
        {runs.length > 0 && (
          <p class="cut">
            {flow === undefined && model && <span class="mono">{model} · </span>}
            {flow !== undefined && `${visible(t.inWorkflow(flow, story ? stayNow(story) : ''))} · `}
            {isBranch && `${t.branch} · `}
            {t.runs(runs.length)}
            {/* What was copied was paid for where it happened. */}
            {costUsd !== null && ` · ${isBranch ? t.costHere(money(costUsd)) : money(costUsd)}`}
          </p>
        )}
      </div>
      {runs.length > 0 && flow === undefined && !isCustomer() && (
        <NamedSegments
          class="marks"
          label={t.marks}
          options={[
            ['states', t.marksStates],
            ['react', t.marksReact],
          ]}
          chosen={marks}
          choose={setMarks}
        />
      )}
      {story && flow === undefined && story.takeover === null && (
        <div class="chat-rail">
          <Rail
            lit={lit}
            from={from}
            counts={countsByKey(story.counts)}
            isOffline={isOffline.value || isAtRest}
            label={isAtRest ? leftWord(current.status) : t.stateIs(stayNow(story), story.before)}
          />
        </div>
      )}
      {to !== null && (
        <a class="btn inspect" href={href(to)} title={t.inspectTitle}>
          <Icon size={14} path="M1 3h3v5h4v4h5" />
          <span>{t.inspect}</span>
        </a>
      )}
      {sessionId !== null && <SessionMenu {...{ sessionId, title, isPinned, changed, takeOver }} />}
    </header>
  );
}

function countsByKey(counts: Readonly<Record<string, number>>): Partial<Record<StateKey, number>> {
  const byKey: Partial<Record<StateKey, number>> = {};
  for (const [stay, n] of Object.entries(counts)) {
    const key = keyOfPath(stay);
    // Every run passes these once: a figure would say nothing.
    if (['think', 'tool', 'comp', 'ask', 'rec'].includes(key)) byKey[key] = (byKey[key] ?? 0) + n;
  }
  return byKey;
}
