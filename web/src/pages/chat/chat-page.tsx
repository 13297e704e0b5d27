import './chat.css';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { announce } from '../../base/announce.tsx';
import { kept } from '../../base/kept.ts';
import type { PageProps } from '../../base/page-props.ts';
import { chatPath, go, place } from '../../base/place.ts';
import { subject } from '../../base/title.ts';
import { generation, isCustomer, isOthers, may, mayStaff, whileSeen } from '../../data/connection.ts';
import { stayNow } from '../../data/conversation/entries.ts';
import { heldOf } from '../../data/conversation/held.ts';
import { SessionLog } from '../../data/conversation/session-log.ts';
import { isGivenCall } from '../../data/runs.ts';
import { ask, useLast, useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { late } from '../../parts/late.tsx';
import { ChatHeader } from './chat-header.tsx';
import { Conversation } from './conversation/conversation.tsx';
import type { Marks } from './conversation/entry-view.tsx';
import { keepDraft } from './dock/composer/draft.ts';
import { Dock, type Taken } from './dock/dock.tsx';
import { type ListedSession, titleOf } from './session-groups.ts';
import { SessionsColumn } from './sessions-column.tsx';
import { t } from './words.ts';

const everyMs = 4_000;
/** Sessions that are listed at first, and more each time that a person asks; the gateway lists no more than the last figure. */
const [pageSize, mostSessions] = [200, 1_000];

/** Large for who has no session yet. */
const TourOffer = late(async () => (await import('../tour/tour-offer.tsx')).TourOffer);

/** A session: what was said, what happens, and what the person is asked. `/chat` begins a new one. */
export function ChatPage({ rest }: PageProps) {
  const sessionId = rest[0] ?? null;
  const drawer = useRef<HTMLDialogElement>(null);
  const [isDrawerOpen, openDrawer] = useState(false);
  const [limit, setLimit] = useState(pageSize);
  const sessions = useRequest('session.list', { limit, kept: true }, { everyMs });
  const listed = useLast(sessions.data)?.sessions;
  const isListed = listed?.some((one) => one.sessionId === sessionId) ?? true;
  const open = useRequest('session.list', isListed || sessionId === null ? null : { limit: 1, sessionId });
  const list = withOpen(listed ?? [], isListed ? [] : (open.data?.sessions ?? []), sessionId);
  const columns = {
    here: sessionId,
    sessions,
    list,
    showMore:
      listed === undefined || listed.length < limit || limit >= mostSessions
        ? null
        : () => setLimit(limit + pageSize),
  };
  useEffect(() => {
    if (isDrawerOpen) drawer.current?.showModal();
    else drawer.current?.close();
  }, [isDrawerOpen]);
  return (
    <div class="chat-page">
      <aside class="rail-col" aria-label={t.sessions}>
        <SessionsColumn {...columns} />
      </aside>
      <SessionView
        key={sessionId ?? 'new'}
        sessionId={sessionId}
        summary={list.find((one) => one.sessionId === sessionId)}
        isFirstVisit={listed === undefined ? null : list.length === 0}
        showSessions={() => openDrawer(true)}
        changed={sessions.reload}
      />
      <dialog class="drawer" ref={drawer} aria-label={t.sessions} onClose={() => openDrawer(false)}>
        {isDrawerOpen && (
          <>
            <SessionsColumn {...columns} opened={() => openDrawer(false)} />
            {/* A field with the focus would open the keyboard of a phone over the sessions. */}
            <button type="button" class="btn" autofocus onClick={() => openDrawer(false)}>
              {t.closeSessions}
            </button>
          </>
        )}
      </dialog>
    </div>
  );
}

/** The sessions with the one that is open, if it is older than they are. */
function withOpen(
  listed: readonly ListedSession[],
  answer: readonly ListedSession[],
  sessionId: string | null,
): readonly ListedSession[] {
  const open = answer.find((one) => one.sessionId === sessionId);
  return open === undefined ? listed : [...listed, open];
}

interface SessionViewProps {
  sessionId: string | null;
  summary: ListedSession | undefined;
  /** There is no session yet; null while that is not known. */
  isFirstVisit: boolean | null;
  showSessions(): void;
  /** The list of sessions is to be read again. */
  changed(): void;
}

function SessionView({ sessionId, summary, isFirstVisit, showSessions, changed }: SessionViewProps) {
  const tools = useRequest('tool.list', may('read') ? {} : null);
  const readonly = useRef(new Set<string>());
  readonly.current = new Set(
    (tools.data?.tools ?? []).flatMap(({ name, sideEffect }) => (sideEffect === 'readonly' ? [name] : [])),
  );
  const log = useMemo(
    () =>
      sessionId === null
        ? null
        : new SessionLog(sessionId, { isReadonly: (tool) => readonly.current.has(tool) }),
    [sessionId],
  );
  useFollowing(log);
  useAnnouncements(log);
  const [marks, setMarks] = useState<Marks>(kept.get('marks') === 'react' ? 'react' : 'states');
  const run = log?.current.value ?? null;
  const [sent, countSent] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    if (run !== null) changed();
  }, [run?.status]);
  const runs = log?.runs.value ?? [];
  const other = summary && isOthers(summary) ? (summary.userId ?? null) : null;
  const named = summary ?? runs[0];
  const title = sessionId === null ? t.newSession : named ? titleOf(named) : sessionId;
  useEffect(() => {
    subject.value = sessionId === null ? null : title;
    return () => {
      subject.value = null;
    };
  }, [sessionId, title]);

  const held = heldOf(log?.stories.value, summary);
  useEffect(() => {
    // The list has what the events do not say: the reason, for the staff.
    if (held !== null) changed();
  }, [held?.runId, held?.state]);
  const changedHere = () => {
    changed();
    void log?.refresh();
  };
  const mayTakeOver =
    sessionId !== null && held === null && mayStaff(summary ?? {}) && runs.at(-1)?.workflow === undefined;
  const takeOver = mayTakeOver ? () => ask('session.takeover', { sessionId }).finally(changedHere) : null;

  const started = (session: string) => {
    changed();
    countSent(undefined);
    if (session === sessionId) void log?.refresh();
    else go(chatPath(session), { replace: true });
  };
  const isEmpty =
    log === null || (log.isRead.value && log.error.value === null && log.runs.value.length === 0);
  return (
    <main class="main">
      <ChatHeader
        sessionId={sessionId}
        changed={changed}
        log={log}
        title={title}
        isPinned={summary?.pinned ?? false}
        marks={marks}
        setMarks={(chosen) => {
          kept.set('marks', chosen);
          setMarks(chosen);
        }}
        showSessions={showSessions}
        takeOver={takeOver}
      />
      {isEmpty ? (
        <div class="body beginning">
          <h2>{t.begin}</h2>
          {!isCustomer() && <p>{t.beginMore}</p>}
          {!isCustomer() && (
            <ul class="first-prompts">
              {firstPrompts().map((prompt) => (
                <li key={prompt}>
                  <button type="button" class="btn" onClick={() => keepDraft(sessionId, prompt)}>
                    {prompt}
                  </button>
                </li>
              ))}
            </ul>
          )}
          {sessionId === null && isFirstVisit !== null && !isCustomer() && (
            <TourOffer isSmall={!isFirstVisit} />
          )}
        </div>
      ) : (
        <Conversation log={log} other={other} marks={marks} linked={linkedPlace()} sent={sent} />
      )}
      {log?.error.value && (
        <div class="chat-failure">
          <Failure error={log.error.value} retry={() => void log.refresh()} />
        </div>
      )}
      <Dock
        sessionId={sessionId}
        run={run}
        takes={taken(runs.at(-1) ?? summary)}
        held={held}
        changed={changedHere}
        started={started}
      />
    </main>
  );
}

