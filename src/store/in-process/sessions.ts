import { constraintFailed } from './errors.ts';
import { type Handlers, newest, requireSession, type SessionRow, scoped, type Tables } from './schema.ts';

type Names = 'ensureTenant' | 'findSession' | 'insertSession' | 'listSessions' | 'moveSessionHead';

export function sessionStatements(tables: Tables): Handlers<Names> {
  const { tenants, sessions, sessionKeys, sessionsOfTenant, lanes } = tables;
  return {
    ensureTenant({ tenant }) {
      // The first one every store begins with.
      if (tenant === 1 || tenants.get(tenant)) return 0;
      tenants.set(tenant, true);
      return 1;
    },

    findSession({ tenant, key }) {
      const pk = sessionKeys.get(scoped(tenant, key));
      if (pk === undefined) return undefined;
      const { headRun, headSeq } = requireSession(tables, pk);
      return { pk, headRun, headSeq };
    },

    insertSession({ tenant, key, at }) {
      if (sessionKeys.get(scoped(tenant, key)) !== undefined)
        throw constraintFailed(`session "${key}" exists`);
      const pk = sessions.size + 1;
      const row: SessionRow = { pk, key, headRun: 0, headSeq: 0, createdAt: at };
      sessions.set(pk, row);
      sessionKeys.set(scoped(tenant, key), pk);
      sessionsOfTenant.add(tenant, { pk });
      return { pk };
    },

    listSessions({ tenant, limit }) {
      return newest(sessionsOfTenant.of(tenant), limit).map(({ pk }) => {
        const { key, createdAt } = requireSession(tables, pk);
        return { pk, key, createdAt, runs: lanes.of(pk).length };
      });
    },

    moveSessionHead({ session, run, seq }) {
      const row = sessions.get(session);
      if (!row) return 0;
      sessions.set(session, { ...row, headRun: run, headSeq: seq });
      return 1;
    },
  };
}
