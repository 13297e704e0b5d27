import { noDriver, type RunRow, type TakeableRun } from '../rows.ts';
import type { RunStatements, StateCount } from '../statements/runs.ts';
import { constraintFailed } from './errors.ts';
import { isWithinReach } from './reach.ts';
import {
  everyPk,
  type Handlers,
  newest,
  nextPk,
  removeRun,
  requireSession,
  scoped,
  type Tables,
} from './schema.ts';

/** Where a driver left a run. */
interface Place {
  pk: number;
  was: number;
  wasDriver: number | null;
  fence: number;
}

type Found = Pick<RunRow, 'pk' | 'tenant' | 'id' | 'session'>;
const placeOf = ({ pk, tenant, id, session }: Found): Found => ({ pk, tenant, id, session });
const takeableOf = (row: RunRow): TakeableRun => {
  const { ordinal, machine, version, seq, ended, options, driver, lastDriver, fence } = row;
  return { ...placeOf(row), ordinal, machine, version, seq, ended, options, driver, lastDriver, fence };
};

export function runStatements(tables: Tables): Handlers<RunStatements> {
  const { sessionPks, runs, runIds, runsOfTenant, lanes, activeLanes, feed } = tables;
  const copies = (places: readonly { pk: number }[]) =>
    places.map(({ pk }) => ({ ...(runs.get(pk) as RunRow) }));
  const change = (row: RunRow, changes: Partial<RunRow>) => {
    runs.set(row.pk, { ...row, ...changes });
    const { seq = 0 } = changes;
    const last = feed.of(row.tenant).at(-1)?.pos ?? 0;
    if (seq > row.seq) feed.add(row.tenant, { pos: last + 1, run: row.pk, seq });
    return 1;
  };
  /** Runs that have not ended, by session and place. */
  const active = () => copies([...everyPk(sessionPks)].flatMap(({ pk }) => activeLanes.of(pk)));
  const stillAt = ({ pk, was, wasDriver, fence }: Place) => {
    const row = runs.get(pk);
    const isThere = row?.seq === was && row.fence === fence && row.driver === wasDriver;
    return isThere ? row : undefined;
  };
  /** Those that people see: a job is told of by its slots. */
  const seenOf = (tenant: number) =>
    runsOfTenant.of(tenant).filter(({ pk }) => runs.get(pk)?.machine !== 'job');
  return {
    insertRun(input) {
      const { tenant, id, session, ordinal, machine, version, seq, ended, state, context } = input;
      const { key: sessionKey, user } = requireSession(tables, session);
      if (runIds.get(scoped(tenant, id)) !== undefined) throw constraintFailed(`run "${id}" exists`);
      if (lanes.find(session, { ordinal }))
        throw constraintFailed(`place ${ordinal} of session ${session} is taken`);
      const pk = nextPk(tables, 'runPks');
      lanes.add(session, { ordinal, pk });
      if (ended === 0) activeLanes.add(session, { ordinal, pk });
      const { input: created, options, output, driver, lastDriver, fence, createdAt } = input;
      runs.set(pk, {
        pk,
        tenant,
        id,
        session,
        sessionKey,
        user,
        ordinal,
        machine,
        version,
        seq,
        ended,
        state,
        context,
        input: created,
        options,
        output,
        driver,
        lastDriver,
        fence,
        faults: 0,
        createdAt,
        updatedAt: createdAt,
      });
      runIds.set(scoped(tenant, id), pk);
      runsOfTenant.add(tenant, { pk });
      return { pk };
    },

    loadRun({ tenant, id }) {
      const pk = runIds.get(scoped(tenant, id));
      return pk === undefined ? undefined : copies([{ pk }])[0];
    },

    findRunOwner({ tenant, id, reach }) {
      const row = runs.get(runIds.get(scoped(tenant, id)) ?? 0);
      if (!row || !isWithinReach(tables, row, reach)) return undefined;
      return { sessionKey: row.sessionKey, user: row.user };
    },

    findRunBeyond({ session, reach }) {
      const beyond = copies(lanes.of(session)).find((row) => !isWithinReach(tables, row, reach));
      return beyond && { pk: beyond.pk };
    },

    advanceRun({ seq, state, context, updatedAt, ...at }) {
      const row = stillAt(at);
      return row ? change(row, { seq, state, context, updatedAt }) : 0;
    },

    endRun({ seq, state, context, output, updatedAt, ...at }) {
      const row = stillAt(at);
      if (!row) return 0;
      if (row.ended === 0) activeLanes.remove(row.session, row);
      return change(row, { seq, ended: 1, state, context, output, updatedAt });
    },

    migrateRun({ seq, version, state, context, options, ...at }) {
      const row = stillAt(at);
      return row?.ended === 0 ? change(row, { seq, version, state, context, options }) : 0;
    },

    claimRun({ pk, seen, me }) {
      const row = runs.get(pk);
      if (row?.ended !== 0 || row.fence !== seen) return 0;
      const isFree = row.driver === null || row.driver === noDriver || row.driver === me;
      if (!isFree || tables.drivers.get(me)?.endedAt !== null) return 0;
      return change(row, { driver: me, lastDriver: me, fence: seen + 1 });
    },

    changeRunOptions({ pk, options }) {
      const row = runs.get(pk);
      return row ? change(row, { options }) : 0;
    },

    passRun({ pk, driver }) {
      const row = runs.get(pk);
      return row ? change(row, { driver }) : 0;
    },

    listAbandonedRuns: ({ after, limit }) =>
      active()
        .filter(({ pk, driver }) => driver === null && pk > after)
        .sort((a, b) => a.pk - b.pk)
        .slice(0, limit)
        .map(({ lastDriver, updatedAt, ...row }) => ({ ...placeOf(row), lastDriver, updatedAt })),

    listOwnHeads({ driver }) {
      const heads = [...everyPk(sessionPks)].flatMap(({ pk }) => activeLanes.of(pk).slice(0, 1));
      return copies(heads)
        .filter((row) => row.driver === driver && row.seq === 0)
        .sort((a, b) => a.pk - b.pk)
        .map(placeOf);
    },

    abandonRunsOf({ driver }) {
      const own = active().filter((row) => row.driver === driver);
      for (const row of own) change(row, { driver: null });
      return own.length;
    },

    countFault({ pk }) {
      const row = runs.get(pk);
      return row ? change(row, { faults: row.faults + 1 }) : 0;
    },

    lastOrdinal: ({ session }) => ({ ordinal: lanes.of(session).at(-1)?.ordinal ?? null }),

    laneHead: ({ session }) => copies(activeLanes.of(session).slice(0, 1))[0],

    listActiveRuns: active,

    listActiveRunsAfter: ({ session, ordinal, limit }) =>
      active()
        .filter((row) => row.session > session || (row.session === session && row.ordinal > ordinal))
        .slice(0, limit)
        .map(takeableOf),

    listActiveRunsOf: ({ session }) => copies(activeLanes.of(session)),

    listRuns: ({ tenant, limit }) => copies(newest(seenOf(tenant), limit)),

    listRunsBefore({ tenant, below, limit }) {
      const before = seenOf(tenant).filter(({ pk }) => pk < below);
      return copies(newest(before, limit));
    },

    listUserRunsBefore({ tenant, user, below, limit }) {
      const isOfUser = ({ pk }: { pk: number }) => {
        const row = runs.get(pk);
        return row?.user === user && tables.sessions.get(row.session)?.tenant === tenant;
      };
      const before = seenOf(tenant).filter((place) => place.pk < below && isOfUser(place));
      return copies(newest(before, limit));
    },

    newestRun({ tenant }) {
      const place = seenOf(tenant).findLast(({ pk }) => !isSubRun((runs.get(pk) as RunRow).id));
      return place && copies([place])[0];
    },

    listRunIds: ({ tenant, from, below, limit }) =>
      copies(seenOf(tenant))
        .filter(({ id }) => id >= from && id < below && !isSubRun(id))
        .map(({ id }) => ({ id }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),

    listRunsOf: ({ session, limit }) => copies(newest(lanes.of(session), limit)),

    listLeftJobRuns: ({ before, limit }) =>
      copies(everyPk(tables.runPks))
        .filter(({ pk, machine, ended, updatedAt }) => {
          const isOfJob = tables.jobsOfRuns.of(pk).length > 0;
          return machine === 'job' && ended === 1 && updatedAt < before && !isOfJob;
        })
        .sort((a, b) => a.updatedAt - b.updatedAt || a.pk - b.pk)
        .slice(0, limit),

    deleteRun({ run }) {
      const row = runs.get(run);
      if (!row) return 0;
      if (tables.jobsOfRuns.of(run).length > 0) throw constraintFailed(`run ${run} is that of a job`);
      lanes.remove(row.session, row);
      if (row.ended === 0) activeLanes.remove(row.session, row);
      removeRun(tables, run);
      return 1;
    },

    countActiveRuns({ tenant, user, reach }) {
      const active = copies(seenOf(tenant)).filter(
        (row) => row.ended === 0 && isOfUser(row, user) && isWithinReach(tables, row, reach),
      );
      const isUnstarted = ({ driver, lastDriver }: RunRow) => driver === noDriver && lastDriver === null;
      return ([0, 1] as const)
        .flatMap((unstarted) =>
          countByState(active.filter((row) => isUnstarted(row) === (unstarted === 1))).map((counted) => ({
            ...counted,
            unstarted,
          })),
        )
        .sort(byState);
    },

    countEndedRuns: ({ tenant, user, reach, since }) =>
      countByState(
        copies(seenOf(tenant)).filter(
          (row) =>
            row.ended === 1 &&
            row.updatedAt >= since &&
            isOfUser(row, user) &&
            isWithinReach(tables, row, reach),
        ),
      ),

    listRunMarks: ({ tenant, after, limit }) =>
      copies(
        seenOf(tenant)
          .filter(({ pk }) => pk > after)
          .slice(0, limit),
      ).map(({ pk, id, seq, ended, sessionKey }) => ({ pk, id, seq, ended, sessionKey })),
  };
}

function isOfUser(row: RunRow, user: string | null): boolean {
  return user === null || row.user === user;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function countByState(rows: readonly RunRow[]): StateCount[] {
  return [...Map.groupBy(rows, ({ machine, state }) => JSON.stringify([machine, state])).values()]
    .map((those) => {
      const { machine, state } = those[0] as RunRow;
      return { machine, state, runs: those.length };
    })
    .sort(byState);
}

function byState(a: StateCount, b: StateCount): number {
  return compare(a.state, b.state) || compare(a.machine, b.machine);
}

/** Whether an id has the form of a sub-run's: its parent's, a dot and the call. */
function isSubRun(id: string): boolean {
  return id.includes('.c');
}
