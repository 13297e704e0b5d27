import type { ConfirmationRow } from '../rows.ts';
import type { ConfirmationStatements } from '../statements/confirmations.ts';
import { type Handlers, requireRun, type Tables } from './schema.ts';

export function confirmationStatements(tables: Tables): Handlers<ConfirmationStatements> {
  const { confirmations, runs } = tables;
  const newest = (run: number, call: number): ConfirmationRow | undefined =>
    confirmations.of(run).findLast((row) => row.call === call);
  return {
    insertConfirmation({ run, call, kind, hash, body, askedAt }) {
      requireRun(tables, run);
      const old = newest(run, call);
      const asked = {
        run,
        call,
        kind,
        status: 'open',
        hash,
        body,
        decision: null,
        askedAt,
        told: 0,
      } as const;
      if (old?.status === 'open') confirmations.replace(run, { ...asked, n: old.n });
      else confirmations.add(run, { ...asked, n: (old?.n ?? 0) + 1 });
      return 1;
    },

    decideConfirmation({ run, call, status, decision }) {
      const row = newest(run, call);
      if (row?.status !== 'open') return 0;
      confirmations.replace(run, { ...row, status, decision });
      return 1;
    },

    findConfirmation({ run, call }) {
      const row = newest(run, call);
      return row && { ...row };
    },

    listConfirmations: ({ run }) => confirmations.of(run).map((row) => ({ ...row })),

    listUntold({ after, limit }) {
      const rows = runs.all().flatMap(({ pk, id, tenant, lastDriver, ended }) =>
        confirmations.of(pk).flatMap((row) => {
          const isOpen = row.status === 'open';
          const isUntold = isOpen ? row.told === 0 && ended === 0 : row.told === 1;
          return isUntold ? [{ ...row, tenant, runId: id, lastDriver }] : [];
        }),
      );
      return rows
        .filter(({ run }) => run > after)
        .sort((a, b) => a.run - b.run)
        .slice(0, limit);
    },

    markTold({ run, call, n, told }) {
      const row = confirmations.of(run).find((one) => one.call === call && one.n === n);
      if (!row) return 0;
      confirmations.replace(run, { ...row, told });
      return 1;
    },
  };
}