/** For who does not know yet what to ask: each can be sent as it is. */
const firstPrompts = () => [t.promptFiles, t.promptMemory, t.promptTools];

/** What a session takes from a person: a workflow events of its chart, and a call that it makes nothing while it lasts. */
function taken(newest: Pick<ListedSession, 'workflow' | 'model' | 'status'> | undefined): Taken {
  if (newest?.workflow !== undefined) return 'events';
  const isOver = ['done', 'failed', 'cancelled'].includes(newest?.status ?? '');
  return isGivenCall(newest?.model) && !isOver ? 'nothing' : 'messages';
}

/** `?run=ID&at=SEQ`: the place that a link leads to. */
function linkedPlace(): { runId: string; seq: number } | null {
  const { query } = place.value;
  const runId = query.get('run');
  const seq = Number(query.get('at') ?? 1);
  return runId === null ? null : { runId, seq: Number.isInteger(seq) && seq > 0 ? seq : 1 };
}

/** Reads the session, again after each reconnect, and now and then, since others may speak in it, too. */
function useFollowing(log: SessionLog | null): void {
  useEffect(() => {
    if (log === null) return;
    void log.refresh();
    const stopPolling = whileSeen(everyMs, () => void log.refresh());
    return () => {
      stopPolling();
      log.close();
    };
  }, [log]);
  useSignalEffect(() => {
    if (generation.value > 1) void log?.refresh();
  });
}

/** Tells screen readers of changes of state, and of questions to the person. */
function useAnnouncements(log: SessionLog | null): void {
  const run = log?.current.value;
  const story = run ? log?.stories.value.get(run.runId) : undefined;
  const stay = story ? stayNow(story) : null;
  const had = useRef<string | null>(null);
  useEffect(() => {
    if (stay === null || stay === had.current) return;
    const isFirst = had.current === null;
    had.current = stay;
    if (isFirst) return;
    if (story?.workflow != null) announce(t.nowIn(stay));
    else if (stay === 'taken') announce(t.personCame(null));
    else if (stay === 'waiting') announce(t.personAsked);
    else if (stay === 'awaitingConfirm' || stay === 'reconciling') announce(t.asksYou, 'assertive');
    else announce(stay === 'done' ? t.answered : t.nowIn(stay));
  }, [stay]);
  const said = story?.entries.findLast(({ kind }) => kind === 'staff')?.key;
  const heard = useRef(said);
  useEffect(() => {
    if (said !== undefined && said !== heard.current) announce(t.personWrote);
    heard.current = said;
  }, [said]);
}
