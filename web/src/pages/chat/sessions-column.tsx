import { useState } from 'preact/hooks';
import { shortTime } from '../../base/format.ts';
import { language } from '../../base/language.ts';
import { chatPath, href } from '../../base/place.ts';
import { isOthers, may, ownName } from '../../data/connection.ts';
import type { Requested } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Chip } from '../../parts/shape.tsx';
import { keyOfFlow, keyOfPath, keyOfStatus, type StateKey } from '../../parts/states.ts';
import { visible } from '../../parts/visible.ts';
import { errorInWords } from '../../parts/why/finding.ts';
import { withoutMarks } from '../../parts/without-marks.ts';
import { Hits } from './hits.tsx';
import { type FoldedSession, groupsOf, isForStaff, type ListedSession, titleOf } from './session-groups.ts';
import { t } from './words.ts';

interface SessionsColumnProps {
  /** The session that is open. */
  here: string | null;
  sessions: Pick<Requested<unknown>, 'error' | 'isLoading' | 'reload'>;
  list: readonly ListedSession[];
  /** Lists older ones, too; null where there are none. */
  showMore: (() => void) | null;
  /** A session was opened. */
  opened?: () => void;
}

/** All sessions, those first that need the person; and a search in what was said. */
export function SessionsColumn({ here, sessions, list, showMore, opened }: SessionsColumnProps) {
  const [query, search] = useState('');
  return (
    <>
      <header>
        <input
          class="field"
          type="search"
          placeholder={t.search}
          aria-label={t.search}
          value={query}
          onInput={(event) => search(event.currentTarget.value)}
        />
        <a class="btn icon" href={href('/chat')} title={`${t.newSession} (N)`} onClick={opened}>
          <span class="sr">{t.newSession}</span>
          <Icon size={14} path="M7 1v12M1 7h12" strokeWidth={1.8} />
        </a>
      </header>
      <div class="sess">
        {query.trim() !== '' ? (
          <Hits query={query.trim()} list={list} opened={opened} />
        ) : (
          <>
            {sessions.error && <Failure error={sessions.error} retry={sessions.reload} />}
            {!sessions.isLoading && list.length === 0 && <p class="empty">{t.noSessions}</p>}
            {groupsOf(list, Date.now(), language.value).map(({ key, name, sessions }) => (
              <section key={key}>
                <h2 class="label">
                  {key === 'forStaff' ||
                  key === 'yours' ||
                  key === 'waiting' ||
                  key === 'working' ||
                  key === 'pinned' ||
                  key === 'today' ||
                  key === 'yesterday'
                    ? t[key]
                    : name}
                </h2>
                {sessions.map((session) => (
                  <Folded key={session.top.sessionId} session={session} here={here} opened={opened} />
                ))}
              </section>
            ))}
            {showMore !== null && (
              <button type="button" class="btn small more-sessions" onClick={showMore}>
                {t.olderSessions}
              </button>
            )}
          </>
        )}
      </div>
    </>
  );
}

/** A session, and those of the runs below it once they are asked for, or one of them is open. */
function Folded({
  session: { top, below },
  here,
  opened,
}: {
  session: FoldedSession;
  here: string | null;
  opened: (() => void) | undefined;
}) {
  const [isOpen, open] = useState(false);
  const isShown = isOpen || below.some(({ sessionId }) => sessionId === here);
  return (
    <>
      <SessionLink session={top} isHere={top.sessionId === here} opened={opened} />
      {below.length > 0 && (
        <button type="button" class="btn small ghost" aria-expanded={isShown} onClick={() => open(!isShown)}>
          {t.below(below.length)}
        </button>
      )}
      {isShown && below.length > 0 && (
        <div class="below">
          {below.map((session) => (
            <SessionLink
              key={session.sessionId}
              session={session}
              isHere={session.sessionId === here}
              opened={opened}
            />
          ))}
        </div>
      )}
    </>
  );
}

function SessionLink({
  session,
  isHere,
  opened,
}: {
  session: ListedSession;
  isHere: boolean;
  opened: (() => void) | undefined;
}) {
  const { sessionId, status, lastActivityAt } = session;
  const more = moreOf(session);
  const state = stateOf(session);
  return (
    <a href={href(chatPath(sessionId))} aria-current={isHere ? 'page' : undefined} onClick={opened}>
      <Chip plain state={state}>
        <span class="sr">{status ?? ''}</span>
      </Chip>
      <span class="t cut">
        {session.isBranch && (
          <span class="branch" title={t.branch}>
            <span class="sr">{t.branch}: </span>
            <Icon size={12} path="M3.5 1v10M8.5 3.5v1a3 3 0 0 1-3 3h-2" />
          </span>
        )}
        {titleOf(session)}
      </span>
      <span class="dim nw">{shortTime(lastActivityAt)}</span>
      {more !== '' && <span class="m cut">{more}</span>}
    </a>
  );
}

/** What it asks, why it failed, where its chart is, or what it said last. */
function moreOf(session: ListedSession): string {
  const { asks, asksStaff, error, last, workflow, state, outcome, takenOver } = session;
  if (takenOver?.state === 'waiting') return visible(takenOver.reason ?? t.personAsked);
  if (takenOver) return takenOver.by === ownName() ? t.youCame : t.personCame(shownName(takenOver.by));
  if (asksStaff) return t.asksStaff(asksStaff.join(', '));
  // A person must say whether a step ran: that is asked by no tool.
  if (asks) return asks.length === 0 ? t.asksFate : askedBy(asks);
  if (error) return errorInWords(error);
  if (workflow !== undefined && outcome === null) return visible(state ?? '');
  // For the staff: an own rating needs no notice.
  if (isOthers(session) && session.ratings && session.ratings.down > 0)
    return t.badAnswers(session.ratings.down);
  return withoutMarks(last);
}

/** Who of the staff; null for who is not told. */
function shownName(by: string | undefined): string | null {
  return by === undefined ? null : visible(by);
}

/** The tools that ask; the question of a chart is asked by no tool that people know. */
function askedBy(asks: readonly string[]): string {
  const tools = [...new Set(asks)].filter((name) => name !== 'ask');
  return tools.length === 0 ? t.hasQuestion : t.asks(tools.join(', '));
}

function stateOf(session: ListedSession): StateKey {
  const { state, status, outcome, workflow, asks } = session;
  if (status === null) return 'idle';
  if (isForStaff(session)) return may('approve') ? 'ask' : 'hold';
  if (workflow !== undefined) return keyOfFlow({ status, asks });
  if (state && (status === 'running' || status === 'waiting')) return keyOfPath(state);
  return outcome === 'cancelled' ? 'cancel' : keyOfStatus(status);
}
