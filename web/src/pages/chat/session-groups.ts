import type { Output } from '#src/client/index.ts';
import { foldedBelow } from '#src/protocol/views.ts';
import type { Language } from '../../base/language.ts';
import { may, ownName } from '../../data/connection.ts';
import { waitsForPerson, waitsForStaff } from '../../data/runs.ts';
import { runTitle } from '../../parts/run-title.ts';
import { visible } from '../../parts/visible.ts';
import { t } from './words.ts';

/** A session of `session.list`. */
export type ListedSession = Output<'session.list'>['sessions'][number];

/** What a person calls it, or else its first words. */
export function titleOf(session: Pick<ListedSession, 'title' | 'prompt' | 'workflow' | 'model'>): string {
  return visible(session.title ?? '') || runTitle(session) || t.untitled;
}

/** A session, and those of the runs below its own at any depth, if they are listed, too. */
export interface FoldedSession {
  top: ListedSession;
  below: readonly ListedSession[];
}

interface SessionGroup {
  key: string;
  /** Of days before yesterday. */
  name: string;
  sessions: FoldedSession[];
}

const dayMs = 86_400_000;

/** Sessions that wait for staff, those where this login speaks as staff, those that wait for the person, those at work, those that are pinned, then the others by their day, newest first. */
export function groupsOf(
  sessions: readonly ListedSession[],
  now: number,
  language: Language,
): SessionGroup[] {
  const groups = new Map<string, SessionGroup>();
  for (const key of ['forStaff', 'yours', 'waiting', 'working', 'pinned'])
    groups.set(key, { key, name: '', sessions: [] });
  const sorted = sessions.toSorted((a, b) => b.lastActivityAt - a.lastActivityAt);
  const folded = foldedBelow(
    sorted,
    ({ sessionId }) => sessionId,
    ({ parentSessionId }) => parentSessionId,
  );
  for (const session of folded.toSorted((a, b) => b.top.lastActivityAt - a.top.lastActivityAt)) {
    const { key, name } = groupOf(session.top, now, language);
    const group = groups.get(key) ?? { key, name, sessions: [] };
    groups.set(key, group);
    group.sessions.push(session);
  }
  return [...groups.values()].filter(({ sessions }) => sessions.length > 0);
}

/** Whether it waits for a person of the staff, who comes or decides. */
export function isForStaff(session: ListedSession): boolean {
  return session.takenOver?.state === 'waiting' || waitsForStaff(session);
}

function groupOf(session: ListedSession, now: number, language: Language) {
  const { status, lastActivityAt, takenOver } = session;
  if (isForStaff(session) && may('approve')) return { key: 'forStaff', name: '' };
  if (takenOver?.by !== undefined && takenOver.by === ownName()) return { key: 'yours', name: '' };
  if (waitsForPerson(session)) return { key: 'waiting', name: '' };
  if (status !== null && ['queued', 'running', 'waiting'].includes(status))
    return { key: 'working', name: '' };
  if (session.pinned) return { key: 'pinned', name: '' };
  const startOf = (at: number) => new Date(at).setHours(0, 0, 0, 0);
  const day = startOf(lastActivityAt);
  const days = Math.round((startOf(now) - day) / dayMs);
  if (days <= 0) return { key: 'today', name: '' };
  if (days === 1) return { key: 'yesterday', name: '' };
  const isThisYear = new Date(day).getFullYear() === new Date(now).getFullYear();
  const options: Intl.DateTimeFormatOptions =
    days < 7
      ? { weekday: 'long' }
      : { day: 'numeric', month: 'long', ...(!isThisYear && { year: 'numeric' }) };
  return { key: String(day), name: new Intl.DateTimeFormat(language, options).format(day) };
}
