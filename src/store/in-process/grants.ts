import type { GrantStatements } from '../statements/grants.ts';
import { type Handlers, requireSession, type Tables } from './schema.ts';

export function grantStatements(tables: Tables): Handlers<GrantStatements> {
  const { grants } = tables;
  return {
    insertGrant({ session, tool, pattern, by, runId, call, at }) {
      requireSession(tables, session);
      const n = (grants.of(session).at(-1)?.n ?? 0) + 1;
      grants.add(session, { session, n, tool, pattern, by, runId, call, at, revokedAt: null });
      return { n };
    },

    listGrants: ({ session }) =>
      grants.of(session).flatMap(({ revokedAt, ...row }) => (revokedAt === null ? [row] : [])),

    revokeGrant({ session, n, at }) {
      const row = grants.find(session, { n });
      if (row?.revokedAt !== null) return 0;
      grants.replace(session, { ...row, revokedAt: at });
      return 1;
    },
  };
}
