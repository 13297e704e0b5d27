import type { SessionStatements } from '../statements/sessions.ts';
import { constraintFailed } from './errors.ts';
import {
  type Handlers,
  newest,
  nextPk,
  removePk,
  removeRun,
  requireSession,
  type SessionRow,
  scoped,
  type Tables,
} from './schema.ts';

export function sessionStatements(tables: Tables): Handlers<SessionStatements> {
  const { sessions, sessionKeys, sessionPks, sessionsOfTenant, lanes, messages } = tables;
  const listed = (places: readonly { pk: number }[]) =>
    places.map(({ pk }) => {
      const { key, createdAt } = requireSession(tables, pk);
      return { pk, key, createdAt, runs: lanes.of(pk).length };
    });
  /** Those of jobs' own runs begin with a control character. */
  const isSeen = ({ pk }: { pk: number }) => requireSession(tables, pk).key >= ' ';
  return {
    findSession({ tenant, key }) {
      const pk = sessionKeys.get(scoped(tenant, key));
      if (pk === undefined) return undefined;
      const { user, headRun, headSeq, prunedRun, prunedSeq } = requireSession(tables, pk);
      return { pk, user, headRun, headSeq, prunedRun, prunedSeq };
    },

    insertSession({ tenant, key, user, at }) {
      if (sessionKeys.get(scoped(tenant, key)) !== undefined)
        throw constraintFailed(`session "${key}" exists`);
      const pk = nextPk(tables, 'sessionPks');
      const nowhere = { headRun: 0, headSeq: 0, prunedRun: 0, prunedSeq: 0 };
      const row: SessionRow = { pk, tenant, key, user, ...nowhere, createdAt: at };
      sessions.set(pk, row);
      sessionKeys.set(scoped(tenant, key), pk);
      sessionsOfTenant.add(tenant, { pk });
      return { pk };
    },

    listSessions: ({ tenant, limit }) => listed(newest(sessionsOfTenant.of(tenant).filter(isSeen), limit)),

    listUserSessions({ tenant, user, limit }) {
      const own = sessionsOfTenant
        .of(tenant)
        .filter((place) => isSeen(place) && sessions.get(place.pk)?.user === user);
      return listed(newest(own, limit));
    },

    describeSession({ session }) {
      const row = sessions.get(session);
      if (!row) return undefined;
      const moved = lanes.of(session).map(({ pk }) => tables.runs.get(pk)?.updatedAt ?? 0);
      const updatedAt = moved.length === 0 ? null : moved.reduce((a, b) => Math.max(a, b));
      const spoken = messages.of(session).filter(({ role }) => role !== 'summary' && role !== 'withdrawn');
      return { createdAt: row.createdAt, messages: spoken.length, updatedAt };
    },

    deleteRunsOf({ session }) {
      const isOfJob = tables.jobsOfRuns;
      if (lanes.of(session).some(({ pk }) => isOfJob.of(pk).length > 0))
        throw constraintFailed(`session ${session} has the run of a job`);
      const gone = lanes.clear(session);
      tables.activeLanes.clear(session);
      for (const { pk } of gone) removeRun(tables, pk);
      return gone.length;
    },

    deleteSession({ session }) {
      const row = sessions.get(session);
      if (!row) return 0;
      if (lanes.of(session).length > 0) throw constraintFailed(`session ${session} has runs`);
      messages.clear(session);
      tables.grants.clear(session);
      sessions.delete(session);
      sessionKeys.delete(scoped(row.tenant, row.key));
      sessionsOfTenant.remove(row.tenant, row);
      removePk(sessionPks, session);
      return 1;
    },

    moveSessionHead({ session, run, seq }) {
      const row = sessions.get(session);
      if (!row) return 0;
      sessions.set(session, { ...row, headRun: run, headSeq: seq });
      return 1;
    },

    moveSessionPruning({ session, run, seq }) {
      const row = sessions.get(session);
      if (!row) return 0;
      sessions.set(session, { ...row, prunedRun: run, prunedSeq: seq });
      return 1;
    },
  };
}
