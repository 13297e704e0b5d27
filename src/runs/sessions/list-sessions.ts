import { refuseUnknownFields } from '../../protocol/json.ts';
import type { RunRow } from '../../store/rows.ts';
import { isSubRunSession, isWorkflowRun, optionsOf } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import {
  checkFilter,
  costs,
  firstWords,
  type ListFilter,
  lastWords,
  promptOf,
  standing,
} from '../lists/list-runs.ts';
import { isWithin } from '../rows/owners.ts';
import { type IsDriven, statusAmongRuns } from '../rows/run-status.ts';
import { shownSpent } from '../rows/spent-by.ts';
import type { Store } from '../rows/statements.ts';
import { takenOverView } from '../takeover/held.ts';
import type { SessionSummary } from './session-view.ts';

const all = Number.MAX_SAFE_INTEGER;
const fields = ['limit', 'status', 'since', 'slots', 'kept', 'sessionId', 'userId', 'reach', 'tenantId'];

export interface SessionFilter extends ListFilter {
  /** Only those of slots of jobs that have ended, which are left out otherwise. */
  slots?: boolean | undefined;
  /** Adds older ones that are pinned, or have an unfinished run, whatever the limit. */
  kept?: boolean | undefined;
  /** Adds this one, however old it is. */
  sessionId?: string | undefined;
}

/** The sessions of a tenant that fit, newest first, then those that are added. @throws DetentError `INVALID_ARGUMENTS`. */
export async function listSessions(
  store: Store,
  isDriven: IsDriven,
  tenant: number,
  filter: SessionFilter,
): Promise<SessionSummary[]> {
  checkFilter(filter);
  refuseUnknownFields(filter, fields, 'a filter of sessions', 'INVALID_ARGUMENTS');
  const { limit, status: wanted, since = 0, slots = false, userId: user = null, reach } = filter;
  const { kept = false, sessionId: key = '' } = filter;
  const isAny = !wanted && since === 0 && !reach;
  const listed = (kept: 0 | 1 | 2, limit: number) => {
    const wanted = { tenant, without: slots ? 0 : 1, kept, key, limit } as const;
    return user === null
      ? store.query('listSessions', wanted)
      : store.query('listUserSessions', { ...wanted, user });
  };
  const rows = await listed(0, isAny ? limit : all);
  const added = kept || key !== '' ? await listed(kept ? 1 : 2, all) : [];
  const costOf = await costs(store, tenant, 'session', oldestOf([...rows, ...added]));
  const found = new Map<number, SessionSummary>();
  const list = async (some: typeof rows, atMost: number) => {
    for (const row of some) {
      if (found.size >= atMost) break;
      if (found.has(row.pk) || !(await isWithin(store, row.pk, reach))) continue;
      const summary = await sessionSummary(store, isDriven, row, costOf);
      const { status, lastActivityAt } = summary;
      const fits = !wanted || (status !== null && wanted.includes(status));
      if (fits && lastActivityAt >= since) found.set(row.pk, summary);
    }
  };
  await list(rows, limit);
  await list(added, all);
  return [...found.values()];
}

/** @param costOf what a session cost, by its key */
export async function sessionSummary(
  store: Store,
  isDriven: IsDriven,
  { pk: session, key, runs }: { pk: number; key: string; runs: number },
  costOf: (key: string) => number | null,
): Promise<SessionSummary> {
  const described = await store.query('describeSession', { session });
  const [last] = await store.query('listRunsOf', { session, limit: 1 });
  const head = (await store.query('laneHead', { session })) ?? last;
  const {
    createdAt = 0,
    messages = 0,
    forks = 0,
    updatedAt = null,
    title = null,
    pinned = 0,
    user = null,
  } = described ?? {};
  return {
    sessionId: key,
    ...(user !== null && { userId: user }),
    ...(title !== null && { title }),
    pinned: pinned === 1,
    runs,
    ...(forks > 0 && { isBranch: true as const }),
    ...(last && (await parentSessionOf(store, last))),
    status: head ? (await statusAmongRuns(store, head, isDriven)).status : null,
    ...(head ? await standing(store, head) : { state: null }),
    ...(head && !head.ended && (await takenOverOf(store, session))),
    ...(await ratingsOf(store, session)),
    last: await lastWords(store, session),
    ...(last ? kindOf(last).asked(last) : { outcome: null, agent: null, model: null }),
    prompt: (await firstWords(store, session, 0, all)) || (last ? await promptOf(store, last) : ''),
    costUsd: last && isWorkflowRun(last) ? await costOfWorkflows(store, session) : costOf(key),
    createdAt,
    lastActivityAt: updatedAt ?? createdAt,
    messages,
  };
}

async function takenOverOf(store: Store, session: number): Promise<Pick<SessionSummary, 'takenOver'>> {
  const row = await store.query('findTakeover', { session });
  return row ? { takenOver: takenOverView(row) } : {};
}

async function ratingsOf(store: Store, session: number): Promise<Pick<SessionSummary, 'ratings'>> {
  const ratings = await store.query('listRatings', { session });
  if (ratings.length === 0) return {};
  const up = ratings.filter(({ thumb }) => thumb === 'up').length;
  return { ratings: { up, down: ratings.length - up } };
}

/** What the workflows of a session cost, whose calls stand in the ledger under the sessions of the runs below them. */
async function costOfWorkflows(store: Store, session: number): Promise<number | null> {
  let sum = 0;
  for (const row of await store.query('listRunsOf', { session, limit: all })) {
    const { costUsd } = await shownSpent(store, row);
    if (costUsd === null) return null;
    sum += costUsd;
  }
  return sum;
}

async function parentSessionOf(store: Store, row: RunRow): Promise<Pick<SessionSummary, 'parentSessionId'>> {
  if (!isSubRunSession(row.sessionKey)) return {};
  const { parentRunId } = optionsOf(row);
  const parent =
    parentRunId === undefined
      ? undefined
      : await store.query('loadRun', { tenant: row.tenant, id: parentRunId });
  return parent ? { parentSessionId: parent.sessionKey } : {};
}

/** When the first of them was made. */
export function oldestOf(rows: readonly { createdAt: number }[]): number {
  return rows.reduce((at, { createdAt }) => Math.min(at, createdAt), all);
}
