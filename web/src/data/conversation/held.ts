import type { Output } from '#src/client/index.ts';
import { mayStaff, ownName } from '../connection.ts';
import type { RunStory } from './entries.ts';

type Summary = Output<'session.list'>['sessions'][number];

/** A conversation that a person of the staff has, or is asked for. */
export interface Held {
  runId: string;
  state: 'waiting' | 'taken';
  /** Who is logged in speaks there as staff. */
  isMine: boolean;
  /** Who is logged in may come. */
  mayCome: boolean;
  /** Of the staff, as readers of the log know them, or else as users may. */
  who: string | null;
  reason?: string | undefined;
  summary?: string | undefined;
}

/**
 * How staff holds a session: as the events say, which are there at once, or else as the list says, which has the reason and the
 * summary for the staff. Null while its agent speaks.
 */
export function heldOf(
  stories: ReadonlyMap<string, RunStory> | undefined,
  session: Pick<Summary, 'userId' | 'takenOver'> | undefined,
): Held | null {
  const listed = session?.takenOver;
  const told = [...(stories?.values() ?? [])].findLast(
    ({ takeover, endedAt }) => takeover && endedAt === null,
  );
  if (!told && (!listed || (stories?.get(listed.runId)?.endedAt ?? null) !== null)) return null;
  const runId = told?.runId ?? listed?.runId ?? '';
  const { state = 'waiting', by = null, name = null } = told?.takeover ?? { ...listed, name: null };
  const words = listed?.runId === runId ? { reason: listed.reason, summary: listed.summary } : {};
  const isMine = by !== null && by === ownName() && by !== '';
  return { runId, state, isMine, mayCome: mayStaff(session ?? {}), who: by ?? name, ...words };
}
